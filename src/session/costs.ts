import type { UsageEntry } from '../spi/index.js';
import { inputOf, type PriceOf, type Usage } from '../tokens/index.js';
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
  /** Of `primary`: what automatic recall brought back into its requests, each time that it was sent. */
  readonly recalled: CostLine;
}

interface SpendingLimits {
  readonly maxCost: number | null;
  readonly maxTokens: number | null;
}

export const tokensOf = (line: Omit<CostLine, 'calls' | 'cost' | 'unpriced'>): number =>
  line.inputTokens + line.cacheReadTokens + line.cacheWriteTokens + line.outputTokens;

const NOTHING: CostLine = {
  calls: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  cost: 0,
  unpriced: 0,
};

const NO_COSTS: Costs = { primary: NOTHING, compactor: NOTHING, recalled: NOTHING };

/** Sums that were stored, by line. */
export function costsOf(entries: readonly UsageEntry[]): Costs {
  const costs = { ...NO_COSTS };
  for (const { line, model: _, ...sums } of entries) costs[line] = together(costs[line], sums);
  return costs;
}

/** The spending of one agent path. */
export class CostBook {
  readonly #priceOf: PriceOf;
  /** Hears of every call, as it is stored. */
  onSpent: ((entry: UsageEntry) => void) | undefined;
  readonly #project: ProjectCosts | undefined;
  #totals = NO_COSTS;

  /** `project` hears of every call as well. */
  constructor(priceOf: PriceOf, project?: ProjectCosts) {
    this.#priceOf = priceOf;
    this.#project = project;
  }

  get totals(): Costs {
    return this.#totals;
  }

  /**
   * `model`: that the agent's own call went to; null where none was named. `recalled`: tokens of its request that automatic
   * recall brought back, paid at what its input cost on the whole, cached or not.
   */
  addPrimary(usage: Usage, model: string | null, recalled = 0): void {
    const cost = model === null ? null : this.#priceOf(model, usage);
    this.#add('primary', model ?? '', usage, cost);
    if (recalled === 0) return;
    const price = model === null ? null : this.#priceOf(model, { ...usage, outputTokens: 0 });
    const share = Math.min(1, recalled / Math.max(1, inputOf(usage) || 0));
    const part = { inputTokens: recalled, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    this.#add('recalled', model ?? '', part, price === null ? null : price * share);
  }

  addCall({ usage, cost, model = '' }: ModelCall): void {
    this.#add('compactor', model, usage, cost);
  }

  #add(line: UsageEntry['line'], model: string, usage: Usage | undefined, cost: number | null): void {
    const sums = plus(NOTHING, usage, cost);
    this.#totals = { ...this.#totals, [line]: together(this.#totals[line], sums) };
    this.#tell({ line, model, ...sums });
  }

  #tell(entry: UsageEntry): void {
    this.#project?.add(entry);
    this.onSpent?.(entry);
  }

  /** Takes up sums that were stored. */
  restore(entries: readonly UsageEntry[]): void {
    for (const { line, model: _, ...sums } of entries)
      this.#totals = { ...this.#totals, [line]: together(this.#totals[line], sums) };
  }

  /** Why no further summary may be bought; undefined while one may. */
  stopped({ maxCost, maxTokens }: SpendingLimits): string | undefined {
    const { compactor } = this.#totals;
    const { cost } = compactor;
    const tokens = tokensOf(compactor);
    if (maxCost !== null && cost >= maxCost)
      return `was not bought: the session has spent its ${maxCost} dollars`;
    if (maxTokens !== null && tokens >= maxTokens)
      return `was not bought: the session has spent its ${maxTokens} tokens`;
    return undefined;
  }
}

/** The spending of all sessions of one engine, and how much of it within the hour. */
export class ProjectCosts {
  readonly #clock: () => number;
  #totals = NO_COSTS;
  /** Calls of summarizers of the last hour, oldest first. */
  #recent: { readonly at: number; readonly cost: number; readonly tokens: number }[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get totals(): Costs {
    return this.#totals;
  }

  add({ line, model: _, ...sums }: UsageEntry): void {
    this.#totals = { ...this.#totals, [line]: together(this.#totals[line], sums) };
    if (line === 'compactor')
      this.#recent.push({ at: this.#clock(), cost: sums.cost, tokens: tokensOf(sums) });
  }

  /** Why no further summary may be bought for now; undefined while one may. */
  stopped({ maxCostPerHour, maxTokensPerHour }: HourlyLimits): string | undefined {
    if (maxCostPerHour === null && maxTokensPerHour === null) return undefined;
    const from = this.#clock() - HOUR_MS;
    this.#recent = this.#recent.filter(({ at }) => at > from);
    const sum = (of: 'cost' | 'tokens'): number => this.#recent.reduce((total, call) => total + call[of], 0);
    if (maxCostPerHour !== null && sum('cost') >= maxCostPerHour)
      return `was not bought: all sessions together have spent the ${maxCostPerHour} dollars of this hour`;
    if (maxTokensPerHour !== null && sum('tokens') >= maxTokensPerHour)
      return `was not bought: all sessions together have spent the ${maxTokensPerHour} tokens of this hour`;
    return undefined;
  }
}

interface HourlyLimits {
  readonly maxCostPerHour: number | null;
  readonly maxTokensPerHour: number | null;
}

const HOUR_MS = 3_600_000;

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
