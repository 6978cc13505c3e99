export type { Speaker, Speech } from './speech.js';
export { hostSummaryIn, speechesOf, textBy, userWordsIn, type Spoken } from './speakers.js';
