import type { StageGoal } from '../../spi/index.js';

/** What is still to be reclaimed while candidates are taken one by one. */
export class Need {
  #tokens: number;
  #results: number;
  #saved = 0;

  constructor(goal: StageGoal) {
    this.#tokens = goal.reclaim;
    this.#results = goal.reclaimResults;
  }

  get isMet(): boolean {
    return this.#tokens <= 0 && this.#results <= 0;
  }

  /** Whether tool results are above their cap, which wins over their protection. */
  get capExceeded(): boolean {
    return this.#results > 0;
  }

  /** Whether the whole view, not just its tool results, must still shrink. */
  get viewTooLarge(): boolean {
    return this.#tokens > 0;
  }

  get saved(): number {
    return this.#saved;
  }

  take(tokens: number, ofResults: number): void {
    this.#tokens -= tokens;
    this.#results -= ofResults;
    this.#saved += tokens;
  }
}
