import type { Proposal, StageGoal, TranscriptView } from '../spi/index.js';
import { copyOfBudget } from '../tokens/index.js';
import { jsonOf, listFrom, madeIn, type Edit, type Made, type Steps } from '../transcript/index.js';
import { tokensOf, type RunDraft } from './draft.js';
import type { OpenableStage } from './policy.js';
import { replacesSpan, tierPressure } from './worth.js';

/** The edits that a stage proposes on a draft and the policy allows. `reclaim` in counted tokens. */
export function* proposalOf(
  stage: OpenableStage,
  draft: RunDraft,
  view: TranscriptView,
  reclaim: number,
): Steps<readonly Edit[]> {
  const { input, states } = draft;
  const goal = goalOf(stage, draft, reclaim);
  const proposal = yield* limitSteps(stage.plugin.plan(view, goal));
  // An `async plan()` is already a fault of its stage; its rejection must not end the process as well.
  if (proposal instanceof Promise) proposal.catch(() => undefined);
  const edits = editsOf(proposal, view);
  if (proposal.state !== undefined) states.set(stage.stage, stateOf(proposal.state));
  return input.policy.skipsSpans ? edits.filter((edit) => !replacesSpan(edit)).map(withoutSlot) : edits;
}

/** A plan with more steps is endless: one for a log of 100,000 messages takes some hundred thousand. */
const MAX_STEPS = 3_000_000;

function* limitSteps<T>(made: Made<T>): Steps<T> {
  const steps = madeIn(made);
  for (let taken = 0; taken < MAX_STEPS; taken++) {
    const { done, value } = steps.next();
    if (done) return value;
    yield;
  }
  throw new Error(`plan() has not ended after ${MAX_STEPS} steps`);
}

/** A view allows one edit per part and message. This many further edits are still refused one by one, with a reason. */
const MAX_EXCESS_EDITS = 1_000;

function editsOf(proposal: Proposal | undefined, { exchanges }: TranscriptView): readonly Edit[] {
  let most = MAX_EXCESS_EDITS;
  for (const { messages } of exchanges) for (const { message } of messages) most += 1 + message.parts.length;
  const { edits } = (proposal ?? {}) as Partial<Proposal>;
  if (!Array.isArray(edits)) throw new TypeError('plan() returned no list of edits');
  try {
    return listFrom(edits, most) as Edit[];
  } catch (cause) {
    throw new TypeError(`plan() returned edits that are ${(cause as Error).message}`, { cause });
  }
}

/** A state as it will be after a restart. A state that cannot be stored would block the storing of everything else. */
function stateOf(state: unknown): unknown {
  try {
    return jsonOf(state);
  } catch (cause) {
    throw new TypeError(`plan() returned a state that is no JSON: ${(cause as Error).message}`, { cause });
  }
}

/** The goal of one stage in the present state of the draft. */
function goalOf({ stage, options }: OpenableStage, draft: RunDraft, reclaim: number): StageGoal {
  const { input, reading, states } = draft;
  const { policy, clock, count } = input;
  const { budget, scale } = reading;
  const { bytes, images } = draft.excess(policy.target);
  const before = states.get(stage);
  const overCap = Math.max(0, tierPressure(reading) - 1) * (budget.caps.toolResults ?? 0);
  return {
    reclaim,
    reclaimResults: Math.ceil(overCap / scale),
    reclaimBytes: bytes,
    reclaimImages: images,
    // Copies: a stage's changes must not reach the next stage or outlive a run without a plan.
    budget: { ...copyOfBudget(budget), tokens: tokensOf(budget) },
    summaryTokens: Math.floor((policy.shares.summary * tokensOf(budget)) / scale),
    options,
    state: before === undefined ? undefined : structuredClone(before),
    now: clock,
    count,
  };
}

/** An edit without its slot, if no model is to be asked. */
function withoutSlot(edit: Edit): Edit {
  if (edit?.slot === undefined) return edit;
  const { slot: _, ...own } = edit;
  return own;
}
