import { interval, type Interval } from './bootstrap.js';
import type { Measured } from './measure.js';

/** One policy over all sessions that passed the window. */
export interface BenchRow {
  readonly policy: string;
  /** What it was told to keep to. */
  readonly budget: number;
  readonly sessions: number;
  readonly calls: number;
  /** Of the names, paths and numbers that the next steps used and that had been said before: the share that stood in the requests. */
  readonly kept: number;
  /** The same of those that were last said half a window ago or longer. */
  readonly keptFromAfar: number | null;
  readonly neededFromAfar: number;
  /** What the first policy keeps from afar more than this one, in shares: over the same sessions. */
  readonly behind: number | null;
  readonly meanTokens: number;
  /** Tokens behind the unchanged front of a request, of all that were sent. */
  readonly rewritten: number;
  readonly compactions: number;
  readonly over: number;
  /** Rules of the wire that requests break. */
  readonly broken: number;
  /** Calls for which the policy gave nothing. */
  readonly failed: number;
  /** Time of its own work, a call; and of its longest one. */
  readonly meanMs: number;
  readonly slowestMs: number;
  /** The most that it held of one session at its end, where that was asked for. */
  readonly heapBytes?: number;
  /** US dollars of input a session, by the sheet of each model. */
  readonly cost: Readonly<Record<string, number | null>>;
  /** Where 95 of 100 draws of as many sessions lie. */
  readonly intervals: Readonly<
    Record<'kept' | 'keptFromAfar' | 'behind' | 'meanTokens' | 'rewritten', Interval>
  >;
  /** What it said the first time that it failed. */
  readonly failure?: string;
}

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

const sumOf = (sessions: Sums, pick: (one: Measured) => number): number =>
  sessions.reduce((sum, one) => sum + pick(one), 0);
const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : NaN);
const kept = (some: Sums): number =>
  ratio(
    sumOf(some, (one) => one.held),
    sumOf(some, (one) => one.needed),
  );
const afar = (some: Sums): number =>
  ratio(
    sumOf(some, (one) => one.heldFromAfar),
    sumOf(some, (one) => one.neededFromAfar),
  );
export const meanTokens = (some: Sums): number =>
  ratio(
    sumOf(some, (one) => one.sentTokens),
    sumOf(some, (one) => one.calls - one.failed),
  );
const rewritten = (some: Sums): number =>
  ratio(
    sumOf(some, (one) => one.rewrittenTokens),
    sumOf(some, (one) => one.sentTokens),
  );
const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
const or = (value: number, otherwise: number): number => (Number.isNaN(value) ? otherwise : value);

/** A row for each column; the first is what others are held against. */
export function rowsOf(columns: readonly Column[], { draws, seed }: Draws): BenchRow[] {
  const first = columns[0]!.sessions;
  return columns.map(({ policy, budget, sessions }) => {
    const total = (pick: (one: Measured) => number): number => sumOf(sessions, pick);
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
      budget,
      sessions: sessions.length,
      calls: total((one) => one.calls),
      kept: or(kept(sessions), 1),
      keptFromAfar: orNull(afar(sessions)),
      neededFromAfar: total((one) => one.neededFromAfar),
      behind: orNull(behind(pairs)),
      meanTokens: or(meanTokens(sessions), 0),
      rewritten: or(rewritten(sessions), 0),
      compactions: total((one) => one.compactions),
      over: total((one) => one.over),
      broken: total((one) => one.broken),
      failed: total((one) => one.failed),
      meanMs: or(
        ratio(
          total((one) => one.ms),
          total((one) => one.calls),
        ),
        0,
      ),
      slowestMs: most((one) => one.slowestMs),
      cost: Object.fromEntries(
        sheets.map((sheet) => [
          sheet,
          orNull(
            ratio(
              total((one) => one.cost[sheet] ?? NaN),
              sessions.length,
            ),
          ),
        ]),
      ),
      intervals: {
        kept: within(kept),
        keptFromAfar: within(afar),
        behind: interval(pairs, behind, draws, seed),
        meanTokens: within(meanTokens),
        rewritten: within(rewritten),
      },
      ...(sessions[0]?.heapBytes !== undefined && { heapBytes: most((one) => one.heapBytes ?? 0) }),
      ...(failure !== undefined && { failure }),
    };
  });
}
