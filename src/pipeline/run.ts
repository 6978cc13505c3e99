import { LAST_CALL } from '../pressure/index.js';
import { pinnedTokens, type ViewExchange } from '../spi/index.js';
import type { Reading } from '../tokens/index.js';
import {
  type Floor,
  type Plan,
  type PlannedEdit,
  type Projection,
  type Slot,
  type StageOutcome,
  type Steps,
} from '../transcript/index.js';
import { RunDraft, type RunInput } from './draft.js';
import { dropToFit, dropToTarget, dropReminders } from './drop.js';
import { cutFreshResults, cutPins, FIT_RIGHTS } from './fit.js';
import { EXTENDING_RIGHTS } from './guard.js';
import { carryInjected } from './inject.js';
import { keepSlots, keptEdits } from './kept-edits.js';
import { firstChangedBy, planOf } from './plan-value.js';
import { stageOpens, type OpenableStage, PIPELINE_STEPS } from './policy.js';
import { proposalOf } from './proposal.js';
import { regrowDigests } from './regrow.js';
import { roomForDigests } from './room.js';
import { applyReasoningRule } from './signed.js';
import { isTooLarge, fullFloorOf, unreachable, type Unreachable } from './unreachable.js';
import type { ViewSource } from './view.js';
import { gainOf, hasGained, isWorthIt, leastGain, wouldBeRefused, tierPressure } from './worth.js';

/** The result of a run that has a plan, before its commit. */
export interface Planned {
  readonly kind: 'planned';
  readonly plan: Plan;
  readonly draft: Projection;
  readonly after: Reading;
  readonly states: ReadonlyMap<string, unknown>;
  readonly stageMs: Readonly<Record<string, number>>;
}

export type RunOutcome =
  | Planned
  | {
      readonly kind: 'noop';
      readonly reason: string;
      readonly stages: readonly StageOutcome[];
      /** Edits that were proposed and not planned. */
      readonly unplanned?: readonly PlannedEdit[];
    }
  | Unreachable;

/** Plans one run on a draft. Commits nothing; the same input gives the same plan, however often the steps pause. */
export function* planRun(input: RunInput): Steps<RunOutcome> {
  const draft = new RunDraft(input);
  const { policy, delegated, injected = [] } = input;
  const { shares } = policy;
  const fullFloor = fullFloorOf(draft, yield* draft.viewing());
  const { floor } = fullFloor;
  if (isTooLarge(fullFloor, draft.before)) return unreachable(fullFloor, draft.before, []);
  // Delegated edits are applied first: they were judged on the unchanged view.
  if (delegated)
    yield* draft.step(PIPELINE_STEPS.delegate, policy.gates[0]?.opensAt ?? 1, () => delegated.edits);
  yield* dropReminders(draft, (view) => ({ need: pinnedTokens(view) - draft.share(shares.pins) }));
  yield* draft.step(
    PIPELINE_STEPS.pins,
    0,
    (view) => cutPins(view, draft.share(shares.pins), input.count),
    FIT_RIGHTS,
  );
  yield* draft.step(
    PIPELINE_STEPS.fresh,
    0,
    (view) => cutFreshResults(view, draft.share(shares.unseen), input.count),
    FIT_RIGHTS,
  );
  yield* openStages(draft);
  if (draft.edits.length > 0)
    yield* dropReminders(draft, () => ({
      need: 0,
      changedFrom: firstChangedBy(draft.edits, input.source.log),
    }));
  if (policy.dropsToTarget) yield* dropToTarget(draft);
  if (wouldBeRefused(draft)) yield* runHarder(draft);
  if (wouldBeRefused(draft)) yield* dropToFit(draft);
  if (!isWorthIt(draft)) return gainedTooLittle(draft);
  if (draft.edits.length > 0) {
    yield* draft.step(
      PIPELINE_STEPS.carriedByPlugin,
      0,
      (view) => carryInjected(view, injected),
      EXTENDING_RIGHTS,
    );
    const room = roomForDigests(draft);
    yield* draft.step(
      PIPELINE_STEPS.regrow,
      0,
      (view) =>
        regrowDigests(view, room, {
          slotOf: (exchange) => slotOf(draft, exchange),
          count: input.count,
          maxSummaryTokens: policy.maxSummaryTokens,
          sourceTokens: input.asksModel ? (exchange) => sourceTokens(input.source, exchange) : undefined,
        }),
      EXTENDING_RIGHTS,
    );
  }
  yield* applyReasoningRule(draft);

  const stages = draft.outcomes;
  if (draft.reading.pressure > 1) return unreachable(fullFloor, draft.reading, stages);
  if (draft.edits.length === 0 || !isWorthIt(draft)) return gainedTooLittle(draft);
  return finishPlan(draft, floor);
}

