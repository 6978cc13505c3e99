import type { FilePart } from '../../transcript/index.js';
import type { Report } from './repairs.js';

/** Texts that stand in a request where the log was broken. They are sent to models: plain, labelled, and final. */

/** Where a turn, or everything in a view, says nothing: no provider takes an empty one. */
export const NOTHING_SAID = '[nothing was said]';

/** Where requests begin with the user's turn: what the model said, or what stands for the past, comes behind this one. */
export const BEGINS = '[The conversation so far follows.]';

/** Between two turns of the assistant that may not become one: signed thinking has to begin its turn. */
export const GOES_ON = '[The conversation goes on.]';

/** Before instructions that came later than the system prompt, where they can only go out as the user's. */
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

/** For files that the wire form cannot carry. */
export function fileNote({ mediaType, bytes, name }: Pick<FilePart, 'mediaType' | 'bytes' | 'name'>): string {
  return `[file ${name ? `${name}, ` : ''}${mediaType}, ${bytes} bytes]`;
}

/** The same in place of a file that is not sent, which is told. */
export function namedInstead(part: FilePart, report: Report): string {
  const note = fileNote(part);
  report('file-named', `${note} cannot be sent here; it is named instead`);
  return note;
}
