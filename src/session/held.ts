import { PIPELINE_STEPS, type RunInput, type RunOutcome } from '../pipeline/index.js';
import { endsOf, type Hold, type PlannedEdit, type ReadonlyLog, type Warning } from '../transcript/index.js';
import { after } from './slices.js';

/* Holds are spans whose compaction an operator undid. They remain until released, unless nothing else makes it fit. */

export const HOLDS_GAVE_WAY: Warning = {
  code: 'holds-gave-way',
  message:
    'A span that an undo held did not fit into the request: it was compacted again, and all holds were released. Raise the budget before you undo.',
};

/** The outcome of a run, and the input it was planned on. */
export interface Drafted {
  readonly input: RunInput;
  readonly outcome: RunOutcome;
}

/** The outcome of a run. If the run is stuck and there are holds, it is planned again without them. */
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

/** Whether a plan changes a held span. Removal of reasoning with a void signature does not count. */
export function takesHeld(edits: readonly PlannedEdit[], holds: readonly Hold[], log: ReadonlyLog): boolean {
  if (holds.length === 0) return false;
  return edits.some((edit) => {
    if (edit.stage === PIPELINE_STEPS.signatures) return false;
    const [first, last] = endsOf(edit);
    // An edit of messages that were rolled back meanwhile touches no hold.
    const [from, to] = [log.find(first)?.seq ?? Infinity, log.find(last)?.seq ?? -1];
    return holds.some((hold) => from <= hold.to && to >= hold.from);
  });
}
