import { interval, type Interval } from './bootstrap.js';
import type { Measurement } from './measure.js';

/** One policy over all sessions that exceeded the window. */
export type BenchRow = ReturnType<typeof rowsOf>[number];

/** One policy's figures for each session, in the same order in every column. */
export interface Column {
  readonly policy: string;
  readonly budget: number;
  readonly sessions: readonly Measurement[];
}

export interface Draws {
  readonly draws: number;
  readonly seed: number;
}

type Sums = readonly Measurement[];

/** One of the sums, over all sessions. */
const total = (some: Sums, of: Summed): number => some.reduce((sum, one) => sum + one[of], 0);
type Summed = Exclude<keyof Measurement, 'cost' | 'failure' | 'heapBytes'>;

const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : NaN);
const share = (part: Summed, whole: Summed) => (some: Sums) => ratio(total(some, part), total(some, whole));
const kept = share('held', 'needed');
const afar = share('heldFromAfar', 'neededFromAfar');
const rewritten = share('rewrittenTokens', 'sentTokens');
export const meanTokens = (some: Sums): number =>
  ratio(total(some, 'sentTokens'), total(some, 'calls') - total(some, 'failed'));
const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
const orElse = (value: number, otherwise: number): number => (Number.isNaN(value) ? otherwise : value);

/** One row for each column. The others are compared with the first one. */
export function rowsOf(columns: readonly Column[], { draws, seed }: Draws) {
  const first = columns[0]!.sessions;
  return columns.map(({ policy, budget, sessions }) => {
    const highest = (pick: (one: Measurement) => number): number => Math.max(0, ...sessions.map(pick));
    const intervalOf = (statistic: (drawn: Sums) => number): Interval =>
      interval(sessions, statistic, draws, seed);
    const pairs = sessions.map((own, at) => ({ own, first: first[at]! }));
    const behind = (some: readonly (typeof pairs)[number][]): number =>
      afar(some.map((pair) => pair.first)) - afar(some.map((pair) => pair.own));
    const failure = sessions.find((one) => one.failure !== undefined)?.failure;
    const sheets = Object.keys(sessions[0]?.cost ?? {});
    return {
      policy,
      /** The limit that the policy was told to keep. */
      budget,
      sessions: sessions.length,
      calls: total(sessions, 'calls'),
      /** Share of the names, paths and numbers of next steps that had occurred before and that the requests held. */
      kept: orElse(kept(sessions), 1),
      /** That share for words that last occurred half a window ago or longer. */
      keptFromAfar: orNull(afar(sessions)),
      neededFromAfar: total(sessions, 'neededFromAfar'),
      /** The first policy's share from afar minus this policy's, over the same sessions. */
      behind: orNull(behind(pairs)),
      meanTokens: orElse(meanTokens(sessions), 0),
      /** Share of the sent tokens that come after the unchanged prefix of their request. */
      rewritten: orElse(rewritten(sessions), 0),
      compactions: total(sessions, 'compactions'),
      over: total(sessions, 'over'),
      broken: total(sessions, 'broken'),
      failed: total(sessions, 'failed'),
      /** Mean time of the policy's own work per call, and the time of the longest call. */
      meanMs: orElse(share('ms', 'calls')(sessions), 0),
      slowestMs: highest((one) => one.slowestMs),
      /** Mean US dollars of input per session, by the sheet of each model. */
      cost: Object.fromEntries(sheets.map((sheet) => [sheet, orNull(meanCost(sessions, sheet))])),
      /** Intervals that contain 95 of 100 draws of as many sessions. */
      intervals: {
        kept: intervalOf(kept),
        keptFromAfar: intervalOf(afar),
        behind: interval(pairs, behind, draws, seed),
        meanTokens: intervalOf(meanTokens),
        rewritten: intervalOf(rewritten),
      },
      /** The most memory that the policy held at the end of a session, if memory was measured. */
      ...(sessions[0]?.heapBytes !== undefined && { heapBytes: highest((one) => one.heapBytes ?? 0) }),
      /** The message of the policy's first failure. */
      ...(failure !== undefined && { failure }),
    };
  });
}

const meanCost = (sessions: Sums, sheet: string): number =>
  ratio(
    sessions.reduce((sum, { cost }) => sum + (cost[sheet] ?? NaN), 0),
    sessions.length,
  );

/** Means within this distance count as equal. */
const NEAR = 0.01;
const MAX_TRIES = 5;

/**
 * Finds the budget at which a policy sends as many tokens as another. Its tokens fall with the budget, not in proportion.
 * Never exceeds the window; takes the nearest of the tried budgets. A policy that sends less at the whole window stays.
 */
export async function atEqualTokens(
  target: number,
  whole: Column,
  measured: (budget: number) => Promise<Column>,
): Promise<Column> {
  let best = whole;
  let last = whole;
  const distance = (column: Column): number => Math.abs(meanTokens(column.sessions) - target);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const mean = meanTokens(last.sessions);
    // NaN if one of the policies sends nothing: no budget makes them equal.
    if (!(Math.abs(mean - target) > NEAR * target)) break;
    const budget = Math.min(whole.budget, Math.round((last.budget * target) / mean));
    if (budget === last.budget) break;
    last = await measured(budget);
    if (distance(last) < distance(best)) best = last;
  }
  return best;
}
