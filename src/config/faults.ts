import type { Fault } from '../errors/index.js';
import { allowed, placesIn, schemaAt, type JsonSchema } from './json-schema.js';
import { envName, isMapping, showPath, valueAt, type Path } from './path.js';

/** A broken rule between settings, from the viewpoint of the setting at `path`. */
export interface Finding {
  readonly path: Path;
  readonly allowed: string;
  readonly remedy: string;
  /** The rule from the viewpoint of the other settings: the report names the setting that a user set. */
  readonly otherwise?: readonly Omit<Finding, 'remedy' | 'otherwise'>[];
}

/** The origin of a value: `default`, `profile agent`, `file spillway.yaml`, `env SPILLWAY_TARGET`, `code`. */
export type Origin = 'default' | `profile ${string}` | `file ${string}` | `env SPILLWAY_${string}` | 'code';

/** The kinds of layers, lowest first. */
const LAYERS: readonly string[] = ['default', 'profile', 'file', 'env', 'code'];

export const rankOf = (origin: Origin): number => LAYERS.indexOf(origin.split(' ')[0]!);

/** A fault in the configuration, with the layer of the value. */
export interface ConfigFault extends Fault {
  readonly origin: Origin;
}

/** The parts of a zod issue that are read here; a plugin's zod may have another version. */
export interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Issue[])[];
  /** The faults of a key. */
  readonly issues?: readonly Issue[];
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** The input of a parse for its faults: the tree, its schema, and the origin of each value. */
export interface Parsed {
  readonly tree: unknown;
  readonly root: JsonSchema;
  origin(path: string): Origin;
}

/** One zod issue as faults; `below` is the path of the schema that was parsed, e.g. `stages.snip`. */
export function issueFaults(issue: Issue, parsed: Parsed, below: Path = []): ConfigFault[] {
  const path: Path = [...below, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  if (issue.code === 'unrecognized_keys' && issue.keys)
    return issue.keys.map((key) => unknownKey([...path, key], parsed));
  if (issue.code === 'invalid_union' && issue.errors) {
    // A branch whose faults are all inside the value is the one that the user meant.
    const branch = issue.errors.find(
      (issues) => issues.length > 0 && issues.every((inner) => inner.path.length > 0),
    );
    if (branch) return branch.flatMap((inner) => issueFaults(inner, parsed, path));
  }
  const finding = issue.params?.['finding'];
  if (isFinding(finding)) return [findingFault(finding, parsed)];
  const subject = showPath(path);
  const origin = parsed.origin(subject);
  const found = valueAt(parsed.tree, path);
  const why = issue.code === 'custom' ? `${issue.message} ` : '';
  const giveIt = `Give it a value in a file, in ${envName(path)} or in code.`;
  const remedy = `${why}${found === undefined ? giveIt : changeIn(origin)}`;
  const ofKey = issue.code === 'invalid_key' ? issue.issues?.[0]?.message : undefined;
  const what = ofKey ?? (allowed(schemaAt(parsed.root, path) ?? {}) || issue.message);
  return [{ subject, found, allowed: what, remedy, origin }];
}

/** Reports a broken rule at the setting of the highest layer, not at the setting that it conflicts with. */
export function findingFault(finding: Finding, parsed: Parsed): ConfigFault {
  const sides = [finding, ...(finding.otherwise ?? [])];
  const rank = ({ path }: (typeof sides)[number]): number => rankOf(parsed.origin(showPath(path)));
  const side = sides.reduce((highest, other) => (rank(other) > rank(highest) ? other : highest));
  const subject = showPath(side.path);
  const origin = parsed.origin(subject);
  const remedy = `${finding.remedy} ${changeIn(origin)}`;
  return { subject, found: valueAt(parsed.tree, side.path), allowed: side.allowed, remedy, origin };
}

/** Only `Settings` writes findings; a plugin's schema may use the word differently. */
function isFinding(value: unknown): value is Finding {
  return isMapping(value) && Array.isArray(value['path']) && typeof value['remedy'] === 'string';
}

export function changeIn(origin: Origin): string {
  if (origin === 'default') return 'Set it in a file, in the environment or in code.';
  if (origin === 'code') return 'Give it another value.';
  if (origin.startsWith('env ')) return `Change or unset ${origin.slice('env '.length)}.`;
  return `Change it in ${origin}.`;
}

/** Keys of former settings, and their replacements. */
const REMOVED_KEYS: Readonly<Record<string, string>> = {
  claims:
    'Exact content is part of the digest. summary.share sets its size; pins.patterns keeps messages whole.',
};

/** An unknown key. Suggests the nearest key there, or anywhere: `snipThreshold` is `thresholds.snipThreshold`. */
export function unknownKey(path: Path, { root, tree, ...parsed }: Parsed): ConfigFault {
  const [key, around] = [String(path.at(-1)), path.slice(0, -1)];
  const subject = showPath(path);
  const origin = parsed.origin(subject);
  const keys = Object.keys(schemaAt(root, around)?.properties ?? {});
  const sibling = nearest(key, keys) ?? onlyCompletionOf(key, keys);
  const places = [...placesIn(root)].map((place) => place.path);
  const elsewhere = nearest(key, new Set(places.map((place) => String(place.at(-1)))));
  const suggestion =
    sibling === undefined ? places.find((place) => place.at(-1) === elsewhere) : [...around, sibling];
  const removal = path.length === 1 && Object.hasOwn(REMOVED_KEYS, key) ? REMOVED_KEYS[key] : undefined;
  const why = removal ?? (suggestion ? `Did you mean ${showPath(suggestion)}?` : 'Unknown key.');
  const remedy = `${why} ${changeIn(origin)}`;
  // Without the value at the top of a file, because a file that is no configuration may contain anything.
  const isFile = origin !== 'code' && !origin.startsWith('env ');
  const found = path.length === 1 && isFile ? undefined : valueAt(tree, path);
  return { subject, found, allowed: keys.join(', ') || 'no keys', remedy, origin };
}

/**
 * The known name that was most likely meant, or undefined if no name is close. Case, `_` and `-` do not count, so
 * `snip_threshold` finds `snipThreshold`.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name);
  // One error per three letters: with more errors, and in short names (`trim`, `caps`), names would suggest each other.
  let best = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let found: string | undefined;
  for (const candidate of known) {
    const other = plain(candidate);
    const errors = Math.abs(wanted.length - other.length) < best ? distance(wanted, other) : best;
    if (errors >= best) continue;
    best = errors;
    found = candidate;
  }
  return found;
}

/** The only known name with this beginning: `snip` among the thresholds is `snipThreshold`. */
function onlyCompletionOf(name: string, known: readonly string[]): string | undefined {
  const [found, ...more] = known.filter((one) => plain(one).startsWith(plain(name)));
  return name.length > 2 && more.length === 0 ? found : undefined;
}

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/** Levenshtein distance by rows (Wagner and Fischer, 1974). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min(row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), row[j]! + 1, next[j - 1]! + 1));
    row = next;
  }
  return row[b.length]!;
}
