/** A handle names what was compacted, so that it can be read back: `m12`, `m12#0` (one part), `m3..m9` (a span). */
export type Handle = string;

export function partHandle(messageId: string, partIndex: number): Handle {
  return `${messageId}#${partIndex}`;
}

export function spanHandle(fromId: string, toId: string): Handle {
  return fromId === toId ? fromId : `${fromId}..${toId}`;
}
