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

/** The inputs of a run. */
export interface RunInput {
  readonly source: ViewSource;
  readonly projection: Projection;
  readonly read: (projection: Projection) => Reading;
  readonly measure: MeasureMessage;
  /** Monotonic milliseconds, for durations. */
  readonly timer: () => number;
  /** Called with each step as it ends, and its milliseconds. */
  readonly onStep?: ((outcome: StageOutcome, durationMs: number) => void) | undefined;
  /** Ledger head on which the plan is based. */
  readonly base: string;
  readonly trigger: Trigger;
  /** The message whose marker requested the run. */
  readonly queuedBy?: string;
  readonly policy: Policy;
  /** An operator asked, or a provider refused: gates do not matter, the target does. */
  readonly forced: boolean;
  /** A provider has refused the request, at any reading. */
  readonly refused?: boolean;
  /** Tool definitions and reserves that readings include and no edit can change. */
  readonly fixed: Size;
  readonly count: (text: string) => number;
  /** Milliseconds since the epoch, for the plan. */
  readonly clock: number;
  /** The `state` that each stage returned last time, by stage. */
  readonly states: ReadonlyMap<string, unknown>;
  /** A compactor's edits, instead of those of stages. */
  readonly delegated?: Delegated;
  /** A model will be asked: its earlier, cramped summaries may be requested again. */
  readonly asksModel?: boolean;
  /** The texts that plugins want carried. */
  readonly injected?: readonly Injected[];
}

/** A run in progress: a view that steps edit. Only this class judges, measures and applies what steps propose. */
export class RunDraft {
  readonly input: RunInput;
  /** Reading of the request at the start of the run. */
  readonly before: Reading;
  readonly projection: Projection;
  /** The newest `state` of each stage, by stage. */
  readonly states: Map<string, unknown>;
  readonly edits: PlannedEdit[] = [];
  readonly outcomes: StageOutcome[] = [];
  readonly stageMs: Record<string, number> = {};
  /** The treatment of signed reasoning after the change. */
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
   * Counted tokens between the reading and a pressure; 0 if the reading is lower. If bytes are closer to their limit,
   * text is reduced in the same proportion.
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

  /** The excess over a pressure in tokens, bytes and images. */
  excess(pressure: number): Size {
    const { tokens, bytes, images, budget, scale } = this.#reading;
    // Without a limit nothing is in excess; a share of `Infinity` would be `NaN` at a pressure of 0.
    const over = (amount: number, limit = Infinity): number =>
      limit === Infinity ? 0 : Math.max(0, amount - pressure * limit);
    return {
      tokens: Math.ceil(over(tokens, budget.tokens) / scale),
      bytes: Math.ceil(over(bytes, budget.bytes)),
      images: Math.ceil(over(images, budget.images)),
    };
  }

  /**
   * Runs one step, applies the edits that the guard accepts, and records the outcome. The pipeline's own steps have
   * `rights`, and only get an outcome if they did something.
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
    const outcome: StageOutcome = {
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
    this.outcomes.push(outcome);
    this.stageMs[stage] = (this.stageMs[stage] ?? 0) + durationMs;
    this.input.onStep?.(outcome, durationMs);
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
        const by = (rights?.keepsMark && markOfReplacement(view, edit)) || { stage, reason: edit.reason };
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

/** The edits that a step proposes, made at once or in steps. */
export type Propose = (view: TranscriptView) => Made<readonly Edit[]>;

/** Approximate bytes of one token of text as it is sent; converts a limit in bytes to tokens. */
const BYTES_PER_TOKEN = 4;

/** Tokens of a budget, or fewer if its bytes run out first: a share of an unusable window would be too large. */
export function tokensOf({ tokens, bytes }: Budget): number {
  return Math.min(tokens, (bytes ?? Infinity) / BYTES_PER_TOKEN);
}

/** The stage and reason of the replacement that an edit extends. */
function markOfReplacement({ exchanges }: TranscriptView, edit: Edit): EditMark | undefined {
  if (edit.kind !== 'supersede') return undefined;
  const standing = exchanges.find(({ fromId, toId }) => fromId === edit.fromId && toId === edit.toId);
  return standing?.messages[0]?.made;
}

/** A faulty stage tends to repeat one fault; the first few explain it. */
const MAX_FAULTS = 5;
