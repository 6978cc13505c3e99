/** Texts that stand in a request where the log was broken. They are sent to models: plain, labelled, and final. */

export const NO_RESULT = '[no result: the call was interrupted]';

export const MIDWAY = '[instructions given at this point]';

export function lateResult(callId: string, tool: string): string {
  return `[late result of call ${callId} to ${tool}]`;
}

export function secondResult(callId: string, tool: string): string {
  return `[another result of call ${callId} to ${tool}, which already had one]`;
}

export const ORPHAN_RESULT = '[result of a call that is not in this log]';

export { unknownRole } from '../wording.js';

/** For files that the wire form cannot carry. */
export function fileNote(mediaType: string, bytes: number, name?: string): string {
  return `[file ${name ? `${name}, ` : ''}${mediaType}, ${bytes} bytes]`;
}
