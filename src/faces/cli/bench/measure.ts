import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LaneCall } from '../compare/lane.js';
import { Tally } from '../compare/tally.js';
import type { PriceOf } from '../../../tokens/index.js';
import type { BenchPolicy } from './policy.js';
import type { Subject } from './subject.js';

/** What a policy came to on one session: sums, so that those of several sessions add up. */
export interface Measured {
  readonly calls: number;
  readonly compactions: number;
  /** Calls for which the policy gave nothing. */
  readonly failed: number;
  /** Requests of more tokens than the window. */
  readonly over: number;
  /** Rules of the wire that requests break. */
  readonly broken: number;
  readonly sentTokens: number;
  readonly rewrittenTokens: number;
  /** Names, paths and numbers that next steps used and that had been said before; and how many of them requests held. */
  readonly needed: number;
  readonly held: number;
  /** The same of those that were last said half a window ago or longer. */
  readonly neededFromAfar: number;
  readonly heldFromAfar: number;
  /** Time of its own work over all calls, and of the longest call. */
  readonly ms: number;
  readonly slowestMs: number;
  /** What it holds of the session at the end, after a garbage collection, where that was asked for. */
  readonly heapBytes?: number;
  /** US dollars of all input, by the sheet of each model. */
  readonly cost: Readonly<Record<string, number>>;
  /** What it said the first time that it failed. */
  readonly failure?: string;
}

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

/** Replays one session under one policy. */
export async function measure(
  policy: BenchPolicy,
  subject: Subject,
  { window, budget }: Held,
  { priceOf, sheets, memory }: Measuring,
): Promise<Measured> {
  const { messages } = (await subject.input).parsed;
  const needs = subject.needs(messages);
  await policy.reads(subject);
  if (memory) await warmUp(policy, subject, budget);
  const before = memory ? heap() : 0;
  const open = await policy.lane(subject, budget);
  try {
    const tally = new Tally({ lane: open.lane, priceOf, model: null, window });
    const costs = new Map(sheets.map((sheet) => [sheet, 0]));
    for await (const call of open.lane.calls) {
      // A recording may begin with the agent: nothing was sent for that.
      if (call.index === 0) continue;
      tally.add(call, needs.get(call.index)!);
      for (const sheet of sheets) costs.set(sheet, costs.get(sheet)! + inputCost(call, sheet, priceOf));
    }
    const { calls, totals } = tally.done;
    const sum = (pick: (call: (typeof calls)[number]) => number): number =>
      calls.reduce((total, call) => total + pick(call), 0);
    const failure = calls.find(({ why }) => why !== undefined)?.why;
    return {
      calls: calls.length,
      compactions: totals.compactions,
      failed: totals.unreachable,
      over: totals.over,
      broken: totals.broken,
      sentTokens: totals.sentTokens,
      rewrittenTokens: totals.rewrittenTokens,
      needed: sum((call) => call.needed),
      held: sum((call) => call.held),
      neededFromAfar: sum((call) => call.neededFromAfar),
      heldFromAfar: sum((call) => call.heldFromAfar),
      ms: sum((call) => call.durationMs),
      slowestMs: Math.max(0, ...calls.map((call) => call.durationMs)),
      cost: Object.fromEntries(costs),
      ...(memory && { heapBytes: open.heapBytes?.() ?? Math.max(0, heap() - before) }),
      ...(failure !== undefined && { failure }),
    };
  } finally {
    await open.close();
  }
}

const warm = new WeakSet<BenchPolicy>();

/** What is loaded with the first call of a process, such as a vocabulary, is of no session. */
async function warmUp(policy: BenchPolicy, subject: Subject, budget: number): Promise<void> {
  if (warm.has(policy)) return;
  warm.add(policy);
  const { lane, close } = await policy.lane(subject, budget);
  await lane.calls.next();
  await close();
}

/** Shortest front that providers keep. */
const LEAST_CACHED = 1_024;

/** Behind the front that the cache serves all is new; where a sheet has a price for writing it to the cache, that is paid. */
function inputCost(
  { tokens, unchangedPrefixTokens, error }: LaneCall,
  sheet: string,
  priceOf: PriceOf,
): number {
  if (error) return 0;
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
