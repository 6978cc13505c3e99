export { outlineOf, replaceBy, standIn, summaryMessage, supersedeBy, type Outline } from './edits.js';
export { remembered } from './remembered.js';
export {
  isSettled,
  readingResults,
  resultsOf,
  shownParts,
  type ResultPart,
  type ShownPart,
} from './results.js';
export {
  blocksOf,
  freeRuns,
  groupsOf,
  overheadOf,
  pinnedIn,
  runsOf,
  spanOf,
  type Block,
  type Span,
} from './spans.js';
export {
  freshTokens,
  FULL_ENOUGH,
  LITTLE_STANDING,
  MOST_OF_SPAN,
  pinnedTokens,
  promisedBy,
  SQUEEZED_TOKENS,
  summarise,
  type Summariser,
} from './summarise.js';
