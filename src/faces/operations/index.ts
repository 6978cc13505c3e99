/** Operators' actions on one session: each verb is defined once, for every face. */
export * from './asking.js';
export * from './compactions.js';
export * from './plans.js';
export * from './stored.js';
export { effectOf } from './effect.js';
export * from './shapes.js';
export { present, type Verb } from './verb.js';
