/** A handle names what was compacted, so that it can be read back: `m12`, `m12#0` (one part), `m3..m9` (a span). */
export type Handle = string;

/** How a text names what can be read back. */
export type Mark = (handle: Handle) => string;

/** Tells to recall it only where the agent has the tool: elsewhere the handle stands alone, for operators. */
export const markFor = (recall = false): Mark =>
  recall ? (handle) => `recall ${handle}` : (handle) => handle;

/** Of one part of a message; parts count from 0. */
export function partHandle(messageId: string, partIndex: number): Handle {
  return `${messageId}#${partIndex}`;
}

/** Of a span, by the ids of its first and last message, both inside. */
export function spanHandle(fromId: string, toId: string): Handle {
  return fromId === toId ? fromId : `${fromId}..${toId}`;
}
