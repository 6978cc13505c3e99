/** Texts that stand in a request where the log was broken. They are sent to models: plain, labelled, and final. */
export const MIDWAY = '[instructions given at this point]';
export { fileNote, lateResult, NO_RESULT, ORPHAN_RESULT, secondResult, unknownRole } from '../wording.js';
