export { digestMessage } from './digest-message.js';
export { remembered } from './remembered.js';
export { isSettled, resultsOf, shownParts, type ResultPart, type ShownPart } from './results.js';
export { blocksOf, freeRuns, groupsOf, overheadOf, runsOf, spanOf, type Block, type Span } from './spans.js';
export { freshTokens, pinnedTokens } from './standing.js';
export { pinnedIn, promisedBy, summarise, summaryMessage, type Summariser } from './summarise.js';
