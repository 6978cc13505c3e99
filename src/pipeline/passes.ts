import { type CompactionRecord, type Plan, type StageOutcome, type Steps } from '../transcript/index.js';
import { RunDraft, type RunInput } from './draft.js';
import { planOf } from './plan-value.js';
import { PIPELINE_STEPS, type Pass } from './policy.js';
import { proposalOf } from './proposal.js';
import { removesInvalid } from './reasoning-rule.js';
import { finishPlan, type RunOutcome } from './run.js';
import { applyReasoningRule, stripStale, type SignedThought } from './signed.js';
import { fullFloorOf } from './unreachable.js';

/** Plans one pass: a free stage alone, at its full allowance. The options of the stage decide what is worth an edit. */
export function* planPass(input: RunInput, pass: Pass): Steps<RunOutcome> {
  const draft = new RunDraft(input);
  const { floor } = fullFloorOf(draft, yield* draft.viewing());
  yield* draft.step(pass.stage.stage, 0, (view) => proposalOf(pass.stage, draft, view, view.tokens));
  yield* applyReasoningRule(draft);
  if (draft.edits.length === 0)
    return { kind: 'noop', reason: 'nothing to take out', stages: draft.outcomes };
  return finishPlan(draft, floor);
}

/**
 * Plans the removal of reasoning that is stale although no edit changes the log now: something else before it has
 * changed, or it `isRefused`. Undefined if no such reasoning is in view, or the provider does not check it.
 */
export function planSignatures(
  input: RunInput,
  isStale: (thought: SignedThought) => boolean,
  isRefused = false,
): RunOutcome | undefined {
  const { reasoning } = input.policy;
  if (!isRefused && !(reasoning && removesInvalid(reasoning))) return undefined;
  const draft = new RunDraft(input);
  const { view } = draft;
  stripStale(draft, isStale, input.trigger.detail);
  return draft.edits.length === 0 ? undefined : finishPlan(draft, fullFloorOf(draft, view).floor);
}

/** A plan without edits, for people who inspect a run that changed nothing: its inputs. It cannot be committed. */
export function planNothing(input: RunInput, stages: readonly StageOutcome[]): Plan {
  const draft = new RunDraft(input);
  return planOf(draft, { stages, edits: [], floor: fullFloorOf(draft).floor });
}

/** Whether a record only removed stale reasoning. No operator asked for such a record, so an undo skips it. */
export function onlyStripsReasoning({ plan }: CompactionRecord): boolean {
  return plan.edits.length > 0 && plan.edits.every(({ stage }) => stage === PIPELINE_STEPS.signatures);
}
