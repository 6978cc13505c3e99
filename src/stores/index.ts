export { withDeadline } from './deadline.js';
export { openStore, type StoreOptions } from './open.js';
export { steadyClock } from './steady-clock.js';
export { MemoryStore } from './memory.js';
