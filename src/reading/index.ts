export {
  hostSummaryIn,
  speechesOf,
  userWordsIn,
  type Speaker,
  type Speech,
  type Spoken,
} from './speakers/index.js';
