import { LAST_CALL } from '../pressure/index.js';
import type { Reading } from '../tokens/index.js';
import type { Edit } from '../transcript/index.js';
import type { RunDraft, RunInput } from './draft.js';

/** A run by hand commits from this gain on, in share of the budget: below it the rewritten request costs more. */
const MIN_WHEN_FORCED = 0.05;

export function leastGain({ policy, forced }: Pick<RunInput, 'policy' | 'forced'>): number {
  return forced ? Math.min(policy.minGain, MIN_WHEN_FORCED) : policy.minGain;
}

/** Pressure of tool results on their own cap; 0 where none is set. */
export const tierOf = ({ byToolResults = 0 }: Reading): number => byToolResults;

/** How far pressure fell: of the whole, or of a tier that stood above its cap. */
export function gainOf(before: Reading, after: Reading): number {
  return Math.max(before.pressure - after.pressure, tierOf(before) - Math.max(1, tierOf(after)));
}

/** Whether an edit puts a text in the place of messages that stood in view. */
export const standsForSpan = (edit: Edit): boolean =>
  edit?.kind === 'supersede' && edit.slot !== undefined && edit.slot.grows !== true;

/** Whether a request would still be refused: over its budget, or as large as one that a provider has refused. */
export function mustGoOn({ input, before, reading }: RunDraft): boolean {
  return reading.pressure > 1 || (input.refused === true && gainOf(before, reading) < leastGain(input));
}

/**
 * Highest pressure that a run may end at and be worth the cache that it costs. Where a span has given way to a summary there
 * is little more to be had, and what is fresh keeps pressure up.
 */
function mostOf({ input, before, edits }: RunDraft): number {
  const gained = before.pressure - leastGain(input);
  return input.forced || edits.some(standsForSpan) ? gained : Math.min(gained, input.policy.reach);
}

/** Whether a run has come far enough below where it began to stop. */
export function hasGained(draft: RunDraft): boolean {
  const { input, before, reading } = draft;
  if (tierOf(before) > 1) return gainOf(before, reading) >= leastGain(input);
  return reading.pressure <= mostOf(draft);
}

/** Whether a run is worth the cache that it costs. Fitting at all always is. */
export function isWorthIt(draft: RunDraft): boolean {
  const { before, reading } = draft;
  if (before.pressure > 1 || hasGained(draft)) return true;
  return before.pressure >= LAST_CALL && gainOf(before, reading) >= MIN_WHEN_FORCED;
}

/** Pressure up to which digests may grow: what they take beyond would make the run come to nothing. */
export function stillWorth(draft: RunDraft): number {
  return draft.before.pressure > 1 || tierOf(draft.before) > 1 ? Infinity : mostOf(draft);
}
