/** A handle names compacted content, so that it can be recalled: `m12`, `m12#0` (one part), `m3..m9` (a span). */
export type Handle = string;

/** Writes a handle into a text. */
export type Mark = (handle: Handle) => string;

/** Tells the agent to recall the handle only if it has the tool; otherwise the bare handle is for operators. */
export const markFor = (recall = false): Mark =>
  recall ? (handle) => `recall ${handle}` : (handle) => handle;

/** Handle of one part of a message; parts count from 0. */
export function partHandle(messageId: string, partIndex: number): Handle {
  return `${messageId}#${partIndex}`;
}

/** Handle of a span, from the ids of its first and last message, inclusive. */
export function spanHandle(fromId: string, toId: string): Handle {
  return fromId === toId ? fromId : `${fromId}..${toId}`;
}
