import { setMaxListeners } from 'node:events';
import { Cancelled, Late } from './fault.js';

/** A signal of its own that aborts with the outer one, or when so many milliseconds have passed, and says which. */
export class Limit {
  readonly #own = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #cancel = (): void => {
    const { reason } = this.#outer!;
    this.#own.abort(reason instanceof Late ? reason : new Cancelled());
  };

  constructor(deadlineMs: number | undefined, outer: AbortSignal | undefined) {
    this.#outer = outer;
    // Every call of a run listens to one signal; node takes more than ten for a leak.
    setMaxListeners(0, this.#own.signal);
    if (deadlineMs !== undefined) this.#timer = setTimeout(() => this.#own.abort(new Late()), deadlineMs);
    if (outer?.aborted) this.#cancel();
    outer?.addEventListener('abort', this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** Lets go of timer and listener. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#cancel);
  }
}
