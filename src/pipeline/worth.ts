import type { Reading } from '../tokens/index.js';
import type { RunDraft } from './draft.js';
import { LAST_CALL } from '../pressure/index.js';
import type { Policy } from './policy.js';
import { gainOf, standsForSpan, tierOf } from './proposal.js';

/** What decides whether a run is worth its cost. */
interface Worth {
  readonly policy: Policy;
  readonly forced: boolean;
  readonly refused?: boolean;
}

/** Whether a request would still be refused: over its budget, or as large as one that a provider has refused. */
export function mustGoOn(input: Worth, before: Reading, draft: RunDraft): boolean {
  if (draft.reading.pressure > 1) return true;
  return input.refused === true && gainOf(before, draft.reading) < leastGain(input);
}

/**
 * Highest pressure that a run from `before` may end at and be worth the cache that it costs. Where a span has given way to
 * a summary there is little more to be had, and what is fresh keeps pressure up.
 */
export function worthUpTo({ policy, forced }: Worth, before: Reading, spanGaveWay: boolean): number {
  const gained = before.pressure - leastGain({ policy, forced });
  return forced || spanGaveWay ? gained : Math.min(gained, policy.reach);
}

/** Whether a run has come far enough below `before` to stop. */
export function hasGained(input: Worth, before: Reading, draft: RunDraft): boolean {
  if (tierOf(before) > 1) return gainOf(before, draft.reading) >= leastGain(input);
  return draft.reading.pressure <= worthUpTo(input, before, draft.edits.some(standsForSpan));
}

/** Whether a run is worth the cache that it costs. Fitting at all always is. */
export function isWorthIt(input: Worth, before: Reading, draft: RunDraft): boolean {
  if (before.pressure > 1 || hasGained(input, before, draft)) return true;
  return before.pressure >= LAST_CALL && gainOf(before, draft.reading) >= MIN_WHEN_FORCED;
}

/** Pressure up to which digests may grow: what they take beyond would make the run come to nothing. */
export function stillWorth(input: Worth, before: Reading, draft: RunDraft): number {
  if (before.pressure > 1 || tierOf(before) > 1) return Infinity;
  return worthUpTo(input, before, draft.edits.some(standsForSpan));
}

/** A run by hand commits from this gain on, in share of the budget: below it the rewritten request costs more. */
const MIN_WHEN_FORCED = 0.05;

export function leastGain({ policy, forced }: Worth): number {
  return forced ? Math.min(policy.minGain, MIN_WHEN_FORCED) : policy.minGain;
}