function gainedTooLittle(draft: RunDraft): RunOutcome {
  const { input, before } = draft;
  const minGain = leastGain(input);
  const gain = gainOf(before, draft.reading);
  const points = (share: number): string => (share * 100).toFixed(1);
  const reason =
    draft.edits.length === 0
      ? 'no stage had anything to propose'
      : gain < minGain
        ? `would lower pressure by ${points(gain)} points, less than the minimum of ${minGain * 100}`
        : `would come down to ${draft.reading.pressure.toFixed(3)}, above the ${input.policy.reach.toFixed(3)} that is worth the rewriting`;
  return { kind: 'noop', reason, stages: draft.outcomes, unplanned: draft.edits };
}

/** The slot that this run offers for a replacement's span. Edits that later joined the replacement have no slot. */
function slotOf({ edits }: RunDraft, { fromId, toId }: ViewExchange): Slot | undefined {
  return edits.findLast(
    (edit) => edit.kind === 'supersede' && edit.slot && edit.fromId === fromId && edit.toId === toId,
  )?.slot;
}

/** Tokens of the messages that a replacement replaces, without pins. */
function sourceTokens({ log, isPinned }: ViewSource, { from, to }: ViewExchange): number {
  let tokens = 0;
  for (let seq = from; seq <= to; seq++) if (!isPinned(log.at(seq))) tokens += log.at(seq).size.tokens;
  return tokens;
}

function* openStages(draft: RunDraft): Steps<void> {
  const { input, before } = draft;
  const { policy, forced } = input;
  const escalation = forced ? 'target' : policy.escalation;
  for (const [index, stage] of policy.stages.entries()) {
    const rule = { escalation, target: policy.target, first: index === 0 } as const;
    // From `LAST_CALL` on, a run that gained too little continues through every gate that was open at its start.
    const continues = before.pressure >= Math.max(LAST_CALL, stage.opensAt) && !hasGained(draft);
    const opens = continues || stageOpens(draft.reading.pressure, stage, rule);
    if (!opens && tierPressure(draft.reading) <= 1) return;
    yield* runStage(draft, stage);
  }
}

function* runStage(draft: RunDraft, stage: OpenableStage): Steps<void> {
  yield* draft.step(stage.stage, stage.opensAt, (view) =>
    proposalOf(stage, draft, view, draft.reclaim(draft.input.policy.target)),
  );
}

/** A stage with more steps of `harder` than this is in a loop. */
const MAX_HARDER_STEPS = 16;

/** If all stages together freed too little, runs them again with their harder options before anything is dropped. */
function* runHarder(draft: RunDraft): Steps<void> {
  for (const stage of draft.input.policy.stages) {
    let { options } = stage;
    for (let step = 0; step < MAX_HARDER_STEPS && wouldBeRefused(draft); step++) {
      options = harderOf(stage, options);
      if (options === undefined) break;
      yield* runStage(draft, { ...stage, options });
    }
  }
}

function harderOf({ plugin }: OpenableStage, options: unknown): unknown {
  try {
    return plugin.harder?.(options);
  } catch {
    return undefined;
  }
}

export function finishPlan(draft: RunDraft, floor: Floor): Planned {
  const { log, isPinned } = draft.input.source;
  const edits = keepSlots(keptEdits(draft.edits, log, isPinned), draft.edits);
  return withPlan(draft, planOf(draft, { edits, floor }));
}

/** A plan together with the results of its draft. */
export function withPlan({ projection, reading, states, stageMs }: RunDraft, plan: Plan): Planned {
  return { kind: 'planned', plan, draft: projection, after: reading, states, stageMs };
}
