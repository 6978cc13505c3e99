import { SpillwayError } from '../errors/index.js';
import type { MeasureMessage, StageGoal, TranscriptView } from '../spi/index.js';
import type { Reading } from '../tokens/index.js';
import type {
  Edit,
  EditFault,
  Floor,
  Plan,
  PlannedEdit,
  Projection,
  StageOutcome,
  Trigger,
} from '../transcript/index.js';
import { stageOpens } from './due.js';
import { cutFreshResults, cutPins, dropOldest, FIT_RIGHTS, shrinkFresh } from './fit.js';
import { computeFloor } from './floor.js';
import { createGuard, type GuardRights } from './guard.js';
import { hashPlan } from './hash.js';
import { measureEdit } from './measure.js';
import type { OpenableStage, Policy } from './policy.js';
import { survivors } from './survivors.js';
import { buildView, type ViewSource } from './view.js';

export interface RunInput {
  readonly source: ViewSource;
  readonly projection: Projection;
  /** Ledger head the plan is made on. */
  readonly base: string;
  readonly trigger: Trigger;
  readonly policy: Policy;
  /** An operator asked: gates do not matter, the target does. */
  readonly forced: boolean;
  readonly read: (projection: Projection) => Reading;
  /** Tool definitions and reserves that readings include and no edit can change; counted tokens. */
  readonly fixedTokens: number;
  readonly measure: MeasureMessage;
  readonly count: (text: string) => number;
  /** Milliseconds since the epoch, for the plan. */
  readonly clock: number;
  /** Monotonic milliseconds, for durations. */
  readonly timer: () => number;
  readonly states: ReadonlyMap<string, unknown>;
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
  | { readonly kind: 'noop'; readonly reason: string; readonly stages: readonly StageOutcome[] }
  | { readonly kind: 'unreachable'; readonly error: SpillwayError; readonly stages: readonly StageOutcome[] };

/** Plans one run from start to end, on a draft. Pure but for the clock: nothing is committed here. */
export function planRun(input: RunInput): RunOutcome {
  const run = new Run(input);
  const before = input.read(input.projection);
  const floor = run.floor();
  if (floor.total * before.scale > before.budget.tokens)
    return { ...run.unreachable(floor, before), stages: [] };

  run.fitPinsAndFresh();
  run.openStages();
  if (run.reading.pressure > 1) run.dropToFit();

  const after = run.reading;
  if (after.pressure > 1) return { ...run.unreachable(floor, after), stages: run.outcomes };
  // Fitting at all is always worth a commit; otherwise the run must have earned the cache it costs.
  const fitted = before.pressure > 1;
  if (run.edits.length === 0)
    return { kind: 'noop', reason: 'no stage had anything to propose', stages: run.outcomes };
  if (!fitted && run.gain(before) < input.policy.minGain) {
    const gain = (run.gain(before) * 100).toFixed(1);
    return {
      kind: 'noop',
      reason: `would lower pressure by ${gain} points, less than the minimum of ${input.policy.minGain * 100}`,
      stages: run.outcomes,
    };
  }
  return {
    kind: 'planned',
    plan: run.plan(before, floor),
    draft: run.draft,
    after,
    states: run.states,
    stageMs: run.stageMs,
  };
}

/** Pressure of tool results on their own cap; 0 where none is set. */
function tier(reading: Reading): number {
  return reading.byToolResults ?? 0;
}

class Run {
  readonly draft: Projection;
  readonly edits: PlannedEdit[] = [];
  readonly outcomes: StageOutcome[] = [];
  readonly states: Map<string, unknown>;
  readonly stageMs: Record<string, number> = {};
  readonly #input: RunInput;
  #view: TranscriptView | undefined;
  #reading: Reading;

  constructor(input: RunInput) {
    this.#input = input;
    this.draft = input.projection.fork();
    this.states = new Map(input.states);
    this.#reading = input.read(this.draft);
  }

  get reading(): Reading {
    return this.#reading;
  }

