/** What calls and their words tell, without a model: from the ground up, each folder leans only on those before it. */

// files: what a call touches, and what became of it.
export { ArtifactIndex, type Artifact } from './files/artifacts.js';
export { normalizePath } from './files/paths.js';
export { isChange, type Touch } from './files/touch.js';

// shell: what a command line does.
export { joinWords } from './shell/action.js';
export { commandsInScript, patchInScript } from './shell/scripted.js';

// calls: what any tool's call does, by its name and arguments.
export { actionOf, type Action } from './calls/actions.js';
export { isRecord, parseArguments, visitTexts, type CallArguments } from './calls/call-arguments.js';
export { innerCall } from './calls/inner-call.js';
export { speaksFor } from './calls/check-cover.js';
export { tellsOf, type Tells } from './calls/check-tells.js';
export { checksOf, mayCheck, type Check } from './calls/checks.js';
export { isRefused, saysFailed } from './calls/refused.js';
export { commandOf, parametersOf } from './calls/parameters.js';
export { statusIn, wasNotRun, withoutStatus } from './calls/status.js';
export { verbOf } from './calls/tool-verbs.js';

// secrets: what must not be written again.
export { hides } from './secrets/hides.js';
export { LogRedaction } from './secrets/log-redaction.js';
export { createRedact, redactFor, type Redact, type Redacted } from './secrets/redact.js';
export { SecretBook } from './secrets/secret-book.js';

// references: which exchange later ones lean on.
export { ReferenceIndex } from './references/reference-index.js';
export type { References, ReadStatus, Supersession } from './references/references.js';
export { TrustIndex, trustOf } from './references/trust.js';
export { scanWords, SCAN_HEAD_CHARS, SCAN_TAIL_CHARS, type VisitWord } from './references/words.js';
