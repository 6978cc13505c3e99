import { settledOrAborted } from './each.js';

/** Lets so many in at a time; the others wait in order, no longer than their signal lasts. */
export class Turnstile {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async through<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    let enter = (): void => undefined;
    const turn = new Promise<void>((resolve) => (enter = resolve));
    this.#waiting.push(enter);
    try {
      await settledOrAborted(turn, signal);
    } catch (error) {
      const place = this.#waiting.indexOf(enter);
      // Its turn came in the same moment that it gave up: the next one takes it.
      if (place < 0) this.#leave();
      else this.#waiting.splice(place, 1);
      throw error;
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
