import convict from 'convict';
import type { Assignment, Layer } from './layer.js';

/**
 * Lays the layers over each other, lowest first, and gives for each path the assignment that wins.
 *
 * convict does the layering. Each setting reaches it as a one-item list under its shown path, because convict otherwise
 * coerces strings, merges mappings it has no schema for, and takes any section with a key called `default` (snip's
 * `retention.default`) for a single setting. Environment and arguments come as layers too: convict reads its own
 * again after every load, so that code could not win over them.
 */
export function layOver(defaults: Layer, layers: readonly Layer[]): Map<string, Assignment> {
  const set = layers.filter(({ assignments }) => assignments.size > 0);
  const schema = Object.fromEntries(set.flatMap(({ assignments }) => [...assignments.keys()].map(unset)));
  for (const [path, assignment] of defaults.assignments)
    schema[path] = { default: [assignment], format: Array };
  const config = convict<Record<string, Assignment[]>>(schema, { env: {}, args: [] });
  for (const { assignments } of set) {
    config.load(Object.fromEntries([...assignments].map(([path, assignment]) => [path, [assignment]])));
  }
  const winners = Object.entries(config.getProperties());
  return new Map(winners.flatMap(([path, [winner]]) => (winner ? [[path, winner] as const] : [])));
}

/** A setting without a default, such as one model's limits. */
const unset = (path: string) => [path, { default: [] as Assignment[], format: Array }] as const;

/** The tree that the winning assignments make. Paths hold no prototype keys: layers refuse them. */
export function treeOf(winners: Iterable<Assignment>): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  for (const { path, value, container } of winners) {
    let place: Record<string | number, unknown> = tree;
    for (const key of path.slice(0, -1)) place = (place[key] ??= {}) as Record<string | number, unknown>;
    const last = path[path.length - 1]!;
    if (container) place[last] ??= {};
    else place[last] = value;
  }
  return tree;
}
