/** What an engine does between turns, for all its sessions: so much at a time, until it is closed. */
export class Background {
  readonly #atOnce: number;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Whether more may be begun now: nobody waits in a line, whose next turn comes later than their run. */
  get hasRoom(): boolean {
    return !this.isClosed && this.#underWay.size < this.#atOnce;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Begins at once. The signal aborts when the engine is closed. */
  do<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const done = work(this.#closing.signal);
    const over = (): void => void this.#underWay.delete(done);
    this.#underWay.add(done);
    done.then(over, over);
    return done;
  }

  /** Ends what is under way, and waits for it. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The engine was closed.'));
    await Promise.allSettled(this.#underWay);
  }
}
