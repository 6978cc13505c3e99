import { type CompactionRecord, type Plan, type StageOutcome, type Steps } from '../transcript/index.js';
import { RunDraft, type RunInput } from './draft.js';
import { planOf } from './plan-value.js';
import { PIPELINE_STEPS, type Pass } from './policy.js';
import { proposalOf } from './proposal.js';
import { takesOut } from './reasoning-rule.js';
import { planned, type RunOutcome } from './run.js';
import { applyReasoningRule, stripStale, type SignedThought } from './signed.js';
import { leastOf } from './unreachable.js';

/** Plans one pass: a free stage by itself, at its full allowance. Whether that is enough its own options say. */
export function* planPass(input: RunInput, pass: Pass): Steps<RunOutcome> {
  const draft = new RunDraft(input);
  const { floor } = leastOf(draft, yield* draft.viewing());
  yield* draft.step(pass.stage.stage, 0, (view) => proposalOf(pass.stage, draft, view, view.tokens));
  yield* applyReasoningRule(draft);
  if (draft.edits.length === 0)
    return { kind: 'noop', reason: 'nothing to take out', stages: draft.outcomes };
  return planned(draft, floor);
}

/**
 * Plans the settling of reasoning that is stale though nothing of the log is edited now: something else before it has
 * changed, or it `isRefused`. Undefined where no such thought stands in view, or the provider does not mind.
 */
export function planSignatures(
  input: RunInput,
  isStale: (thought: SignedThought) => boolean,
  isRefused = false,
): RunOutcome | undefined {
  const { reasoning } = input.policy;
  if (!isRefused && !(reasoning && takesOut(reasoning))) return undefined;
  const draft = new RunDraft(input);
  const { view } = draft;
  stripStale(draft, isStale, input.trigger.detail);
  return draft.edits.length === 0 ? undefined : planned(draft, leastOf(draft, view).floor);
}

/** What a run that comes to nothing was decided on, for who looks at it: a plan without an edit, which nobody can commit. */
export function planNothing(input: RunInput, stages: readonly StageOutcome[]): Plan {
  const draft = new RunDraft(input);
  return planOf(draft, { stages, edits: [], floor: leastOf(draft).floor });
}

/** Whether a record did nothing but take out stale reasoning: nobody asked for it, and nobody takes it back. */
export function onlyStripsReasoning({ plan }: CompactionRecord): boolean {
  return plan.edits.length > 0 && plan.edits.every(({ stage }) => stage === PIPELINE_STEPS.signatures);
}
