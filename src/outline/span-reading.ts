import type { LogMessage } from '../transcript/index.js';
import { CallReader, type CallOutcome } from './calls.js';
import { notesOf, type Line } from './notes.js';
import type { UserWords } from './user-words.js';

/** A span that is longer when first read is not kept: stages read 1,000 messages at most, so its beginning moves on. */
const MOST_KEPT = 900;

/** By the first message: what was read of the span that began there. Messages never change. */
const known = new WeakMap<LogMessage, SpanReading>();

/**
 * What stands in a span of messages, in order. A window of the oldest messages begins where it began in the run before
 * and reaches further, so only what is new in it is read.
 */
export class SpanReading {
  readonly users: UserWords[] = [];
  /** The first of equal ones. */
  readonly decisions: Line[] = [];
  /** Of what is said in prose. */
  chars = 0;
  tokens = 0;
  readonly #read: LogMessage[] = [];
  readonly #calls = new CallReader();
  readonly #decided = new Set<string>();

  static of(messages: readonly LogMessage[]): SpanReading {
    const [first] = messages;
    const before = first && known.get(first);
    const reading = before !== undefined && before.#begins(messages) ? before : new SpanReading();
    reading.#add(messages.slice(reading.#read.length));
    if (first && messages.length <= MOST_KEPT) known.set(first, reading);
    return reading;
  }

  get calls(): readonly CallOutcome[] {
    return this.#calls.calls;
  }

  /** Whether the messages go on from what was read, and say nothing new of it. */
  #begins(messages: readonly LogMessage[]): boolean {
    const read = this.#read;
    if (read.length > messages.length) return false;
    for (let i = 0; i < read.length; i++) if (read[i] !== messages[i]) return false;
    return !this.#calls.answersEarlier(messages.slice(read.length));
  }

  #add(messages: readonly LogMessage[]): void {
    this.#calls.read(messages);
    for (const message of messages) {
      this.#read.push(message);
      const { user, decisions, chars, tokens } = notesOf(message);
      if (user) this.users.push(user);
      for (const decision of decisions) {
        if (this.#decided.has(decision.text)) continue;
        this.#decided.add(decision.text);
        this.decisions.push(decision);
      }
      this.chars += chars;
      this.tokens += tokens;
    }
  }
}
