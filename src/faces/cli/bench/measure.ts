import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { validators } from '../../../testkit/index.js';
import type { PriceOf } from '../../../tokens/index.js';
import type { LaneCall } from './lane.js';
import type { BenchPolicy } from './policy.js';
import { heldBy } from './probes.js';
import type { Subject } from './subject.js';

/** What a policy came to on one session: sums, so that those of several sessions add up. */
export type Measured = Awaited<ReturnType<typeof measure>>;

export interface Held {
  /** What requests are held to. */
  readonly window: number;
  /** What the policy is told to keep to. */
  readonly budget: number;
}

export interface Measuring {
  readonly priceOf: PriceOf;
  /** Models whose price sheets the input is charged by. */
  readonly sheets: readonly string[];
  /** Whether it is looked what a policy holds: two garbage collections a session. */
  readonly memory: boolean;
}

/** A word is from afar where it was last said this share of the window ago. */
const AFAR = 0.5;
const NONE: ReadonlySet<string> = new Set();

/** Replays one session under one policy. */
export async function measure(
  policy: BenchPolicy,
  subject: Subject,
  { window, budget }: Held,
  { priceOf, sheets, memory }: Measuring,
) {
  const needs = subject.needs((await subject.input).parsed.messages);
  await policy.reads(subject);
  if (memory) await warmUp(policy, subject, budget);
  const before = memory ? heap() : 0;
  const lane = await policy.lane(subject, budget);
  const validate = validators.get(lane.format)!;
  const sums = {
    calls: 0,
    /** Calls for which the policy gave nothing. */
    failed: 0,
    /** Requests of more tokens than the window. */
    over: 0,
    /** Rules of the wire that requests break. */
    broken: 0,
    sentTokens: 0,
    /** Tokens behind the unchanged front of each request: what a provider's cache could not serve. */
    rewrittenTokens: 0,
    /** Names, paths and numbers that next steps used and that had been said before; and how many of them requests held. */
    needed: 0,
    held: 0,
    /** The same of those that were last said half a window ago or longer. */
    neededFromAfar: 0,
    heldFromAfar: 0,
    /** Time of its own work over all calls, and of the longest call. */
    ms: 0,
    slowestMs: 0,
  };
  /** US dollars of all input, by the sheet of each model, and of the summaries that the policy bought. */
  const cost: Record<string, number> = Object.fromEntries(sheets.map((sheet) => [sheet, 0]));
  let failure: string | undefined;
  try {
    for await (const call of lane.calls) {
      const { index, prepared, tokens, unchangedPrefixTokens, durationMs, error } = call;
      // A recording may begin with the agent: nothing was sent for that.
      if (index === 0) continue;
      const needed = needs.get(index)!;
      const held = prepared ? heldBy([...prepared.messages, prepared.beside], needed) : NONE;
      const afar = [...needed].filter(([, ago]) => ago >= AFAR * window);
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

/** What is loaded with the first call of a process, such as a vocabulary, is of no session. */
async function warmUp(policy: BenchPolicy, subject: Subject, budget: number): Promise<void> {
  if (warm.has(policy)) return;
  warm.add(policy);
  const lane = await policy.lane(subject, budget);
  await lane.calls.next();
  await lane.close();
}

/** Shortest front that providers keep. */
const LEAST_CACHED = 1_024;

/** Behind the front that the cache serves all is new; where a sheet has a price for writing it to the cache, that is paid. */
function inputCost({ tokens, unchangedPrefixTokens }: LaneCall, sheet: string, priceOf: PriceOf): number {
  const cacheReadTokens = unchangedPrefixTokens >= LEAST_CACHED ? unchangedPrefixTokens : 0;
  const cacheWriteTokens = tokens - cacheReadTokens;
  return priceOf(sheet, { inputTokens: 0, cacheReadTokens, cacheWriteTokens, outputTokens: 0 }) ?? NaN;
}

let collect: (() => void) | undefined;

/** Bytes in use once garbage is gone. */
function heap(): number {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
  return process.memoryUsage().heapUsed;
}
