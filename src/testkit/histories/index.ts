/** Generated sessions: seeded, without a test framework. */
export { Dice } from './dice.js';
export { historyOf, type HistoryOptions } from './history.js';
export { ORDERLY, TRAITS, type Trait } from './traits.js';
