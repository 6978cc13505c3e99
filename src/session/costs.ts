import type { UsageEntry } from '../spi/index.js';
import type { PriceOf, Usage } from '../tokens/index.js';
import type { ModelCall } from '../transcript/index.js';

/** Sums over calls; they only grow, whatever is compacted or undone. */
export interface CostLine {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** US dollars of the calls whose price is known. */
  readonly cost: number;
  /** Calls whose price is not known: where there are any, `cost` is a lower bound. */
  readonly unpriced: number;
}

/** What the agent's own calls cost, and what its compaction does. */
export interface Costs {
  readonly primary: CostLine;
  readonly compactor: CostLine;
}

export interface SpendingLimits {
  readonly maxCost: number | null;
  readonly maxTokens: number | null;
}

const NOTHING: CostLine = {
  calls: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  cost: 0,
  unpriced: 0,
};

/** The spending of one agent path. */
export class CostBook {
  readonly #priceOf: PriceOf;
  /** The model that the agent's own calls go to. */
  model: string | null;
  /** Hears of every call, as it is stored. */
  onSpent: ((entry: UsageEntry) => void) | undefined;
  #primary = NOTHING;
  #compactor = NOTHING;

  constructor(model: string | null, priceOf: PriceOf) {
    this.model = model;
    this.#priceOf = priceOf;
  }

  get totals(): Costs {
    return { primary: this.#primary, compactor: this.#compactor };
  }

  addPrimary(usage: Usage): void {
    const cost = this.model === null ? null : this.#priceOf(this.model, usage);
    this.#primary = plus(this.#primary, usage, cost);
    this.onSpent?.({ line: 'primary', model: this.model ?? '', ...plus(NOTHING, usage, cost) });
  }

  addCall({ usage, cost, model = '' }: ModelCall): void {
    this.#compactor = plus(this.#compactor, usage, cost);
    this.onSpent?.({ line: 'compactor', model, ...plus(NOTHING, usage, cost) });
  }

  /** Takes up sums that were stored. */
  restore(entries: readonly UsageEntry[]): void {
    for (const { line, model: _, ...sums } of entries) {
      if (line === 'primary') this.#primary = together(this.#primary, sums);
      else this.#compactor = together(this.#compactor, sums);
    }
  }

  /** Why no further summary may be bought; undefined while one may. */
  stopped({ maxCost, maxTokens }: SpendingLimits): string | undefined {
    const { cost, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = this.#compactor;
    const tokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
    if (maxCost !== null && cost >= maxCost)
      return `was not bought: the session has spent its ${maxCost} dollars`;
    if (maxTokens !== null && tokens >= maxTokens)
      return `was not bought: the session has spent its ${maxTokens} tokens`;
    return undefined;
  }
}

function plus(line: CostLine, usage: Usage | undefined, cost: number | null): CostLine {
  return Object.freeze({
    calls: line.calls + 1,
    inputTokens: line.inputTokens + positive(usage?.inputTokens),
    cacheReadTokens: line.cacheReadTokens + positive(usage?.cacheReadTokens),
    cacheWriteTokens: line.cacheWriteTokens + positive(usage?.cacheWriteTokens),
    outputTokens: line.outputTokens + positive(usage?.outputTokens),
    cost: line.cost + positive(cost ?? 0),
    unpriced: line.unpriced + (cost === null ? 1 : 0),
  });
}

function together(one: CostLine, other: CostLine): CostLine {
  const names = Object.keys(NOTHING) as (keyof CostLine)[];
  return Object.freeze(
    Object.fromEntries(names.map((name) => [name, one[name] + other[name]])),
  ) as unknown as CostLine;
}

/** Reported figures come from outside; one that is none must not spoil the sum. */
function positive(count: number | undefined): number {
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : 0;
}
