/** Readers of recorded sessions: files that other agents write, and requests of any wire format. */
export { unreadable, type FileLike } from './bytes.js';
export { formatNames, readJson, readJsonFile, readSession, type JsonFile, type ReadOptions } from './read.js';
export { wireOf } from './requests.js';
export type { ReadSession } from './recording.js';
