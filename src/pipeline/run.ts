import { LAST_CALL } from '../pressure/index.js';
import type { ViewExchange } from '../spi/index.js';
import type { Reading } from '../tokens/index.js';
import type {
  Floor,
  Plan,
  PlannedEdit,
  Projection,
  Size,
  Slot,
  StageOutcome,
  Trigger,
} from '../transcript/index.js';
import type { Delegated } from './delegated.js';
import { RunDraft, type RunDraftParts } from './draft.js';
import { dropToFit, dropToTarget } from './drop.js';
import { cutFreshResults, cutPins, FIT_RIGHTS } from './fit.js';
import { carryInjected, CARRY_RIGHTS, type Injected } from './inject.js';
import { keepSlots, survivors } from './kept-edits.js';
import { planOf } from './plan-value.js';
import { stageOpens, type OpenableStage, type Policy, PIPELINE_STEPS } from './policy.js';
import { gainOf, proposalOf, tierOf, type RunOfStages } from './proposal.js';
import { regrowDigests, REGROW_RIGHTS } from './regrow.js';
import { roomForDigests } from './room.js';
import { applyReasoningRule } from './signed.js';
import { isTooMuch, leastOf, unreachable, type Unreachable } from './unreachable.js';
import type { ViewSource } from './view.js';
import { hasGained, isWorthIt, leastGain, mustGoOn, stillWorth } from './worth.js';

export interface RunInput extends RunDraftParts {
  /** Ledger head the plan is made on. */
  readonly base: string;
  readonly trigger: Trigger;
  /** The message whose marker asked for the run. */
  readonly queuedBy?: string;
  readonly policy: Policy;
  /** An operator asked, or a provider refused: gates do not matter, the target does. */
  readonly forced: boolean;
  /** A provider has refused the request, whatever it is read as. */
  readonly refused?: boolean;
  /** Tool definitions and reserves that readings include and no edit can change. */
  readonly fixed: Size;
  readonly count: (text: string) => number;
  /** Milliseconds since the epoch, for the plan. */
  readonly clock: number;
  /** By stage: what it returned as `state` last time. */
  readonly states: ReadonlyMap<string, unknown>;
  /** What a compactor has made of the view, in the place of stages. */
  readonly delegated?: Delegated;
  /** A model will be asked: its earlier, cramped summaries may be requested again. */
  readonly asks?: boolean;
  /** What plugins have carried. */
  readonly injected?: readonly Injected[];
}

export type RunOutcome =
  | {
      readonly kind: 'planned';
      readonly plan: Plan;
      readonly draft: Projection;
      readonly after: Reading;
      readonly states: ReadonlyMap<string, unknown>;
      readonly stageMs: Readonly<Record<string, number>>;
    }
  | {
      readonly kind: 'noop';
      readonly reason: string;
      readonly stages: readonly StageOutcome[];
      /** What was proposed and not taken. */
      readonly tried?: readonly PlannedEdit[];
    }
  | Unreachable;

/** Plans one run from start to end, on a draft. Commits nothing; the same input gives the same plan. */
export function planRun(input: RunInput): RunOutcome {
  const draft = new RunDraft(input);
  const before = draft.reading;
  const { shares } = input.policy;
  const least = leastOf(draft, input);
  const { floor } = least;
  if (isTooMuch(least, before)) return unreachable(least, before, []);

  const states = new Map(input.states);
  const { delegated, injected = [] } = input;
  // First of all: it was judged on the view as it stands.
  if (delegated)
    draft.step(PIPELINE_STEPS.delegate, input.policy.gates[0]?.opensAt ?? 1, () => delegated.edits);
  draft.step(
    PIPELINE_STEPS.pins,
    0,
    (view) => cutPins(view, draft.share(shares.pins), input.count),
    FIT_RIGHTS,
  );
  draft.step(
    PIPELINE_STEPS.fresh,
    0,
    (view) => cutFreshResults(view, draft.share(shares.unseen), input.count),
    FIT_RIGHTS,
  );
  const run: Run = { draft, input, before, states };
  openStages(run);
  if (input.policy.dropsToTarget) dropToTarget(draft, input);
  if (mustGoOn(input, before, draft)) goFurther(run);
  if (mustGoOn(input, before, draft)) dropToFit(draft, input);
  if (!isWorthIt(input, before, draft)) return tooLittle(draft, input, before);
  if (draft.edits.length > 0) {
    draft.step(PIPELINE_STEPS.carriedByPlugin, 0, (view) => carryInjected(view, injected), CARRY_RIGHTS);
    const room = roomForDigests(draft, input.policy, stillWorth(input, before, draft));
    draft.step(
      PIPELINE_STEPS.regrow,
      0,
      (view) =>
        regrowDigests(view, room, {
          slotOf: (exchange) => offeredIn(draft, exchange),
          count: input.count,
          most: input.policy.mostSummaryTokens,
          sourceOf: input.asks ? (exchange) => sourceTokens(input.source, exchange) : undefined,
        }),
      REGROW_RIGHTS,
    );
  }
  applyReasoningRule(draft, input);

  const stages = draft.outcomes;
  if (draft.reading.pressure > 1) return unreachable(least, draft.reading, stages);
  if (draft.edits.length === 0) return tooLittle(draft, input, before);
  if (!isWorthIt(input, before, draft)) return tooLittle(draft, input, before);
  return planned(draft, input, before, floor, states);
}

