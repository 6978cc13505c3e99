import type { Settings } from '../config/index.js';
import {
  calibrate,
  estimateOf,
  measureTools,
  ratioAt,
  readPressure,
  UNCALIBRATED,
  type Budget,
  type Calibration,
  type ModelLimits,
  type Reading,
  type Usage,
} from '../tokens/index.js';
import { offersRecall, type Projection, type Size } from '../transcript/index.js';
import { budgetFor, limitsFor, ratioFor, type AnswerRoom } from './budget.js';
import type { ProvenLimits } from './learned-limits.js';
import type { Pieces } from './wiring.js';

/** The calibration and limits that reports and refusals have taught. */
interface Knowledge {
  readonly model: string | null;
  readonly calibration: Calibration;
  readonly learned: ReadonlyMap<string | null, ProvenLimits>;
}

/** Turns the size of a view into a reading on one scale, and learns that scale from the usage the provider reports. */
export class Gauge {
  #model: string | null;
  /** Most tokens that the model may use for its answer to the next request. */
  #requestedOutput: number | undefined;
  /** Most tokens kept for the answer, set when the floor would not fit next to the usual room for it. */
  #maxAnswer: number | undefined;
  #learned = new Map<string | null, ProvenLimits>();
  #budget!: Budget;
  /** Tokens of the model for each token of the counter. */
  #ratio!: number;
  #calibration: Calibration = UNCALIBRATED;
  /** Calibrations of models that were used before. */
  readonly #calibrations = new Map<string | null, Calibration>();
  #generation = 0;
  /** The last count taken in is from a refusal. */
  #isRefused = false;
  #loading: Promise<void> | undefined;
  /** Size of tool definitions and other content that no edit can change. Follows the tools of a followed client. */
  fixed: Size;
  /** Whether the agent has the recall tool. */
  recall: boolean;

  constructor(private readonly pieces: Pick<Pieces, 'catalogue' | 'counter' | 'options' | 'settings'>) {
    const { tools = [], model = pieces.settings.model } = pieces.options;
    this.#model = model;
    this.fixed = measureTools(pieces.counter, tools);
    this.recall = offersRecall(tools);
    this.#derive();
    this.#loadLimits();
  }

  get budget(): Budget {
    return this.#budget;
  }

  /** Model that the requests go to; null if none was named. */
  get model(): string | null {
    return this.#model;
  }

  /** Resolves when the limits of the model are loaded and `read` uses them; undefined if nothing is being loaded. */
  get loading(): Promise<void> | undefined {
    return this.#loading;
  }

  /** Limits that refusals have proven for the model. */
  get learned(): ProvenLimits {
    return this.#learned.get(this.#model) ?? {};
  }

  /** How many times the view was rewritten. */
  get generation(): number {
    return this.#generation;
  }

  /** The calibration learned so far from reported usage; `restore` takes it back after a restart. */
  get calibration(): Calibration {
    return this.#calibration;
  }

