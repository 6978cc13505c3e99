import type { Settings } from '../config/index.js';
import type { UsageEntry } from '../spi/index.js';
import { inputOf, type PriceOf, type Usage } from '../tokens/index.js';
import type { ModelCall } from '../transcript/index.js';

/** Sums over calls. Compaction and undo never lower them. If some calls are unpriced, `cost` is a lower bound. */
export type CostLine = Omit<UsageEntry, 'line' | 'model'>;

/** The costs of the agent's own calls and of its compaction. */
export interface Costs {
  readonly primary: CostLine;
  readonly compactor: CostLine;
  /** The share of `primary` for words that automatic recall put back into requests, counted in each request. */
  readonly recalled: CostLine;
}

type Fill = Settings['fill'];

const tokensOf = (line: Omit<CostLine, 'calls' | 'cost' | 'unpriced'>): number =>
  line.inputTokens + line.cacheReadTokens + line.cacheWriteTokens + line.outputTokens;

/** No call takes more tokens. Any database can hold the sum of millions of such reports. */
const MAX_TOKENS = 1e12;

/** Databases count in whole numbers: a fraction that a gateway reports would block all that is stored with it. */
const rounded = (tokens: number | undefined): number => Math.min(Math.round(positive(tokens)), MAX_TOKENS);

const ZERO_LINE: CostLine = { ...lineOf(undefined, 0), calls: 0 };

const NO_COSTS: Costs = { primary: ZERO_LINE, compactor: ZERO_LINE, recalled: ZERO_LINE };

/** Adds stored sums to `before`, line by line. Lines that only a newer version of Spillway knows are left out. */
export function costsOf(entries: readonly UsageEntry[], before = NO_COSTS): Costs {
  const costs = { ...before };
  for (const { line, model: _, ...sums } of entries)
    if (Object.hasOwn(costs, line)) costs[line] = addLines(costs[line], sums);
  return costs;
}

/** Keeps the costs of one agent path. */
export class CostBook {
  /** Called with the entry of each call, in the form in which it is stored. */
  onSpent: ((entry: UsageEntry) => void) | undefined;
  #totals = NO_COSTS;

  /** `project` also receives every call, and `told` each call of a summarizer. */
  constructor(
    private readonly priceOf: PriceOf,
    private readonly project?: ProjectCosts,
    private readonly onCall?: (call: ModelCall) => void,
  ) {}

  get totals(): Costs {
    return this.#totals;
  }

  /**
   * `model`: the model that the agent's own call went to; null if none was named. `recalled`: tokens of the request
   * that automatic recall brought back. They are priced at the average price of the request's input, cached or not.
   */
  addPrimary(usage: Usage, model: string | null, recalled = 0): void {
    const cost = model === null ? null : this.priceOf(model, usage);
    this.#add('primary', model ?? '', usage, cost);
    if (recalled === 0) return;
    const price = model === null ? null : this.priceOf(model, { ...usage, outputTokens: 0 });
    const share = Math.min(1, recalled / Math.max(1, inputOf(usage) || 0));
    const part = { inputTokens: recalled, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    this.#add('recalled', model ?? '', part, price === null ? null : price * share);
  }

  addCall(call: ModelCall): void {
    const { usage, cost, model = '' } = call;
    this.#add('compactor', model, usage, cost);
    this.onCall?.(call);
  }

  #add(line: UsageEntry['line'], model: string, usage: Usage | undefined, cost: number | null): void {
    const entry = { line, model, ...lineOf(usage, cost) };
    this.#totals = costsOf([entry], this.#totals);
    this.project?.add(entry);
    this.onSpent?.(entry);
  }

  /** Restores the totals from stored entries and from those that are not stored yet. */
  restore(entries: readonly UsageEntry[]): void {
    this.#totals = costsOf(entries);
  }

  /** Why no further summary may be requested in this session; undefined while one may. */
  stopReason({ maxCost, maxTokens }: Pick<Fill, 'maxCost' | 'maxTokens'>): string | undefined {
    const { compactor } = this.#totals;
    const spent = reachedCap([compactor], maxCost, maxTokens);
    return spent && `was not bought: the session has spent its ${spent}`;
  }
}

/** Keeps the costs of all sessions of one engine, and its summarizer calls of the last hour. */
export class ProjectCosts {
  #totals = NO_COSTS;
  /** Summarizer calls of the last hour, oldest first. */
  #recent: readonly (UsageEntry & { readonly at: number })[] = [];

  constructor(private readonly clock: () => number) {}

  get totals(): Costs {
    return this.#totals;
  }

  add(entry: UsageEntry): void {
    this.#totals = costsOf([entry], this.#totals);
    if (entry.line === 'compactor') this.#recent = [...this.#ofThisHour, { ...entry, at: this.clock() }];
  }

  get #ofThisHour(): readonly (UsageEntry & { readonly at: number })[] {
    const from = this.clock() - HOUR_MS;
    return this.#recent.filter(({ at }) => at > from);
  }

  /** Why no further summary may be requested for now; undefined while one may. */
  stopReason({
    maxCostPerHour,
    maxTokensPerHour,
  }: Pick<Fill, 'maxCostPerHour' | 'maxTokensPerHour'>): string | undefined {
    if (maxCostPerHour === null && maxTokensPerHour === null) return undefined;
    const spent = reachedCap(this.#ofThisHour, maxCostPerHour, maxTokensPerHour);
    return spent && `was not bought: all sessions together have spent the ${spent} of this hour`;
  }
}

/** Names the cap that these calls have reached; undefined if they have reached neither. */
function reachedCap(
  calls: readonly CostLine[],
  maxCost: number | null,
  maxTokens: number | null,
): string | undefined {
  const sum = (of: (call: CostLine) => number): number => calls.reduce((total, call) => total + of(call), 0);
  if (maxCost !== null && sum(({ cost }) => cost) >= maxCost) return `${maxCost} dollars`;
  return maxTokens !== null && sum(tokensOf) >= maxTokens ? `${maxTokens} tokens` : undefined;
}

const HOUR_MS = 3_600_000;

function lineOf(usage: Usage | undefined, cost: number | null): CostLine {
  return {
    calls: 1,
    inputTokens: rounded(usage?.inputTokens),
    cacheReadTokens: rounded(usage?.cacheReadTokens),
    cacheWriteTokens: rounded(usage?.cacheWriteTokens),
    outputTokens: rounded(usage?.outputTokens),
    cost: positive(cost ?? 0),
    unpriced: cost === null ? 1 : 0,
  };
}

function addLines(one: CostLine, other: CostLine): CostLine {
  const names = Object.keys(ZERO_LINE) as (keyof CostLine)[];
  return Object.freeze(
    Object.fromEntries(names.map((name) => [name, one[name] + other[name]])),
  ) as unknown as CostLine;
}

/** Reported figures come from outside. A value that is not a valid figure must not spoil the sum. */
function positive(count: number | undefined): number {
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : 0;
}
