import { inputOf, type PriceOf, type Usage } from '../tokens/index.js';
import type { CompactionRecord } from '../transcript/index.js';

/** How a provider bills a prefix that it has seen before. Factors of the price of plain input. */
export interface PrefixCache {
  readonly read: number;
  readonly write: number;
  /** Shortest prefix that is kept, in tokens. */
  readonly minTokens: number;
  /** How long it is kept without being read, in milliseconds. */
  readonly lifeMs: number;
}

type Keeping = Pick<PrefixCache, 'minTokens' | 'lifeMs'>;

/**
 * How long a prefix must be and how long it is kept: assumptions. The providers' documentation differs by model and
 * tier and gives ranges; these are its usual figures, and no price sheet has them.
 */
const KEEPING: readonly (readonly [model: RegExp, keeping: Keeping])[] = [
  [/claude|anthropic/i, { minTokens: 1_024, lifeMs: 300_000 }],
  [/gemini/i, { minTokens: 2_048, lifeMs: 3_600_000 }],
  [/deepseek/i, { minTokens: 64, lifeMs: 3_600_000 }],
];
const USUAL: Keeping = { minTokens: 1_024, lifeMs: 600_000 };
/** Assumed where a model is in no price sheet: half price for what is read, nothing extra for what is written. */
const UNPRICED = { read: 0.5, write: 1 };
/** Priced to learn factors: of the lowest tier of every sheet. */
const SAMPLE_TOKENS = 10_000;

/** Factors as the price sheets have them; where a sheet has no price for cached input, it costs what plain input does. */
export function prefixCacheOf(model: string | null, priceOf: PriceOf = () => null): PrefixCache {
  const keeping = KEEPING.find(([pattern]) => pattern.test(model ?? ''))?.[1] ?? USUAL;
  const price = (usage: Partial<Usage>): number | null =>
    model === null ? null : priceOf(model, { inputTokens: 0, outputTokens: 0, ...usage });
  const plain = price({ inputTokens: SAMPLE_TOKENS });
  const read = price({ cacheReadTokens: SAMPLE_TOKENS });
  const write = price({ cacheWriteTokens: SAMPLE_TOKENS });
  if (!plain || read === null || write === null) return { ...UNPRICED, ...keeping };
  return { read: factor(read, plain), write: factor(write, plain), ...keeping };
}

/** Without the last digits, which are the arithmetic's. */
const factor = (part: number, whole: number): number => Number((part / whole).toFixed(4));

/** What one compaction costs and saves. Tokens are the provider's, or estimates of them; amounts are plain input tokens. */
export interface NetCost {
  readonly record: string;
  /** Tokens that each later call sends less. */
  readonly savedPerCall: number;
  /** Tokens behind the first change: the next call pays for them anew, in place of a read. */
  readonly rewritten: number;
  /** Tokens a summarizer took, in and out, and what they cost in US dollars where that is known. */
  readonly spentTokens: number;
  readonly spentCost: number | null;
  /** What the next call was predicted to be billed, as plain input tokens, and what it came to by its usage. */
  readonly predicted: { readonly inputTokens: number; readonly billed: number };
  readonly reported?: { readonly inputTokens: number; readonly billed: number };
  /** Calls that were observed since. */
  readonly calls: number;
  /** Calls after which it has paid for itself, where it ever does. */
  readonly paysAfterCalls: number;
  /** Saved so far, less the re-write and the spending: plain input tokens. Below 0 until it has paid for itself. */
  readonly net: number;
  /** The same in US dollars; null where no price is known. */
  readonly netCost: number | null;
}

interface Entry extends Omit<NetCost, 'net' | 'netCost' | 'calls' | 'reported'> {
  calls: number;
  reported?: { readonly inputTokens: number; readonly billed: number };
}

/** Keeps what each compaction was predicted to save, and holds it against what is reported after. */
export class NetCosts {
  readonly #entries: Entry[] = [];
  readonly #priceOf: PriceOf;
  readonly #caches = new Map<string | null, PrefixCache>();

  constructor(priceOf: PriceOf) {
    this.#priceOf = priceOf;
  }

  #cacheOf(model: string | null): PrefixCache {
    const known = this.#caches.get(model) ?? prefixCacheOf(model, this.#priceOf);
    this.#caches.set(model, known);
    return known;
  }

  /** `unchangedTokens`: before the first change, on the scale of the plan's inputs. */
  committed(record: CompactionRecord, unchangedTokens: number, model: string | null): void {
    const { plan, calls = [] } = record;
    const { scale } = plan.inputs;
    const cache = this.#cacheOf(model);
    const after = plan.after.tokens * scale;
    const savedPerCall = Math.max(0, (plan.before.tokens - plan.after.tokens) * scale);
    const kept = unchangedTokens >= cache.minTokens ? unchangedTokens : 0;
    const rewritten = Math.max(0, after - kept);
    const spentTokens = calls.reduce(
      (sum, { usage }) => sum + (usage ? inputOf(usage) + usage.outputTokens : 0),
      0,
    );
    const priced = calls.map(({ cost }) => cost).filter((cost) => cost !== null);
    const spentCost = priced.length === calls.length ? priced.reduce((sum, cost) => sum + cost, 0) : null;
    const upFront = rewritten * (cache.write - cache.read) + spentTokens;
    const perCall = savedPerCall * cache.read;
    this.#entries.push({
      record: record.id,
      savedPerCall: Math.round(savedPerCall),
      rewritten: Math.round(rewritten),
      spentTokens,
      spentCost,
      predicted: {
        inputTokens: Math.round(after),
        billed: Math.round(kept * cache.read + rewritten * cache.write),
      },
      calls: 0,
      paysAfterCalls: perCall > 0 ? Math.ceil(upFront / perCall) : Infinity,
    });
  }

  observed(usage: Usage, model: string | null): void {
    const cache = this.#cacheOf(model);
    for (const entry of this.#entries) entry.calls++;
    const newest = this.#entries.at(-1);
    if (!newest || newest.reported) return;
    const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
    newest.reported = {
      inputTokens: inputOf(usage),
      billed: Math.round(inputTokens + cacheReadTokens * cache.read + cacheWriteTokens * cache.write),
    };
  }

  /** Undone: it saves nothing more. */
  undone(recordId: string): void {
    const place = this.#entries.findIndex(({ record }) => record === recordId);
    if (place >= 0) this.#entries.splice(place, 1, { ...this.#entries[place]!, savedPerCall: 0 });
  }

  all(model: string | null): readonly NetCost[] {
    const cache = this.#cacheOf(model);
    const price = model === null ? null : this.#priceOf(model, { inputTokens: 1_000_000, outputTokens: 0 });
    return this.#entries.map((entry) => {
      const upFront = entry.rewritten * (cache.write - cache.read) + entry.spentTokens;
      const net = Math.round(entry.calls * entry.savedPerCall * cache.read - upFront);
      return { ...entry, net, netCost: price === null ? null : (net * price) / 1_000_000 };
    });
  }
}
