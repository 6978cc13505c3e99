import { interval, type Interval } from './bootstrap.js';
import type { Measured } from './measure.js';

/** One policy over all sessions that passed the window. */
export type BenchRow = ReturnType<typeof rowsOf>[number];

/** One policy's figures, a session each, in the order of all others'. */
export interface Column {
  readonly policy: string;
  readonly budget: number;
  readonly sessions: readonly Measured[];
}

export interface Draws {
  readonly draws: number;
  readonly seed: number;
}

type Sums = readonly Measured[];

/** One of the sums, over all sessions. */
const total = (some: Sums, of: Summed): number => some.reduce((sum, one) => sum + one[of], 0);
type Summed = Exclude<keyof Measured, 'cost' | 'failure' | 'heapBytes'>;

const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : NaN);
const share = (part: Summed, whole: Summed) => (some: Sums) => ratio(total(some, part), total(some, whole));
const kept = share('held', 'needed');
const afar = share('heldFromAfar', 'neededFromAfar');
const rewritten = share('rewrittenTokens', 'sentTokens');
export const meanTokens = (some: Sums): number =>
  ratio(total(some, 'sentTokens'), total(some, 'calls') - total(some, 'failed'));
const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
const or = (value: number, otherwise: number): number => (Number.isNaN(value) ? otherwise : value);

/** A row for each column; the first is what others are held against. */
export function rowsOf(columns: readonly Column[], { draws, seed }: Draws) {
  const first = columns[0]!.sessions;
  return columns.map(({ policy, budget, sessions }) => {
    const most = (pick: (one: Measured) => number): number => Math.max(0, ...sessions.map(pick));
    const within = (statistic: (drawn: Sums) => number): Interval =>
      interval(sessions, statistic, draws, seed);
    const pairs = sessions.map((own, at) => ({ own, first: first[at]! }));
    const behind = (some: readonly (typeof pairs)[number][]): number =>
      afar(some.map((pair) => pair.first)) - afar(some.map((pair) => pair.own));
    const failure = sessions.find((one) => one.failure !== undefined)?.failure;
    const sheets = Object.keys(sessions[0]?.cost ?? {});
    return {
      policy,
      /** What it was told to keep to. */
      budget,
      sessions: sessions.length,
      calls: total(sessions, 'calls'),
      /** Of the names, paths and numbers that the next steps used and that had been said before: the share that stood in the requests. */
      kept: or(kept(sessions), 1),
      /** The same of those that were last said half a window ago or longer. */
      keptFromAfar: orNull(afar(sessions)),
      neededFromAfar: total(sessions, 'neededFromAfar'),
      /** What the first policy keeps from afar more than this one, in shares: over the same sessions. */
      behind: orNull(behind(pairs)),
      meanTokens: or(meanTokens(sessions), 0),
      /** Tokens behind the unchanged front of a request, of all that were sent. */
      rewritten: or(rewritten(sessions), 0),
      compactions: total(sessions, 'compactions'),
      over: total(sessions, 'over'),
      broken: total(sessions, 'broken'),
      failed: total(sessions, 'failed'),
      /** Time of its own work, a call; and of its longest one. */
      meanMs: or(share('ms', 'calls')(sessions), 0),
      slowestMs: most((one) => one.slowestMs),
      /** US dollars of input a session, by the sheet of each model. */
      cost: Object.fromEntries(sheets.map((sheet) => [sheet, orNull(meanCost(sessions, sheet))])),
      /** Where 95 of 100 draws of as many sessions lie. */
      intervals: {
        kept: within(kept),
        keptFromAfar: within(afar),
        behind: interval(pairs, behind, draws, seed),
        meanTokens: within(meanTokens),
        rewritten: within(rewritten),
      },
      /** The most that it held of one session at its end, where that was asked for. */
      ...(sessions[0]?.heapBytes !== undefined && { heapBytes: most((one) => one.heapBytes ?? 0) }),
      /** What it said the first time that it failed. */
      ...(failure !== undefined && { failure }),
    };
  });
}

const meanCost = (sessions: Sums, sheet: string): number =>
  ratio(
    sessions.reduce((sum, { cost }) => sum + (cost[sheet] ?? NaN), 0),
    sessions.length,
  );

/** Means this near each other are the same. */
const NEAR = 0.01;
const MOST_TRIES = 5;

/**
 * The budget at which a policy sends as many tokens as another: what it sends falls with its budget, not in proportion.
 * Never above the window; of what was tried, the nearest. A policy that sends less at the whole window stays as it is.
 */
export async function atEqualTokens(
  target: number,
  whole: Column,
  measured: (budget: number) => Promise<Column>,
): Promise<Column> {
  let best = whole;
  let last = whole;
  const distance = (column: Column): number => Math.abs(meanTokens(column.sessions) - target);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const mean = meanTokens(last.sessions);
    // NaN where one of them sends nothing: no budget makes them equal.
    if (!(Math.abs(mean - target) > NEAR * target)) break;
    const budget = Math.min(whole.budget, Math.round((last.budget * target) / mean));
    if (budget === last.budget) break;
    last = await measured(budget);
    if (distance(last) < distance(best)) best = last;
  }
  return best;
}
