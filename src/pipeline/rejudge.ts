import { SpillwayError } from '../errors/index.js';
import { atOnce, type Plan, type PlannedEdit, type StageOutcome } from '../transcript/index.js';
import { RunDraft, type RunInput } from './draft.js';
import { FIT_RIGHTS } from './fit.js';
import { planOf } from './plan-value.js';
import { withPlan, type Planned } from './run.js';
import { applyReasoningRule } from './signed.js';

/** An operator's edits may do all that the pipeline's own steps may do. */
const OPERATOR_RIGHTS = { ...FIT_RIGHTS, mayGrow: true, mayStrip: true, mayRelease: true };

/**
 * The plan with these edits instead of its own: each is judged, measured and applied on the present view, and the plan
 * is hashed again. Throws `EDIT_ILLEGAL` that names the refused edit, or the plan if it frees nothing or has no edit
 * left.
 */
export function rejudge(input: RunInput, plan: Plan, edits: readonly PlannedEdit[]): Planned {
  const { projection } = input;
  if (edits.length === 0) throw illegal('the plan', 'no edit is left', 'Leave one in, or reject the plan.');
  const draft = new RunDraft(input);
  for (const [place, edit] of edits.entries()) {
    atOnce(draft.step(edit.stage, 0, () => [edit], OPERATOR_RIGHTS));
    const last = draft.outcomes.at(-1);
    if (last && last.faults.length > 0)
      throw illegal(`edit ${place} (${edit.stage})`, last.faults[0]!.message);
  }
  atOnce(applyReasoningRule(draft));
  const after = draft.projection.size;
  if (after.tokens >= projection.size.tokens && after.bytes >= projection.size.bytes)
    throw illegal('the plan', 'would not shrink the view');
  const stages = byStage(draft.outcomes, plan.stages);
  const { floor } = plan;
  return withPlan(draft, planOf(draft, { stages, edits: draft.edits, floor }));
}

/** One outcome per stage, with the gate of the original plan. */
function byStage(outcomes: readonly StageOutcome[], planned: readonly StageOutcome[]): StageOutcome[] {
  const lines = new Map<string, StageOutcome>();
  for (const outcome of outcomes) {
    const known = lines.get(outcome.stage);
    const opensAt = planned.find(({ stage }) => stage === outcome.stage)?.opensAt ?? 0;
    lines.set(outcome.stage, {
      ...outcome,
      opensAt,
      before: known?.before ?? outcome.before,
      edits: (known?.edits ?? 0) + outcome.edits,
    });
  }
  return [...lines.values()];
}

function illegal(subject: string, found: string, remedy = 'Change or leave out that edit.'): SpillwayError {
  return new SpillwayError('EDIT_ILLEGAL', { subject, found, remedy });
}
