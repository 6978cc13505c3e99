export type { Speaker, Speech } from './speech.js';
export { hostSummaryIn, speechesOf, userWordsIn, type Spoken } from './speakers.js';
