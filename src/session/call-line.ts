import { TaskQueue } from '../pressure/index.js';
import type { Prepared } from './prepared.js';
import type { PrepareOptions } from './requests.js';
import { isWithin, turnOf, waitsForItself } from './within.js';

/** What a call may do while it is under way. */
export interface Flight<Message = unknown> {
  /** Holds the next call, and compactions that are asked for, until this is settled: the rest of a stream. */
  until(settled: PromiseLike<unknown>): void;
  /** A request within this call: prepared, sent, and sent once more where it was too long. */
  again<Answer>(
    send: (request: Prepared<Message>) => Answer | Promise<Answer>,
    options?: PrepareOptions,
  ): Promise<Answer>;
}

/** The calls of one session: one at a time, each until its stream has ended. */
export class CallLine {
  readonly #calls = new TaskQueue();
  readonly #holds = new Set<PromiseLike<unknown>>();
  #sending = 0;

  /** Whether a request is under way, or its stream is still being read. */
  get #isBusy(): boolean {
    return this.#sending > 0 || this.#holds.size > 0;
  }

  /** Does this when all calls before it are over. Rejects with `CALL_WITHIN_CALL` where one of them is who asks. */
  async next<T>(task: () => Promise<T>): Promise<T> {
    if (isWithin(this))
      throw waitsForItself(
        'a call of a session',
        'Send further requests of one turn with flight.again(), or wait for the call before you begin the next one.',
      );
    const turn = turnOf(this, task);
    return this.#calls.do(async () => {
      await this.#settled();
      return turn();
    });
  }

  /** Resolves when nothing is under way. Rejects with `CALL_WITHIN_CALL` where that is who asks. */
  async idle(): Promise<void> {
    while (this.#isBusy) {
      if (isWithin(this))
        throw waitsForItself(
          'a compaction of a session',
          'Compact before the call or after it, or have the next request compacted with session.operator.queue().',
        );
      await this.#calls.done();
      await this.#settled();
    }
  }

  /** Nothing is compacted on request while this is under way. */
  async sending<T>(send: () => T | Promise<T>): Promise<T> {
    this.#sending++;
    try {
      return await send();
    } finally {
      this.#sending--;
    }
  }

  hold(settled: PromiseLike<unknown>): void {
    this.#holds.add(settled);
    const release = (): void => void this.#holds.delete(settled);
    settled.then(release, release);
  }

  async #settled(): Promise<void> {
    while (this.#holds.size > 0) await Promise.allSettled(this.#holds);
  }
}
