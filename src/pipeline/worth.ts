import { LAST_CALL } from '../pressure/index.js';
import type { Reading } from '../tokens/index.js';
import type { Edit } from '../transcript/index.js';
import type { RunDraft, RunInput } from './draft.js';

/** A forced run commits from this gain on, as a share of the budget: below it the rewritten request costs more. */
const MIN_FORCED_GAIN = 0.05;

export function leastGain({ policy, forced }: Pick<RunInput, 'policy' | 'forced'>): number {
  return forced ? Math.min(policy.minGain, MIN_FORCED_GAIN) : policy.minGain;
}

/** Pressure of tool results against their own cap; 0 if there is no cap. */
export const tierPressure = ({ byToolResults = 0 }: Reading): number => byToolResults;

/** The fall in pressure: of the whole request, or of a tier that was above its cap. */
export function gainOf(before: Reading, after: Reading): number {
  return Math.max(before.pressure - after.pressure, tierPressure(before) - Math.max(1, tierPressure(after)));
}

/** Whether an edit replaces a span by a new text. */
export const replacesSpan = (edit: Edit): boolean =>
  edit?.kind === 'supersede' && edit.slot !== undefined && edit.slot.grows !== true;

/** Whether a request would still be refused: over its budget, or as large as a request that a provider refused. */
export function wouldBeRefused({ input, before, reading }: RunDraft): boolean {
  return reading.pressure > 1 || (input.refused === true && gainOf(before, reading) < leastGain(input));
}

/**
 * Highest final pressure at which a run is worth the cache that it costs. After a span was replaced by a summary there
 * is little more to free, and fresh content keeps pressure up; a sufficient gain is then enough.
 */
function pressureLimit({ input, before, edits }: RunDraft): number {
  const gained = before.pressure - leastGain(input);
  return input.forced || edits.some(replacesSpan) ? gained : Math.min(gained, input.policy.reach);
}

/** Whether a run has lowered pressure enough to stop. */
export function hasGained(draft: RunDraft): boolean {
  const { input, before, reading } = draft;
  if (tierPressure(before) > 1) return gainOf(before, reading) >= leastGain(input);
  return reading.pressure <= pressureLimit(draft);
}

/** Whether a run is worth the cache that it costs. A run that makes a request fit always is. */
export function isWorthIt(draft: RunDraft): boolean {
  const { before, reading } = draft;
  if (before.pressure > 1 || hasGained(draft)) return true;
  return before.pressure >= LAST_CALL && gainOf(before, reading) >= MIN_FORCED_GAIN;
}

/** Pressure up to which digests may grow: with larger digests the run would not be worth its cost. */
export function digestLimit(draft: RunDraft): number {
  return draft.before.pressure > 1 || tierPressure(draft.before) > 1 ? Infinity : pressureLimit(draft);
}
