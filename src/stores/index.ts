export { withDeadline } from './deadline.js';
export { openStore, type StoreOptions } from './open.js';
export { steadyClock } from './steady-clock.js';
export { memoryStore } from './memory.js';
