import {
  atOnce,
  type Edit,
  type Plan,
  type PlannedEdit,
  type Projection,
  type ReadonlyLog,
} from '../transcript/index.js';
import { RunDraft, type RunInput } from './draft.js';
import { keptEdits } from './kept-edits.js';
import { measureEdit } from './measure.js';
import { hashPlan, rehashed } from './plan-value.js';
import type { Planned } from './run.js';
import { joinReasoning, applyReasoningRule } from './signed.js';
import { PIPELINE_STEPS } from './policy.js';
import { gainOf, leastGain } from './worth.js';

interface Refilled {
  readonly outcome: Planned;
  /** Places in the plan whose new text did not shrink the view and was refused. */
  readonly refused: readonly number[];
}

/**
 * The same plan with texts for its slots, by place in `plan.edits`; measured and hashed again. A slot that grows had
 * its room reserved by the plan. Undefined if the plan no longer fits, or no longer earns what it costs.
 */
export function refill(
  input: RunInput,
  planned: Planned,
  texts: ReadonlyMap<number, Edit>,
): Refilled | undefined {
  const { plan } = planned;
  const { log, isPinned } = input.source;
  const refused: number[] = [];
  let projection = input.projection.fork();
  const edits = plan.edits.map((edit, place) => {
    const text = texts.get(place);
    if (text) {
      const filled = measureEdit(text, edit.stage, log, input.measure, input.source);
      const trial = projection.fork();
      trial.apply([filled]);
      if (edit.slot?.grows || trial.size.tokens < projection.size.tokens) {
        projection = trial;
        return filled;
      }
      refused.push(place);
    }
    projection.apply([edit]);
    return edit;
  });

  const draft = new RunDraft({ ...input, projection });
  atOnce(applyReasoningRule(draft, edits));
  const before = input.read(input.projection);
  const { reading: after } = draft;
  if (after.pressure > 1) return undefined;
  if (before.pressure <= 1 && gainOf(before, after) < leastGain(input)) return undefined;

  const reasoning = joinReasoning(plan.reasoning, draft.reasoning);
  const { hash: _, ...unfilled } = plan;
  const filled: Omit<Plan, 'hash'> = {
    ...unfilled,
    edits: keptEdits([...edits, ...draft.edits], log, isPinned),
    after: draft.projection.size,
    ...(reasoning && { reasoning }),
  };
  return {
    outcome: { ...planned, plan: { ...filled, hash: hashPlan(filled) }, draft: draft.projection, after },
    refused,
  };
}

/**
 * Removes the edits whose request for a longer text failed: their replacement is already in the view, and the cache
 * would be broken for nothing.
 */
export function withoutUnfilled(
  { projection, source: { log } }: Pick<RunInput, 'projection' | 'source'>,
  planned: Planned,
): Planned {
  const { plan } = planned;
  const edits = plan.edits.filter((edit) => !edit.slot?.grows || !isInView(edit, projection, log));
  const left = plan.edits.length - edits.length;
  if (left === 0 || edits.length === 0) return planned;
  const stages = plan.stages
    .map((stage) => (stage.stage === PIPELINE_STEPS.regrow ? { ...stage, edits: stage.edits - left } : stage))
    .filter((stage) => stage.stage !== PIPELINE_STEPS.regrow || stage.edits > 0 || stage.refused > 0);
  return { ...planned, plan: rehashed({ ...plan, stages, edits }, log) };
}

/** Whether an edit's replacement is already in the view. */
function isInView(edit: PlannedEdit, { view }: Projection, log: ReadonlyLog): boolean {
  if (edit.kind !== 'supersede') return false;
  const [from, to] = [log.find(edit.fromId)!.seq, log.find(edit.toId)!.seq];
  const present = view.filter((shown) => !shown.source && shown.from === from && shown.to === to);
  return JSON.stringify(present.map(({ message }) => message)) === JSON.stringify(edit.replacement);
}
