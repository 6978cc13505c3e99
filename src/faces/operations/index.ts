/** What operators do with one session: each verb once, for every face. */
export * from './asking.js';
export * from './compactions.js';
export * from './plans.js';
export * from './stored.js';
export { effectOf } from './effect.js';
export * from './shapes.js';
export { present, type Verb } from './verb.js';
