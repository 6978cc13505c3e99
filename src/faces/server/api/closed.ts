import { SpillwayError } from '../../../errors/index.js';

/**
 * Settings that no HTTP request changes, for all agents or for one: access to the service, the store, the code that
 * runs, the endpoints and keys of summarizers, the definition of secrets, and the files that are read or written.
 */
const CLOSED: readonly (readonly string[])[] = [
  ['server'],
  ['store'],
  ['plugins'],
  ['summarizerModel'],
  ['summarizerAgents'],
  ['redact'],
  ['redactLog'],
  ['agentFiles'],
  ['fill', 'prompts'],
  ['fill', 'promptFiles'],
  ['pins', 'sources'],
  ['pins', 'root'],
];

const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a setting is closed. `agents.PATH.store` is closed like `store`. */
export function isClosed(path: readonly string[]): boolean {
  const own = path[0] === 'agents' ? path.slice(2) : path;
  return CLOSED.some((closed) => closed.every((key, i) => own[i] === key));
}

/** Throws `CONFIG_INVALID` if `value` at `path` changes a setting that only files, environment and code may change. */
export function checkOpen(path: readonly string[], value: unknown): void {
  const found = closedIn(path, value);
  if (!found) return;
  throw new SpillwayError('CONFIG_INVALID', {
    subject: found.join('.'),
    found: 'a change by the HTTP API',
    allowed: 'files, environment and code',
    remedy:
      'Access, the store, code to run, endpoints of summarizers and files to read can be set only there.',
  });
}

/** Settings that take a name or a path. HTTP may set only a name: with a path, the service would read any file. */
const NAMES: ReadonlySet<string | undefined> = new Set(['prompt', 'profile']);
const isPath = (value: unknown): boolean =>
  typeof value === 'string' && /[\\/]|\.(?:md|ya?ml|json)$/.test(value);

/** The first closed path in a change, at any depth of its value. */
function closedIn(path: readonly string[], value: unknown): readonly string[] | undefined {
  if (isClosed(path) || path.some((key) => UNSAFE.has(key))) return path;
  if (NAMES.has(path.at(-1)) && isPath(value)) return path;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = closedIn([...path, key], inner);
    if (found) return found;
  }
  return undefined;
}
