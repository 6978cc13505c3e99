import type { Outcome } from './measure.js';
import { margin, score, scoresBy, type Judged, type Score } from './scores.js';
import type { Interval } from '../../src/faces/cli/bench/bootstrap.js';

export interface Row {
  readonly policy: string;
  readonly strong: Score;
  readonly byStrength: Record<string, Score>;
  /** Strong probes only. */
  readonly byKind: Record<string, Score>;
  /** Mean tokens of the judged requests, by the reference count. */
  readonly meanTokens: number;
  readonly calls: number;
  readonly over: number;
  /** Anchored strong probes of Spillway minus those of this policy. */
  readonly behindSpillway?: { readonly anchored: number; readonly interval: Interval };
  readonly narrowedTo: number;
  readonly ms: number;
}

const strongOf = ({ judged }: Outcome): Judged[] => judged.filter(({ probe }) => probe.strength === 'strong');

export function report(outcomes: readonly Outcome[], draws: number): Row[] {
  const ours = outcomes.find(({ policy }) => policy === 'spillway');
  return outcomes
    .filter(({ judged }) => judged.length > 0)
    .map((outcome) => ({
      policy: outcome.policy,
      strong: score(strongOf(outcome), draws),
      byStrength: scoresBy(outcome.judged, ({ strength }) => strength, draws),
      byKind: scoresBy(strongOf(outcome), ({ kind }) => kind, draws),
      meanTokens: Math.round(outcome.sentTokens / outcome.judgedCalls),
      calls: outcome.calls,
      over: outcome.over,
      ...(ours && outcome !== ours && { behindSpillway: margin(strongOf(ours), strongOf(outcome), draws) }),
      narrowedTo: outcome.narrowedTo,
      ms: Math.round(outcome.ms),
    }));
}
