import { AsyncLocalStorage } from 'node:async_hooks';
import { TaskQueue } from '../pressure/index.js';
import { SpillwayError } from '../errors/index.js';
import type { Prepared } from './prepared.js';
import type { PrepareOptions } from './requests.js';

/** Methods for a call while it is in progress. */
export interface Flight<Message = unknown> {
  /** Delays the next call and requested compactions until this promise is settled, for example the end of a stream. */
  until(settled: PromiseLike<unknown>): void;
  /** Makes a request within this call: prepares it, sends it, and sends it once more if it was too long. */
  again<Answer>(
    send: (request: Prepared<Message>) => Answer | Promise<Answer>,
    options?: PrepareOptions,
  ): Promise<Answer>;
}

/** Runs the calls of one session one at a time. A call lasts until its stream has ended. */
export class CallLine {
  readonly #calls = new TaskQueue();
  readonly #holds = new Set<Promise<unknown>>();
  readonly #sends = new Set<Promise<unknown>>();

  /** Runs the task when all earlier calls are over. Rejects with `CALL_WITHIN_CALL` if requested within one of them. */
  async next<T>(task: () => Promise<T>): Promise<T> {
    if (isWithin(this))
      throw waitError(
        'a call of a session',
        'Send further requests of one turn with flight.again(), or wait for the call before you begin the next one.',
      );
    const turn = turnOf(this, task);
    return this.#calls.do(async () => {
      await this.#holdsSettled();
      return turn();
    });
  }

  /** Resolves when no call is in progress. Rejects with `CALL_WITHIN_CALL` if it is requested within a call. */
  async idle(): Promise<void> {
    // A request is in progress, or its stream is still being read.
    while (this.#sends.size > 0 || this.#holds.size > 0) {
      if (isWithin(this))
        throw waitError(
          'a compaction of a session',
          'Compact before the call or after it, or have the next request compacted with session.operator.queue().',
        );
      await this.#calls.done();
      // A turn that lost a race with a deadline is over, but its request may still be in progress.
      await Promise.allSettled(this.#sends);
      await this.#holdsSettled();
    }
  }

  /** No requested compaction runs while this send is in progress. */
  async send<T>(send: () => T | Promise<T>): Promise<T> {
    const sent = (async () => send())();
    this.#sends.add(sent);
    try {
      return await sent;
    } finally {
      this.#sends.delete(sent);
    }
  }

  hold(settled: PromiseLike<unknown>): void {
    // Converted once: a value that is no promise delays nothing, and a lazy thenable must start its work only once.
    const held = Promise.resolve(settled);
    this.#holds.add(held);
    const release = (): void => void this.#holds.delete(held);
    held.then(release, release);
  }

  async #holdsSettled(): Promise<void> {
    while (this.#holds.size > 0) await Promise.allSettled(this.#holds);
  }
}

/** One turn of a call line (`of`), and the turn that it was requested within (`around`). */
interface Turn {
  readonly line: object;
  readonly outer: Turn | undefined;
  isOver: boolean;
}

/** All sessions share one storage, because each storage slows down every promise of the process a little. */
const turns = new AsyncLocalStorage<Turn>();

/** The innermost turn that is not over. Ended turns are skipped: work that outlives its turn still runs within it. */
const openTurn = (turn: Turn | undefined): Turn | undefined => (turn?.isOver ? openTurn(turn.outer) : turn);

/** Whether the caller is within a turn of `of`. Such a turn cannot end before its caller does. */
function isWithin(line: object): boolean {
  let turn = openTurn(turns.getStore());
  while (turn && turn.line !== line) turn = openTurn(turn.outer);
  return turn !== undefined;
}

/** Wraps a task as a turn of `of`, within the turn that requested it. */
function turnOf<T>(line: object, task: () => Promise<T>): () => Promise<T> {
  const outer = openTurn(turns.getStore());
  return async () => {
    const turn: Turn = { line, outer, isOver: false };
    try {
      return await turns.run(turn, task);
    } finally {
      turn.isOver = true;
    }
  };
}

/** The error for work that would wait for itself forever. */
const waitError = (what: string, remedy: string): SpillwayError =>
  new SpillwayError('CALL_WITHIN_CALL', {
    subject: what,
    found: 'a request within a call of the same session, whose end it would wait for',
    remedy,
  });