  get view(): TranscriptView {
    return (this.#view ??= buildView(this.#input.source, this.draft));
  }

  floor(): Floor {
    const { policy, fixedTokens } = this.#input;
    return computeFloor(this.view.exchanges, fixedTokens, this.#share(policy.shares.pins));
  }

  /** Lowest of the two ways pressure can fall: the whole, or a tier that stood above its cap. */
  gain(before: Reading): number {
    return Math.max(
      before.pressure - this.#reading.pressure,
      tier(before) - Math.max(1, tier(this.#reading)),
    );
  }

  fitPinsAndFresh(): void {
    const { shares } = this.#input.policy;
    const { count } = this.#input;
    this.#propose('pins', 0, FIT_RIGHTS, (view) => cutPins(view, this.#share(shares.pins), count));
    this.#propose('fresh', 0, FIT_RIGHTS, (view) => cutFreshResults(view, this.#share(shares.unseen), count));
  }

  openStages(): void {
    const { policy, forced } = this.#input;
    let first = true;
    for (const stage of policy.stages) {
      const rule = {
        escalation: forced ? ('target' as const) : policy.escalation,
        target: policy.target,
        first,
      };
      if (!stageOpens(this.#reading.pressure, stage, rule) && tier(this.#reading) <= 1) return;
      first = false;
      this.#openStage(stage);
    }
  }

  /** Below every stage: oldest first, then fresh results to whatever size fits. */
  dropToFit(): void {
    const { policy, count } = this.#input;
    this.#propose('drop', 1, FIT_RIGHTS, (view) => dropOldest(view, this.#reclaim(policy.target)));
    if (this.#reading.pressure <= 1) return;
    this.#propose('fresh', 1, FIT_RIGHTS, (view) => shrinkFresh(view, this.#reclaim(1), count));
    if (this.#reading.pressure <= 1) return;
    const least = this.#share(policy.shares.pins) - this.#reclaim(1);
    this.#propose('pins', 1, FIT_RIGHTS, (view) => cutPins(view, Math.max(0, least), count));
  }

  unreachable(floor: Floor, reading: Reading): { kind: 'unreachable'; error: SpillwayError } {
    const parts = Object.entries(floor.parts).filter(([, tokens]) => tokens > 0);
    return {
      kind: 'unreachable',
      error: new SpillwayError('BUDGET_UNREACHABLE', {
        subject: 'what may never be removed',
        found: `${Math.ceil(floor.total * reading.scale)} tokens (${parts.map(([name, n]) => `${name} ${n}`).join(', ')})`,
        allowed: `${reading.budget.tokens} tokens`,
        remedy:
          'Use a larger window, shorten the message or the tool definitions, or release pins and holds.',
        facts: { floor, limit: reading.budget.tokens, tokens: reading.tokens },
      }),
    };
  }

  plan(before: Reading, floor: Floor): Plan {
    const { base, trigger, source, projection, clock } = this.#input;
    const edits = survivors(this.edits, source.log, source.isPinned);
    const unhashed: Omit<Plan, 'hash'> = {
      base,
      trigger,
      inputs: {
        tokens: before.tokens,
        budget: before.budget.tokens,
        pressure: before.pressure,
        derivation: before.derivation,
        scale: before.scale,
        clock,
        logLength: source.log.length,
      },
      stages: this.outcomes,
      edits,
      before: projection.size,
      after: this.draft.size,
      floor,
      firstChanged: Math.min(...edits.map((edit) => this.#positionOf(edit))),
    };
    return { ...unhashed, hash: hashPlan(unhashed) };
  }

  #openStage(stage: OpenableStage): void {
    this.#propose(stage.stage, stage.opensAt, undefined, (view) => {
      const { policy, count, clock } = this.#input;
      const { budget, scale } = this.#reading;
      const overCap = Math.max(0, tier(this.#reading) - 1) * (budget.caps.toolResults ?? 0);
      const goal: StageGoal = {
        reclaim: this.#reclaim(policy.target),
        reclaimResults: Math.ceil(overCap / scale),
        budget,
        summaryTokens: Math.floor(this.#share(policy.shares.summary)),
        options: stage.options,
        state: this.states.get(stage.stage),
        now: clock,
        count,
      };
      const proposal = stage.plugin.plan(view, goal);
      if (!Array.isArray(proposal?.edits)) throw new TypeError('plan() returned no list of edits');
      if (proposal.state !== undefined) this.states.set(stage.stage, proposal.state);
      return proposal.edits;
    });
  }

  /** Runs one proposer, takes what the guard lets through, and writes down what came of it. */
  #propose(
    stage: string,
    opensAt: number,
    rights: GuardRights | undefined,
    propose: (view: TranscriptView) => readonly Edit[],
  ): void {
    const { timer, source, measure } = this.#input;
    const started = timer();
    const before = this.draft.size;
    const faults: EditFault[] = [];
    let proposed = 0;
    const accepted: PlannedEdit[] = [];
    try {
      const edits = propose(this.view);
      proposed = edits.length;
      const guard = proposed > 0 ? createGuard(this.view, source.log, rights) : undefined;
      for (const edit of edits) {
        const fault = guard!.judgePlace(edit);
        const planned = fault ? undefined : measureEdit(edit, stage, source.log, measure);
        const late = planned && guard!.judgeGain(planned);
        if (planned && !late) accepted.push(planned);
        else faults.push((fault ?? late)!);
      }
    } catch (error) {
      accepted.length = 0;
      faults.unshift({
        code: 'STAGE_FAILED',
        message: error instanceof Error ? error.message : String(error),
      });
    }
    if (accepted.length > 0) {
      this.draft.apply(accepted);
      this.edits.push(...accepted);
      this.#view = undefined;
      this.#reading = this.#input.read(this.draft);
    }
    // The pipeline's own steps are only worth a line when they did something.
    if (rights && accepted.length === 0 && faults.length === 0) return;
    const failed = faults[0]?.code === 'STAGE_FAILED';
    this.outcomes.push({
      stage,
      opensAt,
      before,
      after: this.draft.size,
      edits: accepted.length,
      refused: failed ? proposed : faults.length,
      outcome: failed
        ? 'failed'
        : accepted.length > 0
          ? 'applied'
          : faults.length > 0
            ? 'refused'
            : 'nothing',
      faults: faults.slice(0, 5),
    });
    this.stageMs[stage] = (this.stageMs[stage] ?? 0) + timer() - started;
  }

  /** Counted tokens between the reading and a pressure. */
  #reclaim(pressure: number): number {
    const { tokens, budget, scale } = this.#reading;
    return Math.max(0, Math.ceil((tokens - pressure * budget.tokens) / scale));
  }

  /** A share of the budget in counted tokens. */
  #share(share: number): number {
    return (share * this.#reading.budget.tokens) / this.#reading.scale;
  }

  #positionOf(edit: PlannedEdit): number {
    return this.#input.source.log.find(edit.kind === 'replace' ? edit.messageId : edit.fromId)!.seq;
  }
}
