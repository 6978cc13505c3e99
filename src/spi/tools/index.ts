export { digestMessage } from './digest-message.js';
export { remembered } from './remembered.js';
export { isSettled, resultsOf, shownParts, type ResultPart, type ShownPart } from './results.js';
export { blocksOf, freeRuns, groupsOf, overheadOf, runsOf, spanOf, type Block, type Span } from './spans.js';
export { freshTokens, LITTLE_STANDING, pinnedTokens } from './standing.js';
export {
  FULL_ENOUGH,
  MOST_OF_SPAN,
  pinnedIn,
  promisedBy,
  SQUEEZED_TOKENS,
  summarise,
  summaryMessage,
  type Summariser,
} from './summarise.js';
