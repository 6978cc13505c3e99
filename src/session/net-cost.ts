import { inputOf, type PriceOf, type Usage } from '../tokens/index.js';
import type { CompactionRecord, Ledger } from '../transcript/index.js';
import type { CallRecord } from './calls.js';

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

/** What one compaction or prune costs and saves. Tokens are the provider's, or estimates of them; amounts are plain input tokens. */
export interface NetCost {
  readonly record: string;
  /** A prune frees tokens and re-writes the cache as a compaction does. */
  readonly kind: CompactionRecord['kind'];
  /** Tokens that each later call sends less; 0 once it was undone. */
  readonly savedPerCall: number;
  /** Tokens behind the first change: the next call pays for them anew, in place of a read. */
  readonly rewritten: number;
  /** Tokens a summarizer took, in and out, and what they cost in US dollars where that is known. */
  readonly spentTokens: number;
  readonly spentCost: number | null;
  /** What the next call was predicted to be billed, as plain input tokens, and what it came to by its usage. */
  readonly predicted: { readonly inputTokens: number; readonly billed: number };
  readonly reported?: { readonly inputTokens: number; readonly billed: number };
  /** Calls that were observed while it stood. */
  readonly calls: number;
  /** Calls after which it has paid for itself, where it ever does. */
  readonly paysAfterCalls: number;
  /** Saved so far, less the re-write and the spending: plain input tokens. Below 0 until it has paid for itself. */
  readonly net: number;
  /** The same in US dollars; null where no price is known. */
  readonly netCost: number | null;
}

/** From which state of the ledger a compaction stood, and up to which. */
interface Standing {
  readonly from: number;
  readonly to: number;
}

/**
 * What each compaction was predicted to save, held against the usage that was reported after it. Made from what is kept
 * anyway, so that it is the same in every process that reads the session.
 */
export function netCostsOf(
  ledger: Pick<Ledger, 'records' | 'events' | 'version'>,
  calls: readonly CallRecord[],
  priceOf: PriceOf,
): readonly NetCost[] {
  const standing = standingOf(ledger);
  const observed = calls.filter(({ usage }) => usage);
  const records = ledger.records.filter(({ id }) => standing.has(id));
  // Nothing was sent between two changes: the next call pays for both at once, from where the first of them begins.
  let unchanged = Infinity;
  return records.map((record, i) => {
    const stood = standing.get(record.id)!;
    const next = records[i + 1] && standing.get(records[i + 1]!.id)!.from;
    const isOvertaken =
      next !== undefined &&
      stood.to > next &&
      !calls.some(({ events }) => stood.from <= events && events < next);
    const under = observed.filter(({ events }) => stood.from <= events && events < stood.to);
    unchanged = Math.min(unchanged, record.unchangedTokens ?? 0);
    const cost = netCostOf(record, under, isOvertaken ? null : unchanged, priceOf);
    if (!isOvertaken) unchanged = Infinity;
    return cost;
  });
}

function standingOf({ events, version }: Pick<Ledger, 'events' | 'version'>): ReadonlyMap<string, Standing> {
  const standing = new Map<string, Standing>();
  for (const [i, event] of events.entries()) {
    const after = version - events.length + i + 1;
    if (event.kind === 'commit') standing.set(event.record.id, { from: after, to: Infinity });
    if (event.kind !== 'undo' && event.kind !== 'rollback') continue;
    for (const id of event.records) {
      const stood = standing.get(id);
      if (stood) standing.set(id, { ...stood, to: after });
    }
  }
  return standing;
}

/**
 * `under`: calls that were observed while it stood, in order. `unchanged`: tokens at the front of the next request that
 * are as they were; null where another change came before it was sent, which pays for this one too.
 */
function netCostOf(
  record: CompactionRecord,
  under: readonly CallRecord[],
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
  // What a summarizer took has the price of its own model: in tokens of this one it is more, or less.
  const spent = price && spentCost !== null ? spentCost / price : spentTokens;
  const upFront = rewritten * (cache.write - cache.read) + spent;
  const perCall = saved * cache.read;
  const net = under.length * perCall - upFront;
  const first = under.find((call) => call.record === id || kind === 'prune');
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
    calls: under.length,
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
