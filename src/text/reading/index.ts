export { hostSummaryIn, isTalk, speechesOf, textBy, userWordsIn, type SpokenMessage } from './speakers.js';
export type { Speech } from './documents.js';
export type { Speaker } from './speaker-table.js';
export { headOf, oneLine, plainName, quoted, tailOf } from './slices.js';
export { proseOf } from './prose.js';
export { withoutOwnText } from './own-text.js';
export { committedIn, isHostLine, looksFailed, namesFailure, outcomeOf } from './ending.js';
export { passagesOf, type Passage } from './passages.js';
export { conclusiveness } from './conclusions.js';
export {
  recordAnswer,
  callLabel,
  recordVerdict,
  noteOf,
  noteOfResult,
  type CallNote,
  type ResultNote,
} from './call-note.js';
export { mayBind } from './bounds.js';
export { PlanBook, type Plan, type PlanStep } from './plan.js';
export { planIn } from './plan-steps.js';
export { ReplyReader, type Reply } from './replies.js';
