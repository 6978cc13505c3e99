import { isFields, numberIn, type Fields } from '../../wire/index.js';

/** A call of the recall tool, as the model wrote it. */
export interface RecallCall {
  readonly id: string;
  /** JSON text or what it says. */
  readonly arguments: unknown;
}

/** What one answer of the model holds for the loop. */
export interface RecallStep {
  readonly calls: readonly RecallCall[];
  /** The step as it goes into the log, which the client never sees. */
  readonly said: readonly unknown[];
  /** Calls of the client's own tools stand beside: they are for the client to run, and end the loop. */
  readonly hasOthers: boolean;
}

/** One wire, as far as the recall tool goes. */
export interface RecallWire {
  /** The body's field that holds messages. */
  readonly field: string;
  /** The request with the tool in it; undefined where it cannot be offered, or the client has one of that name. */
  offer(body: Fields): Fields | undefined;
  step(answer: Fields): RecallStep;
  /** What answers these calls, as messages of the wire. */
  results(calls: readonly RecallCall[], texts: readonly string[]): readonly unknown[];
  /** The last answer as the client sees it, with the usage of all. */
  visible(answers: readonly Fields[]): Fields;
  stream(): RecallStream;
}

/** The events of all answers of one call, as one stream without the tool. */
export interface RecallStream {
  /** What of an event the client sees now. */
  take(event: Fields): Iterable<Fields>;
  /** The answer has ended; the next event is of another one. */
  endAnswer(): RecallStep;
  /** What was held back until it was known that no further answer comes. */
  finish(): Iterable<Fields>;
}

/** Sums the figures of two reports, field by field. */
export function summed(one: unknown, other: unknown): unknown {
  const [a, b] = [numberIn(one), numberIn(other)];
  if (a !== undefined && b !== undefined) return a + b;
  if (!isFields(one) || !isFields(other)) return other ?? one;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, summed(one[name], other[name])]));
}
