import type { Fault } from '../errors/index.js';
import { allowed, schemaAt } from './allowed.js';
import type { Finding } from './checks.js';
import { nearest } from './nearest.js';
import { envName, isMapping, showPath, valueAt, type Path } from './path.js';
import type { JsonSchema, Section, Shape } from './shape.js';

/** Where a value came from: `default`, `profile agent`, `file spillway.yaml`, `env SPILLWAY_TARGET`, `code`. */
export type Origin = 'default' | `profile ${string}` | `file ${string}` | `env SPILLWAY_${string}` | 'code';

/** The kinds of layers, lowest first. */
const LAYERS: readonly string[] = ['default', 'profile', 'file', 'env', 'code'];

/** A fault in the configuration, with the layer the value came from. */
export interface ConfigFault extends Fault {
  readonly origin: Origin;
}

/** The parts of a zod issue that are read here; a plugin's own zod may be another version. */
export interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Issue[])[];
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** What the faults of a parse are told about: the tree that was parsed, its shape, and who set what. */
export interface Parsed {
  readonly tree: unknown;
  readonly root: Section;
  origin(path: string): Origin;
}

/** One zod issue as faults; `below` is the path of the schema that was parsed, e.g. `stages.snip`. */
export function issueFaults(issue: Issue, parsed: Parsed, below: Path = []): ConfigFault[] {
  const path: Path = [...below, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  if (issue.code === 'unrecognized_keys' && issue.keys) {
    return issue.keys.map((key) => unknownKey(key, path, parsed));
  }
  if (issue.code === 'invalid_union' && issue.errors) {
    // A branch that complains about something inside the value is the one that was meant.
    const meant = issue.errors.find(
      (issues) => issues.length > 0 && issues.every((inner) => inner.path.length > 0),
    );
    if (meant) return meant.flatMap((inner) => issueFaults(inner, parsed, path));
  }
  const finding = issue.params?.['finding'];
  if (isFinding(finding)) return [findingFault(finding, parsed)];
  const subject = showPath(path);
  const origin = parsed.origin(subject);
  const found = valueAt(parsed.tree, path);
  const why = issue.code === 'custom' ? issue.message : '';
  const remedy = [why, found === undefined ? giveIt(path) : changeIn(origin)]
    .filter((part) => part)
    .join(' ');
  return [{ subject, found, allowed: allowed(jsonAt(parsed.root, path)) || issue.message, remedy, origin }];
}

/** A rule between settings is reported at the one set last (in the highest layer), not at what it collides with. */
export function findingFault(finding: Finding, parsed: Parsed): ConfigFault {
  const sides = [finding, ...(finding.otherwise ?? [])];
  const rank = ({ path }: (typeof sides)[number]) =>
    LAYERS.indexOf(parsed.origin(showPath(path)).split(' ')[0]!);
  const side = sides.reduce((highest, other) => (rank(other) > rank(highest) ? other : highest));
  const subject = showPath(side.path);
  const origin = parsed.origin(subject);
  const remedy = `${finding.remedy} ${changeIn(origin)}`;
  return { subject, found: valueAt(parsed.tree, side.path), allowed: side.allowed, remedy, origin };
}

/** Only Settings writes findings; a plugin's schema may use the word for something else. */
function isFinding(value: unknown): value is Finding {
  return isMapping(value) && Array.isArray(value['path']) && typeof value['remedy'] === 'string';
}

export function changeIn(origin: Origin): string {
  if (origin === 'default') return 'Set it in a file, in the environment or in code.';
  if (origin === 'code') return 'Change it in the overrides given in code.';
  if (origin.startsWith('env ')) return `Change or unset ${origin.slice('env '.length)}.`;
  return `Change it in ${origin}.`;
}

function giveIt(path: Path): string {
  return `Give it a value in a file, in ${envName(path)} or in code.`;
}

function unknownKey(key: string, path: Path, parsed: Parsed): ConfigFault {
  const here = [...path, key];
  const origin = parsed.origin(showPath(here));
  const keys = Object.keys(jsonAt(parsed.root, path).properties ?? {});
  const meant = nearest(key, keys);
  return unknownKeyFault({ path: here, value: valueAt(parsed.tree, here), keys, meant, origin });
}

/** A key that nobody knows, `meant` being the nearest that somebody does. */
export function unknownKeyFault({ path, value, keys, meant, origin }: UnknownKey): ConfigFault {
  const remedy = `${meant ? `Did you mean ${meant}? ` : 'Unknown key. '}${changeIn(origin)}`;
  // At the top of a file without its value: a file that is no configuration at all may hold anything.
  const isFile = origin !== 'code' && !origin.startsWith('env ');
  const found = path.length === 1 && isFile ? undefined : value;
  return { subject: showPath(path), found, allowed: keys.join(', ') || 'no keys', remedy, origin };
}

interface UnknownKey {
  readonly path: Path;
  readonly value: unknown;
  /** Those that it could be. */
  readonly keys: readonly string[];
  readonly meant: string | undefined;
  readonly origin: Origin;
}

function jsonAt(root: Section, path: Path): JsonSchema {
  let shape: Shape = root;
  for (const [index, key] of path.entries()) {
    const child: Shape | undefined =
      shape.kind === 'section'
        ? shape.keys.get(String(key))
        : shape.kind === 'table'
          ? shape.entry
          : undefined;
    if (!child) return schemaAt(shape.json, path.slice(index));
    shape = child;
  }
  return shape.json;
}
