import type { Action } from './actions.js';
import type { ReadStatus } from './references.js';

/** A call of an exchange, and how long its answer was; `answered` undefined while it has none. */
interface Call {
  readonly action: Action;
  /** Log position of the call. */
  readonly seq: number;
  answered: number | undefined;
}

/** The newest good answer to a question. */
interface Answer {
  readonly exchange: number;
  readonly chars: number;
}

/**
 * An answer to a read that is shorter than this share of an older one is no substitute for it: agents' tools answer
 * a second read with "unchanged since the last one", or with an error that nothing marks as one.
 */
const MIN_SHARE = 0.5;

/**
 * What was asked when, and what became of it. Looks and runs count as questions: of a test run or a status the newest
 * answer is the true one. Writes never do; they are events, not questions. Neither do calls to tools that stream
 * (`other`), whose every answer is new.
 */
export class ReadHistory {
  readonly #calls = new Map<number, Call[]>();
  readonly #pending = new Map<string, Call>();
  readonly #answers = new Map<string, Answer>();
  /** Newest read of a whole file, and newest change of it, by path. */
  readonly #wholeReads = new Map<string, Answer>();
  readonly #changes = new Map<string, number>();

  call(exchange: number, seq: number, callId: string, action: Action): void {
    const call: Call = { action, seq, answered: undefined };
    this.#add(exchange, call);
    // Call ids come back in some logs; the newest call is the one that waits.
    this.#pending.set(callId, call);
  }

  /** Returns what was done and where it was asked for, if the call is known and did not fail. */
  answer(
    exchange: number,
    callId: string,
    chars: number,
    isError: boolean,
  ): Pick<Call, 'action' | 'seq'> | undefined {
    const call = this.#pending.get(callId);
    if (!call) return undefined;
    this.#pending.delete(callId);
    if (this.#calls.get(exchange)?.includes(call)) call.answered = chars;
    // A late answer is an exchange of its own: the call stays unanswered where it stands, and is judged here.
    else this.#add(exchange, { ...call, answered: chars });
    if (isError) return undefined;
    this.#note(exchange, call.action, chars);
    return call;
  }

  status(exchange: number): ReadStatus {
    const calls = this.#calls.get(exchange);
    if (!calls) return 'current';
    let status: ReadStatus = 'repeated';
    for (const call of calls) {
      if (call.answered === undefined) return 'current';
      if (this.#isRepeated(exchange, call)) continue;
      if (!this.#isSuperseded(exchange, call)) return 'current';
      status = 'superseded';
    }
    return status;
  }

  #add(exchange: number, call: Call): void {
    const calls = this.#calls.get(exchange);
    if (calls) calls.push(call);
    else this.#calls.set(exchange, [call]);
  }

  #note(exchange: number, action: Action, chars: number): void {
    const { kind, key, touches } = action;
    const answer: Answer = { exchange, chars };
    if (kind === 'read' || kind === 'search' || kind === 'run')
      replace(this.#answers, key, answer, kind === 'read');
    for (const { path, how, range } of touches) {
      if (how !== 'read') this.#changes.set(path, exchange);
      else if (kind === 'read' && range === undefined) replace(this.#wholeReads, path, answer, true);
    }
  }

  #isRepeated(exchange: number, { action, answered }: Call): boolean {
    const newest = this.#answers.get(action.key);
    if (!newest || newest.exchange <= exchange) return false;
    return action.kind !== 'read' || newest.chars >= answered! * MIN_SHARE;
  }

  #isSuperseded(exchange: number, { action, answered }: Call): boolean {
    if (action.kind !== 'read' || action.touches.length === 0) return false;
    return action.touches.every(({ path }) => {
      if ((this.#changes.get(path) ?? -1) > exchange) return true;
      const read = this.#wholeReads.get(path);
      return read !== undefined && read.exchange > exchange && read.chars >= answered! * MIN_SHARE;
    });
  }
}

/** Keeps the newest answer, unless it is a read too short to stand for the one before. */
function replace(answers: Map<string, Answer>, key: string, answer: Answer, isRead: boolean): void {
  const known = answers.get(key);
  if (!known || !isRead || answer.chars >= known.chars * MIN_SHARE) answers.set(key, answer);
}
