/** What is known of providers' endpoints, beside their wire formats: usage, answers in the model's place, recall as a tool. */
export { MESSAGES, withoutPrefill } from './anthropic.js';
export { compactedAsAsked, report } from './turn.js';
export { CHAT } from './chat.js';
export type { Endpoint, Fault } from './endpoint.js';
export { RESPONSES } from './responses.js';
export { Recaller } from './recall/recaller.js';
export {
  canRecall,
  gapBetween,
  joinedWords,
  NO_STEP,
  restoredMessage,
  summed,
  withoutRecall,
  type RecallCall,
  type RecallStep,
  type RecallStream,
  type RecallWire,
} from './recall/wire.js';
export { firstCount, usageIn } from './usage.js';
