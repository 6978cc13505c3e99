export * from './stage.js';
export * from './view.js';
export * from './token-counter.js';
export * from './wire-format.js';
export * from './summarizer.js';
export * from './session-store.js';
export * from './background-queue.js';
/** What a view speaks of, from the floors below. */
export type { References, ReadStatus, Supersession } from '../facts/index.js';
