import type { CompactionRecord, Plan, StageOutcome } from '../transcript/index.js';
import { RunDraft } from './draft.js';
import { computeFloor } from './floor.js';
import { planOf } from './plan-value.js';
import type { Pass } from './policy.js';
import { proposalOf } from './proposal.js';
import { planned, type RunInput, type RunOutcome } from './run.js';
import { applyReasoningRule, stripStale, type SignedThought } from './signed.js';
import { PIPELINE_STEPS } from './policy.js';

/** Plans one pass: a free stage by itself, at its full allowance. Whether that is enough its own options say. */
export function planPass(input: RunInput, pass: Pass): RunOutcome {
  const draft = new RunDraft(input);
  const before = draft.reading;
  const states = new Map(input.states);
  const floor = computeFloor(draft.view.exchanges, input.fixed.tokens, draft.share(input.policy.shares.pins));
  draft.step(pass.stage.stage, 0, (view) =>
    proposalOf(pass.stage, { draft, input, states }, view, view.tokens),
  );
  applyReasoningRule(draft, input);
  if (draft.edits.length === 0)
    return { kind: 'noop', reason: 'nothing to take out', stages: draft.outcomes };
  return planned(draft, input, before, floor, states);
}

/**
 * Plans the settling of reasoning that is stale though nothing of the log is edited now: something else before it has
 * changed. Undefined where no such thought stands in view, or the provider does not mind.
 */
export function planSignatures(
  input: RunInput,
  isStale: (thought: SignedThought) => boolean,
): RunOutcome | undefined {
  const draft = new RunDraft(input);
  const { reading: before, view } = draft;
  stripStale(draft, input, isStale, input.trigger.detail);
  if (draft.edits.length === 0) return undefined;
  const floor = computeFloor(view.exchanges, input.fixed.tokens, draft.share(input.policy.shares.pins));
  return planned(draft, input, before, floor, input.states);
}

/** What a run that comes to nothing was decided on, for who looks at it: a plan without an edit, which nobody can commit. */
export function planNothing(input: RunInput, stages: readonly StageOutcome[]): Plan {
  const draft = new RunDraft(input);
  const { reading: before, view } = draft;
  const floor = computeFloor(view.exchanges, input.fixed.tokens, draft.share(input.policy.shares.pins));
  return planOf(draft, input, { before, stages, edits: [], floor });
}

/** Whether a record did nothing but take out stale reasoning: nobody asked for it, and nobody takes it back. */
export function onlyStripsReasoning({ plan }: CompactionRecord): boolean {
  return plan.edits.length > 0 && plan.edits.every(({ stage }) => stage === PIPELINE_STEPS.signatures);
}