function tooLittle(draft: RunDraft, input: RunInput, before: Reading): RunOutcome {
  const minGain = leastGain(input);
  const gain = gainOf(before, draft.reading);
  const points = (share: number): string => (share * 100).toFixed(1);
  const reason =
    draft.edits.length === 0
      ? 'no stage had anything to propose'
      : gain < minGain
        ? `would lower pressure by ${points(gain)} points, less than the minimum of ${minGain * 100}`
        : `would come down to ${draft.reading.pressure.toFixed(3)}, above the ${input.policy.reach.toFixed(3)} that is worth the rewriting`;
  return { kind: 'noop', reason, stages: draft.outcomes, tried: draft.edits };
}

/** What this run leaves to a model of the span of a replacement. What joined it since says nothing of that. */
function offeredIn({ edits }: RunDraft, { fromId, toId }: ViewExchange): Slot | undefined {
  return edits.findLast(
    (edit) => edit.kind === 'supersede' && edit.slot && edit.fromId === fromId && edit.toId === toId,
  )?.slot;
}

/** Of the messages that a replacement stands for, those that stand beside it left out. */
function sourceTokens({ log, isPinned }: ViewSource, { from, to }: ViewExchange): number {
  let tokens = 0;
  for (let seq = from; seq <= to; seq++) if (!isPinned(log.at(seq))) tokens += log.at(seq).size.tokens;
  return tokens;
}

/** What the stages of one run share. */
interface Run extends RunOfStages {
  readonly input: RunInput;
  /** Of the request as the run began. */
  readonly before: Reading;
}

function openStages(run: Run): void {
  const { draft, input, before } = run;
  const { policy, forced } = input;
  const escalation = forced ? 'target' : policy.escalation;
  for (const [index, stage] of policy.stages.entries()) {
    const rule = { escalation, target: policy.target, first: index === 0 } as const;
    // Near the brim a run that gained too little is no answer: it goes on through every gate that it began above.
    const goesOn = before.pressure >= Math.max(LAST_CALL, stage.opensAt) && !hasGained(input, before, draft);
    const opens = goesOn || stageOpens(draft.reading.pressure, stage, rule);
    if (!opens && tierOf(draft.reading) <= 1) return;
    open(run, stage);
  }
}

function open(run: Run, stage: OpenableStage): void {
  const { draft, input } = run;
  draft.step(stage.stage, stage.opensAt, (view) =>
    proposalOf(stage, run, view, draft.reclaim(input.policy.target)),
  );
}

/** More steps than this are no steps but a loop. */
const MAX_STEPS = 16;

/** Where all stages together were not enough: those that can, once more under harder options, before anything is dropped. */
function goFurther(run: Run): void {
  for (const stage of run.input.policy.stages) {
    let { options } = stage;
    for (let step = 0; step < MAX_STEPS && mustGoOn(run.input, run.before, run.draft); step++) {
      options = harderOf(stage, options);
      if (options === undefined) break;
      open(run, { ...stage, options });
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

export function planned(
  draft: RunDraft,
  input: RunInput,
  before: Reading,
  floor: Floor,
  states: ReadonlyMap<string, unknown>,
): RunOutcome {
  const { log, isPinned } = input.source;
  const edits = keepSlots(survivors(draft.edits, log, isPinned), draft.edits);
  const plan = planOf(draft, input, { before, stages: draft.outcomes, edits, floor });
  const { reading: after, stageMs } = draft;
  return { kind: 'planned', plan, draft: draft.projection, after, states, stageMs };
}
