/** Facts in calls and their words, without a model: each folder uses only those before it. */

// calls: the action of any tool's call, by its name and arguments, and whether its result reports a refusal.
export { actionOf, joinWords, type Action } from './calls/actions.js';
export {
  commandsInScript,
  innerCall,
  parseArguments,
  patchInScript,
  type CallArguments,
} from './calls/call-arguments.js';
export { commandOf, parametersOf } from './calls/parameters.js';
export { isRefused, reportsFailure, statusIn, wasNotRun } from './calls/status.js';
export { verbOf } from './calls/tool-verbs.js';

// secrets: texts that must not be written again.
export { matchesRedacted } from './secrets/hides.js';
export { LogRedaction } from './secrets/log-redaction.js';
export { createRedact, type Redact, type Redacted } from './secrets/redact.js';
export { SecretBook } from './secrets/secret-book.js';

// references: the exchanges that later exchanges use.
export { ReferenceIndex } from './references/reference-index.js';
export type { References, ReadStatus, Supersession } from './references/references.js';
export { TrustIndex, trustOf } from './references/trust.js';
export { scanWords, SCAN_HEAD_CHARS, SCAN_TAIL_CHARS } from './references/words.js';
