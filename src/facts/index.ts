export type { References, ReadStatus, Supersession } from './references.js';
export { ReferenceIndex } from './reference-index.js';
export { ArtifactIndex, type Artifact } from './artifacts.js';
export { actionOf, type Action } from './actions.js';
export { parseArguments, visitTexts, type CallArguments } from './call-arguments.js';
export type { Touch } from './touch.js';
export { normalizePath } from './paths.js';
export { scanWords, SCAN_HEAD_CHARS, SCAN_TAIL_CHARS, type VisitWord } from './words.js';
