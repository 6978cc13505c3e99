export { openStore, type StoreOptions } from './open.js';
export { MemoryStore, MessageRanking } from './memory/index.js';
export { wordsOfQuery, wordsOfText, type WordCounts } from './words.js';
