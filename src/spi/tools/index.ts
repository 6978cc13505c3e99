export { remembered } from './remembered.js';
export { isSettled, resultsOf, shownParts, type ResultPart, type ShownPart } from './results.js';
export { blocksOf, freeRuns, groupsOf, overheadOf, runsOf, spanOf, type Block, type Span } from './spans.js';
export {
  digestMessage,
  freshTokens,
  FULL_ENOUGH,
  LITTLE_STANDING,
  MOST_OF_SPAN,
  pinnedIn,
  pinnedTokens,
  promisedBy,
  SQUEEZED_TOKENS,
  summarise,
  summaryMessage,
  type Summariser,
} from './summarise.js';
