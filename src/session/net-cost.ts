import { inputOf, type PriceOf, type Usage } from '../tokens/index.js';
import type { CompactionRecord, Ledger } from '../transcript/index.js';
import type { CallRecord } from './calls.js';

/** How a provider bills a cached prefix. `read` and `write` are factors of the price of plain input. */
export interface PrefixCache {
  readonly read: number;
  readonly write: number;
  /** Shortest prefix that the provider caches, in tokens. */
  readonly minTokens: number;
  /** How long a prefix remains cached without being read, in milliseconds. */
  readonly lifeMs: number;
}

type CacheTerms = Pick<PrefixCache, 'minTokens' | 'lifeMs'>;

/**
 * Assumed minimum length and lifetime of a cached prefix. The providers' documentation gives ranges that differ by
 * model and tier. These are its usual figures; no price sheet has them.
 */
const CACHE_TERMS: readonly (readonly [model: RegExp, keeping: CacheTerms])[] = [
  [/claude|anthropic/i, { minTokens: 1_024, lifeMs: 300_000 }],
  [/gemini/i, { minTokens: 2_048, lifeMs: 3_600_000 }],
  [/deepseek/i, { minTokens: 64, lifeMs: 3_600_000 }],
];
const USUAL_TERMS: CacheTerms = { minTokens: 1_024, lifeMs: 600_000 };
/** Assumed factors for a model in no price sheet: cached input costs half, and writing to the cache nothing extra. */
const UNPRICED = { read: 0.5, write: 1 };
/** Sample size whose prices give the factors; it falls into the lowest tier of every price sheet. */
const SAMPLE_TOKENS = 10_000;

/** Factors from the price sheets. If a sheet has no price for cached input, it costs as much as plain input. */
export function prefixCacheOf(model: string | null, priceOf: PriceOf = () => null): PrefixCache {
  const keeping = CACHE_TERMS.find(([pattern]) => pattern.test(model ?? ''))?.[1] ?? USUAL_TERMS;
  const price = (usage: Partial<Usage>): number | null =>
    model === null ? null : priceOf(model, { inputTokens: 0, outputTokens: 0, ...usage });
  const plain = price({ inputTokens: SAMPLE_TOKENS });
  const read = price({ cacheReadTokens: SAMPLE_TOKENS });
  const write = price({ cacheWriteTokens: SAMPLE_TOKENS });
  if (!plain || read === null || write === null) return { ...UNPRICED, ...keeping };
  return { read: factor(read, plain), write: factor(write, plain), ...keeping };
}

/** Rounded, to remove floating-point noise. */
const factor = (part: number, whole: number): number => Number((part / whole).toFixed(4));

/** The costs and savings of one record. Tokens are the provider's, or estimates; amounts are in plain input tokens. */
export interface NetCost {
  readonly record: string;
  /** The kind of the record. A prune also frees tokens and causes a rewrite of the cache. */
  readonly kind: CompactionRecord['kind'];
  /** Tokens that each later call saves; 0 after an undo. */
  readonly savedPerCall: number;
  /** Tokens after the first change. The next call pays to write them to the cache instead of to read them from it. */
  readonly rewritten: number;
  /** Input and output tokens of summarizers, and their cost in US dollars; null if it is not known. */
  readonly spentTokens: number;
  readonly spentCost: number | null;
  /** Predicted bill of the next call, and the bill by its reported usage, both in plain input tokens. */
  readonly predicted: { readonly inputTokens: number; readonly billed: number };
  readonly reported?: { readonly inputTokens: number; readonly billed: number };
  /** Number of calls that were observed while the record was in force. */
  readonly calls: number;
  /** Number of calls after which the record has paid for itself; `Infinity` if it never does. */
  readonly paysAfterCalls: number;
  /** Savings so far, less the rewrite and the spending, in plain input tokens. Below 0 until they exceed the costs. */
  readonly net: number;
  /** `net` in US dollars; null if no price is known. */
  readonly netCost: number | null;
}

/** The versions of the ledger between which a record was in force. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/**
 * Compares the predicted savings of each record with the usage that was reported after it. Uses only stored values, so
 * every process that reads the session gets the same result.
 */
