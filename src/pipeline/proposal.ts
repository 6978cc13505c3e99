import type { Proposal, StageGoal, TranscriptView } from '../spi/index.js';
import { copyOfBudget } from '../tokens/index.js';
import { jsonOf, listFrom, madeIn, type Edit, type Made, type Steps } from '../transcript/index.js';
import { tokensOf, type RunDraft } from './draft.js';
import type { OpenableStage } from './policy.js';
import { standsForSpan, tierOf } from './worth.js';

/** What a stage proposes on a draft, as far as the policy lets it. `reclaim` in counted tokens. */
export function* proposalOf(
  stage: OpenableStage,
  draft: RunDraft,
  view: TranscriptView,
  reclaim: number,
): Steps<readonly Edit[]> {
  const { input, states } = draft;
  const goal = goalOf(stage, draft, reclaim);
  const proposal = yield* ending(stage.plugin.plan(view, goal));
  // An `async plan()` is a fault of its stage already; its rejection must not end the process as well.
  if (proposal instanceof Promise) proposal.catch(() => undefined);
  const edits = editsOf(proposal, view);
  if (proposal.state !== undefined) states.set(stage.stage, stateOf(proposal.state));
  return input.policy.leaveSpans ? edits.filter((edit) => !standsForSpan(edit)).map(withoutSlot) : edits;
}

/** A plan of more steps is endless: of a log of 100,000 messages one takes some hundred thousand. */
const MOST_STEPS = 3_000_000;

function* ending<T>(made: Made<T>): Steps<T> {
  const steps = madeIn(made);
  for (let taken = 0; taken < MOST_STEPS; taken++) {
    const { done, value } = steps.next();
    if (done) return value;
    yield;
  }
  throw new Error(`plan() has not ended after ${MOST_STEPS} steps`);
}

/** More than one edit for each part and each message of a view cannot stand; so many more are still refused one by one, each with its reason. */
const REFUSED_SINGLY = 1_000;

function editsOf(proposal: Proposal | undefined, { exchanges }: TranscriptView): readonly Edit[] {
  let most = REFUSED_SINGLY;
  for (const { messages } of exchanges) for (const { message } of messages) most += 1 + message.parts.length;
  const { edits } = (proposal ?? {}) as Partial<Proposal>;
  if (!Array.isArray(edits)) throw new TypeError('plan() returned no list of edits');
  try {
    return listFrom(edits, most) as Edit[];
  } catch (cause) {
    throw new TypeError(`plan() returned edits that are ${(cause as Error).message}`, { cause });
  }
}

/** What is kept of a state, now as after a restart. One that cannot be stored would stand in the way of everything else that is. */
function stateOf(state: unknown): unknown {
  try {
    return jsonOf(state);
  } catch (cause) {
    throw new TypeError(`plan() returned a state that is no JSON: ${(cause as Error).message}`, { cause });
  }
}

/** The goal of one stage as the draft stands. */
function goalOf({ stage, options }: OpenableStage, draft: RunDraft, reclaim: number): StageGoal {
  const { input, reading, states } = draft;
  const { policy, clock, count } = input;
  const { budget, scale } = reading;
  const { bytes, images } = draft.excess(policy.target);
  const before = states.get(stage);
  const overCap = Math.max(0, tierOf(reading) - 1) * (budget.caps.toolResults ?? 0);
  return {
    reclaim,
    reclaimResults: Math.ceil(overCap / scale),
    reclaimBytes: bytes,
    reclaimImages: images,
    // Copies: what a stage does to them must not reach the next one, or outlive a run that came to nothing.
    budget: { ...copyOfBudget(budget), tokens: tokensOf(budget) },
    summaryTokens: Math.floor((policy.shares.summary * tokensOf(budget)) / scale),
    options,
    state: before === undefined ? undefined : structuredClone(before),
    now: clock,
    count,
  };
}

/** Text that a model could write better, where none is to be asked. */
function withoutSlot(edit: Edit): Edit {
  if (edit?.slot === undefined) return edit;
  const { slot: _, ...own } = edit;
  return own;
}
