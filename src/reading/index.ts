export {
  hostSummaryIn,
  speechesOf,
  textBy,
  userWordsIn,
  type Speaker,
  type Speech,
  type Spoken,
} from './speakers/index.js';
export { headOf, oneLine, tailOf } from './slices.js';
export { quoted } from './quoted.js';
export { plainName } from './tool-name.js';
export { proseOf } from './prose.js';
export { withoutOwnText } from './own-text.js';
export { tellsOfFailure } from './ending.js';
export { looksFailed, outcomeOf } from './outcome.js';
export { noteOfResult, type ResultNote } from './result-note.js';
export { passagesOf, type Passage } from './passages.js';
export { reportIn } from './reports.js';
export { RunningCommands } from './running.js';
export { conclusiveness } from './conclusions.js';
export { answer, callLabel, judge, mends, noteOf, type CallNote } from './call-note.js';
export { joinedLines, sentencesOf } from './sentences.js';
export { boundsBySentence } from './statements/bounds.js';
export { ReplyReader, wordsOf, type Reply } from './replies/index.js';
export { StatementIndex } from './statements/statements.js';
export { claimRef } from './statements/claim.js';
export type { Claim, ClaimKind, ClaimStatus } from './statements/claim.js';