  /** Restores the calibration of a model. It counts as learned on an earlier view, so its generation is dropped. */
  restore(known: Calibration, model = this.#model): void {
    const calibration = { ...known, generation: -1 };
    if (model === this.#model) this.#calibration = calibration;
    else this.#calibrations.set(model, calibration);
  }

  /** The knowledge that another gauge can take over. */
  get knowledge(): Knowledge {
    return { model: this.#model, calibration: this.#calibration, learned: this.#learned };
  }

  /** The size of a view against the budget, on the scale that reported usage has taught. */
  readonly read = (projection: Projection): Reading => this.scale()(projection);

  /** The budget of a run with its own settings. */
  budgetUnder(settings: Settings): Budget {
    return budgetFor(settings, this.#limits(), this.pieces.counter, this.#answer);
  }

  /**
   * Returns a reader that keeps the present scale even if usage is reported meanwhile: a plan needs one scale, that of
   * the view read first. For a view over the budget, the scale is that of a full request, because it is cut to that.
   */
  scale(budget = this.#budget): (projection: Projection) => Reading {
    const { fixed: tools } = this;
    const [known, generation, ratio] = [this.#calibration, this.#generation, this.#ratio];
    const most = estimateOf(known, budget.tokens);
    let calibration: Calibration | undefined;
    return ({ size: view, resultTokens: toolResultTokens }) => {
      const estimate = Math.min(most, (view.tokens + tools.tokens) * ratio);
      calibration ??= { ...known, ratio: ratioAt(known, estimate) };
      return readPressure({ view, toolResultTokens, tools, budget, calibration, generation, ratio });
    };
  }

  /** Tokens of a request by our own count for this model, without calibration. */
  estimateOf({ tokens, scale }: Reading): number {
    return (tokens / scale) * this.#ratio;
  }

  /** Takes in the reported usage of the request with the reading `sent`, which must be of the present generation. */
  observe(usage: Usage, sent: Reading, isRefusal = false): void {
    const estimate = this.estimateOf(sent);
    this.#calibration = calibrate(this.#calibration, { estimate, usage, generation: this.#generation });
    this.#isRefused = isRefusal;
  }

  /**
   * Forgets the calibration if the floor is over the budget only because of it: the report may be wrong, or be of a
   * small request that the provider doubled. Otherwise no request would be sent any more whose report could correct it.
   */
  forgetIfDoubted(floor: number): boolean {
    const [{ ratio }, { tokens }] = [this.#calibration, this.#budget];
    if (this.#isRefused || floor <= tokens || floor > Math.max(1, ratio) * tokens) return false;
    this.#calibration = UNCALIBRATED;
    return true;
  }

  /** Marks the view as rewritten: earlier reports say less about later requests. */
  rewritten(): void {
    this.#generation++;
  }

  /** Switches to the model of the next request: its limits and its tokens count from now on. */
  talkTo(model: string): void {
    if (model === this.#model) return;
    this.#calibrations.set(this.#model, this.#calibration);
    this.#model = model;
    this.#maxAnswer = undefined;
    // The present calibration is for the tokens of another model.
    this.restore(this.#calibrations.get(model) ?? UNCALIBRATED);
    this.#derive();
    this.#loadLimits();
  }

  /** Sets the most tokens that the next answer may use; they are kept free if they are more than the reserve. */
  askFor(outputTokens: number | undefined): void {
    if (outputTokens === this.#requestedOutput) return;
    this.#requestedOutput = outputTokens;
    this.#derive();
  }

  /** Most tokens of the answer to the next request; undefined if the request does not set a limit. */
  get asked(): number | undefined {
    return this.#requestedOutput;
  }

  /**
   * Reduces the room for the answer so that the floor fits, if the window holds both and the room comes from the
   * request or a learned limit. Returns the tokens kept for the answer from then on; undefined if nothing changed.
   */
  makeRoomFor(floor: number): number | undefined {
    const { tokens, window, usable } = this.#budget;
    const isGiven = this.#answer.tokens !== undefined || this.learned.contextWindow !== undefined;
    if (!isGiven || floor <= tokens || floor >= window || !Number.isFinite(window)) return undefined;
    const most = Math.floor(window - ROOM_OVER_FLOOR * floor * (usable / tokens));
    const before = this.#maxAnswer;
    this.#maxAnswer = Math.max(most, Math.min(SMALLEST_ANSWER, Math.floor((window - floor) / 2)));
    this.#derive();
    if (this.#budget.usable > usable) return this.#maxAnswer;
    this.#maxAnswer = before;
    this.#derive();
    return undefined;
  }

  /** Takes in the limits that a refusal has proven, of `model` or of the model in use. */
  learn(proven: ProvenLimits, model = this.#model): void {
    this.#learned.set(model, lowest(this.#learned.get(model) ?? {}, proven));
    this.#derive();
  }

  /** Forgets the limits that refusals taught of the model in use. */
  forget(): void {
    this.#maxAnswer = undefined;
    this.#learned.delete(this.#model);
    this.#derive();
  }

  /** Takes over the knowledge of another gauge: that of the same session on another agent path. */
  takeOver({ model, calibration, learned }: Knowledge): void {
    for (const [of, proven] of learned) this.#learned.set(of, proven);
    this.restore(calibration, model);
    this.#derive();
  }

  get #answer(): AnswerRoom {
    const { reserved } = this.learned;
    return {
      ...(this.#requestedOutput !== undefined
        ? { tokens: this.#requestedOutput }
        : reserved !== undefined && { tokens: reserved, isLearned: true }),
      ...(this.#maxAnswer !== undefined && { most: this.#maxAnswer }),
    };
  }

  #derive(): void {
    this.#budget = this.budgetUnder(this.pieces.settings);
    this.#ratio = ratioFor(this.#limits(), this.pieces.counter);
  }

  #limits(): ModelLimits {
    return limitsFor(this.#model, this.pieces.catalogue, this.pieces.counter, { learned: this.learned });
  }

  #loadLimits(): void {
    const sheets = this.#model === null ? undefined : this.pieces.catalogue.load?.();
    if (!sheets) return;
    const loaded = sheets
      .catch(() => undefined)
      .then(() => {
        if (this.#loading !== loaded) return;
        this.#loading = undefined;
        this.#derive();
      });
    this.#loading = loaded;
  }
}

/** If the room for the answer is reduced, requests get this multiple of the floor: new exchanges and a digest fit. */
const ROOM_OVER_FLOOR = 1.5;
/** Fewest tokens kept for an answer, if the floor leaves room for them. */
const SMALLEST_ANSWER = 1_000;

/** A refusal proves an upper limit. A later refusal with a higher limit does not disprove it. */
function lowest(known: ProvenLimits, proven: ProvenLimits): ProvenLimits {
  const fields = ['contextWindow', 'inputLimit', 'outputLimit'] as const;
  const stated = fields.flatMap((field) => {
    const values = [known[field], proven[field]].filter((value) => value !== undefined && value > 0);
    return values.length > 0 ? [[field, Math.min(...(values as number[]))] as const] : [];
  });
  const reserved = proven.reserved ?? known.reserved;
  return { ...Object.fromEntries(stated), ...(reserved !== undefined && { reserved }) };
}
