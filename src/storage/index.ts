export { openStore, type StoreOptions } from './open.js';
export { MemoryStore } from './memory/index.js';
