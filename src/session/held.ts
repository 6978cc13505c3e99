import { PIPELINE_STEPS, type RunInput, type RunOutcome } from '../pipeline/index.js';
import { endsOf, type Hold, type PlannedEdit, type ReadonlyLog, type Warning } from '../transcript/index.js';
import { after } from './slices.js';

/* Spans that an operator took back from compaction: they stand until released, and give way where nothing fits beside them. */

export const HOLDS_GAVE_WAY: Warning = {
  code: 'holds-gave-way',
  message:
    'What was held since an undo did not fit into a request: it was compacted again, and nothing is held any more. Raise the budget before you undo.',
};

/** What a run came to, on the input that it came of. */
export interface Drafted {
  readonly input: RunInput;
  readonly outcome: RunOutcome;
}

/** What a run came to; where that was nothing, and something is held, what it comes to without. */
export function withoutHolds(
  input: RunInput,
  outcome: RunOutcome,
  draft: (input: RunInput) => RunOutcome | Promise<RunOutcome>,
): Drafted | Promise<Drafted> {
  const isStuck = outcome.kind === 'unreachable' || (outcome.kind === 'noop' && input.refused === true);
  if (!isStuck || input.source.holds.length === 0) return { input, outcome };
  const freed = { ...input, source: { ...input.source, holds: [] } };
  return after(draft(freed), (without) =>
    without.kind === 'planned' ? { input: freed, outcome: without } : { input, outcome },
  );
}

/** Whether a plan changes what is held; reasoning whose signature is void goes from there too. */
export function takesHeld(edits: readonly PlannedEdit[], holds: readonly Hold[], log: ReadonlyLog): boolean {
  if (holds.length === 0) return false;
  return edits.some((edit) => {
    if (edit.stage === PIPELINE_STEPS.signatures) return false;
    const [first, last] = endsOf(edit);
    // What was rolled back meanwhile is none of it.
    const [from, to] = [log.find(first)?.seq ?? Infinity, log.find(last)?.seq ?? -1];
    return holds.some((hold) => from <= hold.to && to >= hold.from);
  });
}
