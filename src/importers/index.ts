/** Readers of recorded sessions: what other agents write to disk, and requests of any wire format. */
export type { ReadSession } from './importer.js';
export { readJson, readSession, type ReadOptions } from './read.js';
export { formatNames } from './registry.js';
export { unreadable } from './reading/faults.js';
export type { Progress } from './reading/source.js';
export { wireOf } from './recognise.js';
