import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { validators } from '../../../testkit/index.js';
import type { PriceOf } from '../../../tokens/index.js';
import type { LaneCall } from './lane.js';
import type { BenchPolicy } from './policy.js';
import { heldBy } from './probes.js';
import type { Subject } from './subject.js';

/** The result of a policy on one session, as sums, so that the results of several sessions can be added up. */
export type Measurement = Awaited<ReturnType<typeof measure>>;

export interface Limits {
  /** The limit that requests are checked against. */
  readonly window: number;
  /** The limit that the policy is told to keep. */
  readonly budget: number;
}

export interface MeasureOptions {
  readonly priceOf: PriceOf;
  /** Models whose price sheets give the cost of the input. */
  readonly sheets: readonly string[];
  /** If true, the memory of a policy is measured, with two garbage collections per session. */
  readonly memory: boolean;
}

/** A word is from afar if it last occurred at least this share of the window ago. */
const AFAR_SHARE = 0.5;
const NONE: ReadonlySet<string> = new Set();

/** Replays one session under one policy. */
export async function measure(
  policy: BenchPolicy,
  subject: Subject,
  { window, budget }: Limits,
  { priceOf, sheets, memory }: MeasureOptions,
) {
  const needs = subject.needs((await subject.input).parsed.messages);
  await policy.load(subject);
  if (memory) await warmUp(policy, subject, budget);
  const before = memory ? heap() : 0;
  const lane = await policy.lane(subject, budget);
  const validate = validators.get(lane.format)!;
  const sums = {
    calls: 0,
    /** Calls for which the policy failed. */
    failed: 0,
    /** Requests with more tokens than the window. */
    over: 0,
    /** Violations of wire rules in the requests. */
    broken: 0,
    sentTokens: 0,
    /** Tokens after the unchanged prefix of each request: the part that a provider's cache cannot serve. */
    rewrittenTokens: 0,
    /** Names, paths and numbers of next steps that had occurred before; and how many of them the requests held. */
    needed: 0,
    held: 0,
    /** The same numbers for words that last occurred half a window ago or longer. */
    neededFromAfar: 0,
    heldFromAfar: 0,
    /** Time of the policy's own work over all calls, and of the longest call. */
    ms: 0,
    slowestMs: 0,
  };
  /** US dollars of all input, by the sheet of each model, plus those of the policy's summaries. */
  const cost: Record<string, number> = Object.fromEntries(sheets.map((sheet) => [sheet, 0]));
  let failure: string | undefined;
  try {
    for await (const call of lane.calls) {
      const { index, prepared, tokens, unchangedPrefixTokens, durationMs, error } = call;
      // A recording may begin with the agent's message, for which no request was sent.
      if (index === 0) continue;
      const needed = needs.get(index)!;
      const held = prepared ? heldBy([...prepared.messages, prepared.beside], needed) : NONE;
      const afar = [...needed].filter(([, ago]) => ago >= AFAR_SHARE * window);
      sums.needed += needed.size;
      sums.held += held.size;
      sums.neededFromAfar += afar.length;
      sums.heldFromAfar += afar.filter(([word]) => held.has(word)).length;
      sums.calls += 1;
      sums.ms += durationMs;
      sums.slowestMs = Math.max(sums.slowestMs, durationMs);
      if (prepared) sums.broken += validate(prepared.messages).length;
      if (error) {
        sums.failed += 1;
        failure ??= error.message;
        continue;
      }
      if (tokens > window) sums.over += 1;
      sums.sentTokens += tokens;
      sums.rewrittenTokens += tokens - unchangedPrefixTokens;
      for (const sheet of sheets) cost[sheet]! += inputCost(call, sheet, priceOf);
    }
    for (const sheet of sheets) cost[sheet]! += lane.summaries();
    return {
      ...sums,
      compactions: lane.compactions(),
      cost,
      ...(memory && { heapBytes: lane.heapBytes?.() ?? Math.max(0, heap() - before) }),
      ...(failure !== undefined && { failure }),
    };
  } finally {
    await lane.close();
  }
}

const warm = new WeakSet<BenchPolicy>();

/** Data that the first call of a process loads, such as a vocabulary, must not count for a session. */
async function warmUp(policy: BenchPolicy, subject: Subject, budget: number): Promise<void> {
  if (warm.has(policy)) return;
  warm.add(policy);
  const lane = await policy.lane(subject, budget);
  await lane.calls.next();
  await lane.close();
}

/** The shortest prefix that providers cache. */
const MIN_CACHED = 1_024;

/** All tokens after the cached prefix are new. If a sheet has a price for cache writes, that price applies. */
function inputCost({ tokens, unchangedPrefixTokens }: LaneCall, sheet: string, priceOf: PriceOf): number {
  const cacheReadTokens = unchangedPrefixTokens >= MIN_CACHED ? unchangedPrefixTokens : 0;
  const cacheWriteTokens = tokens - cacheReadTokens;
  return priceOf(sheet, { inputTokens: 0, cacheReadTokens, cacheWriteTokens, outputTokens: 0 }) ?? NaN;
}

let collect: (() => void) | undefined;

/** Bytes in use after a garbage collection. */
function heap(): number {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
  return process.memoryUsage().heapUsed;
}
