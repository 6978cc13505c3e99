import { AsyncLocalStorage } from 'node:async_hooks';
import { TaskQueue } from '../pressure/index.js';
import { SpillwayError } from '../errors/index.js';
import type { Prepared } from './prepared.js';
import type { PrepareOptions } from './requests.js';

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
  readonly #holds = new Set<Promise<unknown>>();
  readonly #sends = new Set<Promise<unknown>>();

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
    // A request is under way, or its stream is still being read.
    while (this.#sends.size > 0 || this.#holds.size > 0) {
      if (isWithin(this))
        throw waitsForItself(
          'a compaction of a session',
          'Compact before the call or after it, or have the next request compacted with session.operator.queue().',
        );
      await this.#calls.done();
      // Of a turn that is over already, too: it was raced with a deadline.
      await Promise.allSettled(this.#sends);
      await this.#settled();
    }
  }

  /** Nothing is compacted on request while this is under way. */
  async sending<T>(send: () => T | Promise<T>): Promise<T> {
    const sent = (async () => send())();
    this.#sends.add(sent);
    try {
      return await sent;
    } finally {
      this.#sends.delete(sent);
    }
  }

  hold(settled: PromiseLike<unknown>): void {
    // One promise of it: what is none holds nothing, and one that begins its work when it is asked is asked once.
    const held = Promise.resolve(settled);
    this.#holds.add(held);
    const release = (): void => void this.#holds.delete(held);
    held.then(release, release);
  }

  async #settled(): Promise<void> {
    while (this.#holds.size > 0) await Promise.allSettled(this.#holds);
  }
}

/** Something that is done by turns, and one turn of it, with the turns of others that it stands in. */
interface Turn {
  readonly of: object;
  readonly around: Turn | undefined;
  isOver: boolean;
}

/** One for all sessions: each storage costs every promise of the process a little. */
const turns = new AsyncLocalStorage<Turn>();

/** The nearest turn that is under way. What was begun in one goes on in it after its end: such are left out. */
const underWay = (turn: Turn | undefined): Turn | undefined => (turn?.isOver ? underWay(turn.around) : turn);

/** Whether this is asked within a turn of `of`, which cannot end before who asks has. */
function isWithin(of: object): boolean {
  let turn = underWay(turns.getStore());
  while (turn && turn.of !== of) turn = underWay(turn.around);
  return turn !== undefined;
}

/** A task that knows that it is a turn of `of`, and where it was asked for. */
function turnOf<T>(of: object, task: () => Promise<T>): () => Promise<T> {
  const around = underWay(turns.getStore());
  return async () => {
    const turn: Turn = { of, around, isOver: false };
    try {
      return await turns.run(turn, task);
    } finally {
      turn.isOver = true;
    }
  };
}

/** Of what would wait for ever. */
const waitsForItself = (what: string, instead: string): SpillwayError =>
  new SpillwayError('CALL_WITHIN_CALL', {
    subject: what,
    found: 'asked for within a call of the same session, which it would wait for',
    remedy: instead,
  });
