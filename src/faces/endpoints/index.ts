/** What is known of providers' endpoints, beside their wire formats: usage, answers in the model's place, recall as a tool. */
export { MESSAGES } from './anthropic.js';
export {
  ClientRequest,
  isStream,
  lastAnswer,
  report,
  streamedAnswers,
  takeTurn,
  type RecallTurn,
  type Turn,
  type TurnPlace,
} from './turn.js';
export { CHAT } from './chat.js';
export type { Endpoint, Fault } from './endpoint.js';
export { RESPONSES } from './responses.js';
export {
  canRecall,
  gapBetween,
  joinedWords,
  NO_STEP,
  offering,
  restoredMessage,
  summed,
  type RecallCall,
  type RecallStep,
  type RecallStream,
  type RecallWire,
} from './recall/wire.js';
export { firstCount, usageIn } from './usage.js';
