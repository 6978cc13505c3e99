import type { PressureEvent } from '../index.js';

/** One stage in a compaction, or in all of them: how often it acted and what that did to the view. */
export interface StageTotals {
  readonly stage: string;
  readonly runs: number;
  readonly edits: number;
  /** Tokens of the view; below 0 where it became smaller. */
  readonly tokens: number;
}

/** A run that was committed. */
export interface Compaction {
  /** Pressure that started it. */
  readonly before: number;
  readonly stages: readonly StageTotals[];
}

/**
 * Collects what stages did, run by run. A run may still come to nothing after its stages have fired, and then nothing
 * of it happened: what they did only counts once the run is committed.
 */
export class Compactions {
  #before = 0;
  #fired: StageTotals[] = [];
  #newest: Compaction | undefined;
  readonly #totals = new Map<string, StageTotals>();

  event(event: PressureEvent): void {
    if (event.kind === 'triggered') {
      this.#before = event.reading.pressure;
      this.#fired = [];
    } else if (event.kind === 'firing' && event.edits > 0) {
      const { stage, edits, tokensBefore, tokensAfter } = event;
      this.#fired.push({ stage, runs: 1, edits, tokens: tokensAfter - tokensBefore });
    } else if (event.kind === 'completed') {
      this.#newest = { before: this.#before, stages: this.#fired };
      for (const fired of this.#fired) this.#add(fired);
    }
  }

  /** The compaction since this was last asked, if there was one. */
  take(): Compaction | undefined {
    const newest = this.#newest;
    this.#newest = undefined;
    return newest;
  }

  /** All compactions by stage. */
  get totals(): ReadonlyMap<string, StageTotals> {
    return this.#totals;
  }

  #add({ stage, edits, tokens }: StageTotals): void {
    const before = this.#totals.get(stage) ?? { runs: 0, edits: 0, tokens: 0 };
    const sum = { runs: before.runs + 1, edits: before.edits + edits, tokens: before.tokens + tokens };
    this.#totals.set(stage, { stage, ...sum });
  }
}
