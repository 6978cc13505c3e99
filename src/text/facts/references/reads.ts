import type { Action } from '../calls/actions.js';
import type { ReadStatus, Supersession } from './references.js';

/** A call of an exchange, and the length of its answer; `answerChars` is undefined while there is none. */
interface Call {
  readonly action: Action;
  answerChars: number | undefined;
}

/** The newest successful answer to a question. */
interface Answer {
  readonly exchange: number;
  readonly chars: number;
}

/**
 * An answer to a read that is shorter than this share of an older one does not replace it: agents' tools answer a
 * second read with "unchanged since the last one", or with an error that is not marked as one.
 */
const MIN_SHARE = 0.5;

const CURRENT = { status: 'current' } as const;

/**
 * The history of questions and their answers. Looks and runs are questions: the newest answer of a test run or a status
 * is the valid one. Writes are events, not questions. Calls to tools that stream (`other`) are no questions either,
 * because every answer is new.
 */
export class ReadHistory {
  readonly #calls = new Map<number, Call[]>();
  readonly #pending = new Map<string, Call>();
  readonly #answers = new Map<string, Answer>();
  /** The newest exchange by path: a read of the whole file, a write of the whole (or its end), a partial change. */
  readonly #wholeReads = new Map<string, Answer>();
  readonly #rewrites = new Map<string, number>();
  readonly #edits = new Map<string, number>();

  addCall(exchange: number, callId: string, action: Action): void {
    const call: Call = { action, answerChars: undefined };
    this.#add(exchange, call);
    // Some logs reuse call ids; the newest call is the one that waits.
    this.#pending.set(callId, call);
  }

  /** Whether an open call writes a file by a tool for files. */
  isWrite(callId: string): boolean {
    return this.#pending.get(callId)?.action.kind === 'write';
  }

  addAnswer(exchange: number, callId: string, chars: number, isError: boolean): void {
    const call = this.#pending.get(callId);
    if (!call) return;
    this.#pending.delete(callId);
    if (this.#calls.get(exchange)?.includes(call)) call.answerChars = chars;
    // A late answer is an exchange of its own: the call stays unanswered in its exchange, and is judged here.
    else this.#add(exchange, { ...call, answerChars: chars });
    if (!isError) this.#record(exchange, call.action, chars);
  }

  status(exchange: number): ReadStatus {
    return this.#judge(exchange).status;
  }

  supersededBy(exchange: number): Supersession | undefined {
    return this.#judge(exchange).by;
  }

  /** Repeated if every call is; superseded if every call is one or the other. */
  #judge(exchange: number): { readonly status: ReadStatus; readonly by?: Supersession } {
    const calls = this.#calls.get(exchange);
    if (!calls) return CURRENT;
    let by: Supersession | undefined;
    for (const call of calls) {
      if (call.answerChars === undefined) return CURRENT;
      if (this.#isRepeated(exchange, call)) continue;
      const one = this.#supersession(exchange, call);
      if (!one) return CURRENT;
      if (by !== 'edit') by = one;
    }
    return by ? { status: 'superseded', by } : { status: 'repeated' };
  }

  #add(exchange: number, call: Call): void {
    const calls = this.#calls.get(exchange);
    if (calls) calls.push(call);
    else this.#calls.set(exchange, [call]);
  }

  #record(exchange: number, action: Action, chars: number): void {
    const { kind, key, touches } = action;
    const answer: Answer = { exchange, chars };
    if (kind === 'read' || kind === 'search' || kind === 'run')
      replace(this.#answers, key, answer, kind === 'read');
    for (const { path, how, range } of touches) {
      if (how === 'modified') this.#edits.set(path, exchange);
      else if (how !== 'read') this.#rewrites.set(path, exchange);
      else if (kind === 'read' && range === undefined) replace(this.#wholeReads, path, answer, true);
    }
  }

  #isRepeated(exchange: number, { action, answerChars }: Call): boolean {
    const newest = this.#answers.get(action.key);
    if (!newest || newest.exchange <= exchange) return false;
    return action.kind !== 'read' || newest.chars >= answerChars! * MIN_SHARE;
  }

  #supersession(exchange: number, { action, answerChars }: Call): Supersession | undefined {
    if (action.kind !== 'read' || action.touches.length === 0) return undefined;
    let by: Supersession = 'rewrite';
    for (const { path } of action.touches) {
      const read = this.#wholeReads.get(path);
      const isReadAgain =
        read !== undefined && read.exchange > exchange && read.chars >= answerChars! * MIN_SHARE;
      if (isReadAgain || (this.#rewrites.get(path) ?? -1) > exchange) continue;
      if ((this.#edits.get(path) ?? -1) <= exchange) return undefined;
      by = 'edit';
    }
    return by;
  }
}

/** Keeps the newest answer, unless it is a read too short to replace the one before. */
function replace(answers: Map<string, Answer>, key: string, answer: Answer, isRead: boolean): void {
  const known = answers.get(key);
  if (!known || !isRead || answer.chars >= known.chars * MIN_SHARE) answers.set(key, answer);
}
