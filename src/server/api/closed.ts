import { SpillwayError } from '../../errors/index.js';

/**
 * Settings that no HTTP request changes: who may come in, where sessions are kept, whose code is run, whom summarizers ask with whose
 * key, and what is a secret.
 */
export const CLOSED: readonly string[] = [
  'server',
  'store',
  'plugins',
  'summarizerModel',
  'summarizerAgents',
  'redact',
  'redactLog',
];

const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Throws `CONFIG_INVALID` for a path of settings that only files, environment and code may change. */
export function checkOpen(path: readonly string[]): void {
  if (!CLOSED.includes(path[0] ?? '') && !path.some((key) => UNSAFE.has(key))) return;
  throw new SpillwayError('CONFIG_INVALID', {
    subject: path.join('.'),
    found: 'a change by the HTTP API',
    allowed: 'files, environment and code',
    remedy:
      'Who may come in, where sessions are kept, whose code is run and whom summarizers ask is set there alone.',
  });
}
