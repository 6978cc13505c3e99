export { stubFor, isStub, plainName, grouped, type StubFacts } from './stub.js';
export { cutText, isCut, type Count, type CutRequest } from './cut.js';
export { cutArguments, levelFor } from './arguments.js';
export { headOf, oneLine, tailOf } from './slices.js';
export { outcomeOf, looksFailed } from './outcome.js';
export { keyLines, type Wanted } from './key-lines.js';
export { callLabel, callsOf, type CallOutcome } from './calls.js';
export { quoted } from './quoted.js';
export { proseOf } from './prose.js';
export { outlineSpan, type Dropped, type Outline, type OutlineRequest } from './span.js';
export {
  claimsText,
  StatementLedger,
  type Claim,
  type ClaimKind,
  type ClaimsRequest,
  type ClaimStatus,
  type Ended,
} from './claims/index.js';
