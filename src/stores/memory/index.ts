export { MemoryStore } from './store.js';
export { MessageRanking } from './ranking.js';
