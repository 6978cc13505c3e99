import { thrownText } from '../errors/index.js';
import type { MeasureMessage, TranscriptView } from '../spi/index.js';
import type { Budget, Reading } from '../tokens/index.js';
import {
  atOnce,
  madeIn,
  type Edit,
  type EditFault,
  type EditMark,
  type Made,
  type PlannedEdit,
  type Projection,
  type ReasoningOutcome,
  type Size,
  type StageOutcome,
  type Steps,
  type Trigger,
} from '../transcript/index.js';
import type { Delegated } from './delegated.js';
import { createGuard, type GuardRights } from './guard.js';
import type { Injected } from './inject.js';
import { measureEdit } from './measure.js';
import type { Policy } from './policy.js';
import { readEdit } from './shape.js';
import { buildingView, type ViewSource } from './view.js';

/** What a run is planned on. */
export interface RunInput {
  readonly source: ViewSource;
  readonly projection: Projection;
  readonly read: (projection: Projection) => Reading;
  readonly measure: MeasureMessage;
  /** Monotonic milliseconds, for durations. */
  readonly timer: () => number;
  /** Hears of each step as it ends, with its milliseconds. */
  readonly onStep?: ((outcome: StageOutcome, durationMs: number) => void) | undefined;
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

/** A run on its way: a view being edited, step by step. What steps propose is judged, measured and applied here, and nowhere else. */
export class RunDraft {
  readonly input: RunInput;
  /** Of the request as the run began. */
  readonly before: Reading;
  readonly projection: Projection;
  /** By stage: what it returned as `state`, now or last time. */
  readonly states: Map<string, unknown>;
  readonly edits: PlannedEdit[] = [];
  readonly outcomes: StageOutcome[] = [];
  readonly stageMs: Record<string, number> = {};
  /** What was done about signed reasoning behind the change. */
  reasoning: ReasoningOutcome | undefined;
  #view: TranscriptView | undefined;
  #reading: Reading;

  constructor(input: RunInput) {
    this.input = input;
    this.projection = input.projection.fork();
    this.states = new Map(input.states);
    this.before = this.#reading = input.read(this.projection);
  }

  get reading(): Reading {
    return this.#reading;
  }

  get view(): TranscriptView {
    return atOnce(this.viewing());
  }

  *viewing(): Steps<TranscriptView> {
    return (this.#view ??= yield* buildingView(this.input.source, this.projection));
  }

  /**
   * Counted tokens between the reading and a pressure; 0 where it is lower already. Where bytes are nearer their limit,
   * text has to give way in the same proportion.
   */
  reclaim(pressure: number): number {
    const { tokens, scale, byTokens, byBytes = 0 } = this.#reading;
    const fullest = Math.max(byTokens, byBytes);
    return fullest <= pressure ? 0 : Math.ceil((tokens * (1 - pressure / fullest)) / scale);
  }

  /** A share of the budget, in counted tokens. */
  share(share: number): number {
    return (share * tokensOf(this.#reading.budget)) / this.#reading.scale;
  }

  /** What has to go so that a pressure is reached, in each of the three. */
  excess(pressure: number): Size {
    const { tokens, bytes, images, budget, scale } = this.#reading;
    // Of a limit there is not, no share is 0 and none is over it.
    const over = (amount: number, limit = Infinity): number =>
      limit === Infinity ? 0 : Math.max(0, amount - pressure * limit);
    return {
      tokens: Math.ceil(over(tokens, budget.tokens) / scale),
      bytes: Math.ceil(over(bytes, budget.bytes)),
      images: Math.ceil(over(images, budget.images)),
    };
  }

  /**
   * Runs one step, takes what the guard lets through, and writes down what came of it. Steps of the pipeline itself
   * come with `rights` and only get a line where they did something.
   */
  *step(stage: string, opensAt: number, propose: Propose, rights?: GuardRights): Steps<void> {
    yield;
    const started = this.input.timer();
    const before = this.projection.size;
    const { accepted, faults, proposed } = yield* this.#judge(stage, propose, rights);
    if (accepted.length > 0) {
      for (const edit of accepted) {
        yield;
        yield* this.projection.applying(edit);
        this.edits.push(edit);
      }
      yield;
      this.#view = undefined;
      this.#reading = this.input.read(this.projection);
    }
    if (rights && accepted.length === 0 && faults.length === 0) return;
    const failed = faults[0]?.code === 'STAGE_FAILED';
    const told: StageOutcome = {
      stage,
      opensAt,
      before,
      after: this.projection.size,
      edits: accepted.length,
      refused: failed ? proposed : faults.length,
      outcome: failed
        ? 'failed'
        : accepted.length > 0
          ? 'applied'
          : faults.length > 0
            ? 'refused'
            : 'nothing',
      faults: faults.slice(0, MAX_FAULTS),
    };
    const durationMs = this.input.timer() - started;
    this.outcomes.push(told);
    this.stageMs[stage] = (this.stageMs[stage] ?? 0) + durationMs;
    this.input.onStep?.(told, durationMs);
  }

  *#judge(stage: string, propose: Propose, rights: GuardRights | undefined) {
    const { source, measure, policy } = this.input;
    const faults: EditFault[] = [];
    let proposed = 0;
    let accepted: PlannedEdit[] = [];
    try {
      const view = yield* this.viewing();
      const edits = yield* madeIn(propose(view));
      proposed = edits.length;
      const guard =
        proposed > 0 ? createGuard(view, source.log, rights, policy.reasoning?.binding) : undefined;
      for (const proposal of edits) {
        yield;
        const edit = readEdit(proposal);
        if (!edit) {
          faults.push({ code: 'EDIT_ILLEGAL', message: 'is no edit' });
          continue;
        }
        const misplaced = guard!.judgePlace(edit);
        yield;
        const by = (rights?.joins && standingMark(view, edit)) || { stage, reason: edit.reason };
        const planned = misplaced
          ? undefined
          : measureEdit({ ...edit, reason: by.reason }, by.stage, source.log, measure, source);
        yield;
        const fault = misplaced ?? guard!.judgeGain(planned!);
        if (fault) faults.push(fault);
        else accepted.push(planned!);
      }
      yield;
    } catch (error) {
      accepted = [];
      faults.unshift({
        code: 'STAGE_FAILED',
        message: thrownText(error),
      });
    }
    return { accepted, faults, proposed };
  }
}

/** What a step offers to do, made at once or in steps. */
export type Propose = (view: TranscriptView) => Made<readonly Edit[]>;

/** Bytes of one token of text as it is sent, about; shares of a budget that bytes bind are taken by it. */
const BYTES_PER_TOKEN = 4;

/** Tokens that a budget leaves where bytes are nearer their end: shares of a window that cannot be filled are too large. */
export function tokensOf({ tokens, bytes }: Budget): number {
  return Math.min(tokens, (bytes ?? Infinity) / BYTES_PER_TOKEN);
}

/** Who took out the span that an edit puts something else in the place of, and why. */
function standingMark({ exchanges }: TranscriptView, edit: Edit): EditMark | undefined {
  if (edit.kind !== 'supersede') return undefined;
  const standing = exchanges.find(({ fromId, toId }) => fromId === edit.fromId && toId === edit.toId);
  return standing?.messages[0]?.made;
}

/** A stage that gets everything wrong gets it wrong in the same way; the first few say how. */
const MAX_FAULTS = 5;
