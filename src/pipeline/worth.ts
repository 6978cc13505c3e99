import type { Reading } from '../tokens/index.js';
import type { RunDraft } from './draft.js';
import { LAST_CALL } from './due.js';
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

/** Whether a run has come far enough below `before` to stop. */
export function hasGained({ policy, forced }: Worth, before: Reading, draft: RunDraft): boolean {
  const after = draft.reading;
  if (gainOf(before, after) < leastGain({ policy, forced })) return false;
  // Where a span has given way to a summary there is little more to be had, and what is fresh keeps pressure up.
  return forced || after.pressure <= policy.reach || tierOf(before) > 1 || draft.edits.some(standsForSpan);
}

/** Whether a run is worth the cache that it costs. Fitting at all always is. */
export function isWorthIt(input: Worth, before: Reading, draft: RunDraft): boolean {
  if (before.pressure > 1 || hasGained(input, before, draft)) return true;
  return before.pressure >= LAST_CALL && gainOf(before, draft.reading) >= MIN_WHEN_FORCED;
}

/** Pressure up to which a run, as it stands, is worth its cost: what digests take beyond would make it come to nothing. */
export function stillWorth({ policy, forced }: Worth, before: Reading, draft: RunDraft): number {
  if (before.pressure > 1 || tierOf(before) > 1) return Infinity;
  const gained = before.pressure - leastGain({ policy, forced });
  return forced || draft.edits.some(standsForSpan) ? gained : Math.min(gained, policy.reach);
}

/** A run by hand commits from this gain on, in share of the budget: below it the rewritten request costs more. */
const MIN_WHEN_FORCED = 0.05;

export function leastGain({ policy, forced }: Worth): number {
  return forced ? Math.min(policy.minGain, MIN_WHEN_FORCED) : policy.minGain;
}
