import type { LaneCall } from './lane.js';

/** Where two policies first sent something else. */
export interface Difference {
  readonly a: string;
  readonly b: string;
  /** 0-based index of the assistant message of the call. */
  readonly index: number;
  /** Position in the request of the first message that differs. */
  readonly position: number;
  readonly messagesA: number;
  readonly messagesB: number;
  /** The beginning of that message, as each sent it; empty where it sent no more. */
  readonly wordsA: string;
  readonly wordsB: string;
}

const SHOWN_CHARS = 160;

/** Undefined where both sent the same. */
export function differenceOf(
  [a, one]: readonly [name: string, call: LaneCall],
  [b, other]: readonly [name: string, call: LaneCall],
): Difference | undefined {
  const sentA = lines(one);
  const sentB = lines(other);
  const length = Math.max(sentA.length, sentB.length);
  for (let position = 0; position < length; position++) {
    if (sentA[position] === sentB[position]) continue;
    return {
      a,
      b,
      index: one.index,
      position,
      messagesA: sentA.length,
      messagesB: sentB.length,
      wordsA: (sentA[position] ?? '').slice(0, SHOWN_CHARS),
      wordsB: (sentB[position] ?? '').slice(0, SHOWN_CHARS),
    };
  }
  return undefined;
}

/** A call that could not fit sent nothing. */
const lines = ({ prepared }: LaneCall): readonly string[] =>
  prepared?.messages.map((message) => JSON.stringify(message)) ?? [];