export function netCostsOf(
  ledger: Pick<Ledger, 'records' | 'events' | 'version'>,
  calls: readonly CallRecord[],
  priceOf: PriceOf,
): readonly NetCost[] {
  const periods = periodsOf(ledger);
  const observed = calls.filter(({ usage }) => usage);
  const records = ledger.records.filter(({ id }) => periods.has(id));
  // If no request was sent between two records, the next call pays for both, from the first change of either on.
  let unchanged = Infinity;
  return records.map((record, i) => {
    const period = periods.get(record.id)!;
    const next = records[i + 1] && periods.get(records[i + 1]!.id)!.from;
    const isOvertaken =
      next !== undefined &&
      period.to > next &&
      !calls.some(({ events }) => period.from <= events && events < next);
    const inForce = observed.filter(({ events }) => period.from <= events && events < period.to);
    unchanged = Math.min(unchanged, record.unchangedTokens ?? 0);
    const cost = netCostOf(record, inForce, isOvertaken ? null : unchanged, priceOf);
    if (!isOvertaken) unchanged = Infinity;
    return cost;
  });
}

function periodsOf({ events, version }: Pick<Ledger, 'events' | 'version'>): ReadonlyMap<string, Period> {
  const periods = new Map<string, Period>();
  for (const [i, event] of events.entries()) {
    const after = version - events.length + i + 1;
    if (event.kind === 'commit') periods.set(event.record.id, { from: after, to: Infinity });
    if (event.kind !== 'undo' && event.kind !== 'rollback') continue;
    for (const id of event.records) {
      const period = periods.get(id);
      if (period) periods.set(id, { ...period, to: after });
    }
  }
  return periods;
}

/**
 * `under`: the calls that were observed while the record was in force, in order. `unchanged`: unchanged tokens at the
 * front of the next request; null if another record came before that request, which then pays for this one too.
 */
function netCostOf(
  record: CompactionRecord,
  observed: readonly CallRecord[],
  unchanged: number | null,
  priceOf: PriceOf,
): NetCost {
  const { id, kind, plan, status, calls = [], model = null } = record;
  const { scale } = plan.inputs;
  const cache = prefixCacheOf(model, priceOf);
  // Tool definitions are sent before everything else, and no edit changes them.
  const tools = plan.floor.parts.tools * scale;
  const after = plan.after.tokens * scale + tools;
  const saved = Math.max(0, (plan.before.tokens - plan.after.tokens) * scale);
  const front = (unchanged ?? after) + tools;
  const kept = front >= cache.minTokens ? Math.min(front, after) : 0;
  const rewritten = unchanged === null ? 0 : Math.max(0, after - kept);
  const spentTokens = calls.reduce(
    (sum, { usage }) => sum + (usage ? inputOf(usage) + usage.outputTokens : 0),
    0,
  );
  const priced = calls.map(({ cost }) => cost).filter((cost) => cost !== null);
  const spentCost = priced.length === calls.length ? priced.reduce((sum, cost) => sum + cost, 0) : null;
  const sample = model === null ? null : priceOf(model, { inputTokens: SAMPLE_TOKENS, outputTokens: 0 });
  const price = sample === null ? null : sample / SAMPLE_TOKENS;
  // A summarizer's tokens have the price of its own model, so they are converted to tokens of this model by cost.
  const spent = price && spentCost !== null ? spentCost / price : spentTokens;
  const upFront = rewritten * (cache.write - cache.read) + spent;
  const perCall = saved * cache.read;
  const net = observed.length * perCall - upFront;
  const first = observed.find((call) => call.record === id || kind === 'prune');
  return {
    record: id,
    kind,
    savedPerCall: status === 'undone' ? 0 : Math.round(saved),
    rewritten: Math.round(rewritten),
    spentTokens,
    spentCost,
    predicted: {
      inputTokens: Math.round(after),
      billed: Math.round(kept * cache.read + (after - kept) * cache.write),
    },
    ...(first && unchanged !== null && { reported: reportedOf(first, prefixCacheOf(first.model, priceOf)) }),
    calls: observed.length,
    paysAfterCalls: perCall > 0 ? Math.ceil(upFront / perCall) : Infinity,
    net: Math.round(net),
    netCost: price === null || spentCost === null ? null : net * price,
  };
}

function reportedOf({ usage }: CallRecord, cache: PrefixCache): NonNullable<NetCost['reported']> {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage!;
  return {
    inputTokens: inputOf(usage!),
    billed: Math.round(inputTokens + cacheReadTokens * cache.read + cacheWriteTokens * cache.write),
  };
}
