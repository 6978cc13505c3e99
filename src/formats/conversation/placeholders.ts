import type { FilePart } from '../../transcript/index.js';
import type { Report } from './repairs.js';

/** Texts that fill gaps in a request if the log is broken. Models read them: they are plain, labelled, and final. */

/** Sent for a turn or a whole view without content, because no provider accepts an empty one. */
export const EMPTY_TURN = '[nothing was said]';

/** Sent first if requests must begin with the user's turn: the model's words, or what replaces the past, follow it. */
export const OPENING_TURN = '[The conversation so far follows.]';

/** Sent between two assistant turns that may not merge, because signed thinking has to begin its turn. */
export const TURN_BREAK = '[The conversation goes on.]';

/** Sent before instructions that came later than the system prompt, if only a user message can carry them. */
export const MIDWAY_SYSTEM = '[instructions from the operator]';

export const NO_RESULT = '[no result: the call was interrupted]';

export const ORPHAN_RESULT = '[result of a call that is not in this log]';

export function lateResult(callId: string, tool: string): string {
  return `[late result of call ${callId} to ${tool}]`;
}

export function secondResult(callId: string, tool: string): string {
  return `[another result of call ${callId} to ${tool}, which already had one]`;
}

export function unknownRole(role: unknown): string {
  return `[message of unknown role ${typeof role === 'string' ? role : 'none'}]`;
}

/** Names a file that the wire format cannot carry. */
export function fileNote({ mediaType, bytes, name }: Pick<FilePart, 'mediaType' | 'bytes' | 'name'>): string {
  return `[file ${name ? `${name}, ` : ''}${mediaType}, ${bytes} bytes]`;
}

/** The same text in place of a file that is not sent, with a report. */
export function reportedFileNote(part: FilePart, report: Report): string {
  const note = fileNote(part);
  report('file-named', `${note} cannot be sent here; it is named instead`);
  return note;
}
