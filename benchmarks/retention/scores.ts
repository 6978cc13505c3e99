import { groupBy } from '../support/group.js';
import { interval, type Interval } from '../../src/faces/cli/bench/bootstrap.js';
import { shareOf, type Counts } from './counts.js';
import type { Verdict } from './judge.js';
import type { Probe } from './probes.js';

/** One probe under one policy at one window. */
export interface Judged extends Verdict {
  readonly session: string;
  readonly probe: Probe;
}

export interface Share {
  readonly byProbe: number;
  /** The 95 % interval, over sessions. */
  readonly interval: Interval;
  /** Mean of the sessions' own shares, so that no session with many probes dominates. */
  readonly bySession: number;
}

export interface Score {
  readonly probes: number;
  readonly sessions: number;
  readonly present: Share;
  readonly anchored: Share;
}

export type Measure = 'present' | 'anchored';

export function score(judged: readonly Judged[], draws: number): Score {
  return {
    probes: judged.length,
    sessions: new Set(judged.map(({ session }) => session)).size,
    present: shareFor(judged, 'present', draws),
    anchored: shareFor(judged, 'anchored', draws),
  };
}

/** Each value of a key with the score of its probes, most probes first. */
export function scoresBy(
  judged: readonly Judged[],
  key: (probe: Probe) => string,
  draws: number,
): Record<string, Score> {
  const groups = groupBy(judged, ({ probe }) => key(probe));
  const sorted = [...groups].sort((a, b) => b[1].length - a[1].length);
  return Object.fromEntries(sorted.map(([name, group]) => [name, score(group, draws)]));
}

function shareFor(judged: readonly Judged[], measure: Measure, draws: number): Share {
  const sessions = [...countsBySession(judged, measure).values()];
  const own = sessions.map(({ hits, probes }) => hits / probes);
  return {
    byProbe: shareOf(sessions),
    interval: interval(sessions, shareOf, draws),
    bySession: own.reduce((sum, share) => sum + share, 0) / own.length,
  };
}

/** The difference of `ours` and `theirs`, over the same sessions. */
export function margin(
  ours: readonly Judged[],
  theirs: readonly Judged[],
  draws: number,
): { anchored: number; interval: Interval } {
  const other = countsBySession(theirs, 'anchored');
  const pairs = [...countsBySession(ours, 'anchored')].flatMap(([session, mine]) => {
    const counts = other.get(session);
    return counts ? [{ mine, counts }] : [];
  });
  const difference = (drawn: typeof pairs): number =>
    shareOf(drawn.map(({ mine }) => mine)) - shareOf(drawn.map(({ counts }) => counts));
  return {
    anchored: difference(pairs),
    interval: interval(pairs, (drawn) => difference([...drawn]), draws),
  };
}

function countsBySession(judged: readonly Judged[], measure: Measure): Map<string, Counts> {
  const groups = groupBy(judged, ({ session }) => session);
  return new Map(
    [...groups].map(([session, group]) => [
      session,
      { probes: group.length, hits: group.filter((one) => one[measure]).length },
    ]),
  );
}
