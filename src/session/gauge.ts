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
import { budgetFor, limitsFor, ratioFor, type Answer } from './budget.js';
import type { ProvenLimits } from './learned-limits.js';
import type { Pieces } from './wiring.js';

/** What reports and refusals have taught of models. */
interface Knowledge {
  readonly model: string | null;
  readonly calibration: Calibration;
  readonly learned: ReadonlyMap<string | null, ProvenLimits>;
}

/** Turns the size of a view into a reading, on one scale, and learns from what the provider reports. */
export class Gauge {
  #model: string | null;
  /** Most tokens that the next request lets the model answer. */
  #asked: number | undefined;
  /** Most that is kept for an answer beside which what may never be removed would not fit. */
  #most: number | undefined;
  #learned = new Map<string | null, ProvenLimits>();
  #budget!: Budget;
  /** Tokens of the model for each of the counter's. */
  #ratio!: number;
  #calibration: Calibration = UNCALIBRATED;
  /** Of models that were talked to before. */
  readonly #calibrations = new Map<string | null, Calibration>();
  #generation = 0;
  /** What was taken in last is what a provider counted that refused. */
  #isRefused = false;
  #loading: Promise<void> | undefined;
  /** Tool definitions, and what else no edit can change. Changes where a followed client's do. */
  fixed: Size;
  /** The agent has the tool that reads back what left. */
  recall: boolean;

  constructor(private readonly of: Pick<Pieces, 'catalogue' | 'counter' | 'options' | 'settings'>) {
    const { tools = [], model = of.settings.model } = of.options;
    this.#model = model;
    this.fixed = measureTools(of.counter, tools);
    this.recall = offersRecall(tools);
    this.#derive();
    this.#loadLimits();
  }

  get budget(): Budget {
    return this.#budget;
  }

  /** Model that the requests go to; null where none was named. */
  get model(): string | null {
    return this.#model;
  }

  /** While what is known of the model is being loaded: `read` says more after it. Undefined where nothing is. */
  get loading(): Promise<void> | undefined {
    return this.#loading;
  }

  /** Limits that refusals have proven for the model. */
  get learned(): ProvenLimits {
    return this.#learned.get(this.#model) ?? {};
  }

  /** How often the view was rewritten. */
  get generation(): number {
    return this.#generation;
  }

  /** What reported usage has taught so far; can be given back after a restart. */
  get calibration(): Calibration {
    return this.#calibration;
  }

  /** Gives back what usage has taught of a model: of an earlier view, whatever was counted then. */
  restore(known: Calibration, model = this.#model): void {
    const calibration = { ...known, generation: -1 };
    if (model === this.#model) this.#calibration = calibration;
    else this.#calibrations.set(model, calibration);
  }

  /** What another gauge can take over. */
  get knowledge(): Knowledge {
    return { model: this.#model, calibration: this.#calibration, learned: this.#learned };
  }

  /** The size of a view against the budget, on the scale that reported usage has taught. */
  readonly read = (projection: Projection): Reading => this.scale()(projection);

  /** The budget of a run that has settings of its own. */
  budgetUnder(settings: Settings): Budget {
    return budgetFor(settings, this.#limits(), this.of.counter, this.#answer);
  }

  /**
   * Reads as of now, whatever is reported meanwhile: a plan is made on one scale, that of the view which is read first. Of one
   * that is over the budget the scale is that of a full request: it is cut to that before it is sent.
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

  /** Tokens of a request by our own count for this model, whatever reports have taught. */
  estimateOf({ tokens, scale }: Reading): number {
    return (tokens / scale) * this.#ratio;
  }

  /** Takes in the usage of the request that `sent` was read for; of this generation, or it must not be taken in. */
  observe(usage: Usage, sent: Reading, isRefusal = false): void {
    const estimate = this.estimateOf(sent);
    this.#calibration = calibrate(this.#calibration, { estimate, usage, generation: this.#generation });
    this.#isRefused = isRefusal;
  }

  /**
   * What may never be removed takes so many tokens, and is too much only by what a report has taught: of a small request, half
   * of which the provider had added, or a wrong one. Then it is forgotten, or nothing were sent any more that could mend it.
   */
  forgetIfDoubted(floor: number): boolean {
    const [{ ratio }, { tokens }] = [this.#calibration, this.#budget];
    if (this.#isRefused || floor <= tokens || floor > Math.max(1, ratio) * tokens) return false;
    this.#calibration = UNCALIBRATED;
    return true;
  }

  /** The view was rewritten: what was reported before it says less about what is sent after. */
  rewritten(): void {
    this.#generation++;
  }

  /** The next request goes to another model: its limits and its tokens count from here on. */
  talkTo(model: string): void {
    if (model === this.#model) return;
    this.#calibrations.set(this.#model, this.#calibration);
    this.#model = model;
    this.#most = undefined;
    // What was reported was of another model's tokens.
    this.restore(this.#calibrations.get(model) ?? UNCALIBRATED);
    this.#derive();
    this.#loadLimits();
  }

  /** Most tokens that the next request lets the model answer; what it says where it is more than is kept free. */
  askFor(outputTokens: number | undefined): void {
    if (outputTokens === this.#asked) return;
    this.#asked = outputTokens;
    this.#derive();
  }

  /** What the next request lets the model answer; undefined where it says nothing of that. */
  get asked(): number | undefined {
    return this.#asked;
  }

  /**
   * What may never be removed takes so many tokens: the answer gives way to it, where nobody stated its room and the
   * window holds both. Says what is kept for the answer from then on; undefined where nothing changed.
   */
  makeRoomFor(floor: number): number | undefined {
    const { tokens, window, usable } = this.#budget;
    const isGiven = this.#answer.tokens !== undefined || this.learned.contextWindow !== undefined;
    if (!isGiven || floor <= tokens || floor >= window || !Number.isFinite(window)) return undefined;
    const most = Math.floor(window - ROOM_OVER_FLOOR * floor * (usable / tokens));
    const before = this.#most;
    this.#most = Math.max(most, Math.min(SMALLEST_ANSWER, Math.floor((window - floor) / 2)));
    this.#derive();
    if (this.#budget.usable > usable) return this.#most;
    this.#most = before;
    this.#derive();
    return undefined;
  }

  /** A refused request said what it would have taken: of this model, or of the one that is talked to. */
  learn(proven: ProvenLimits, model = this.#model): void {
    this.#learned.set(model, lowest(this.#learned.get(model) ?? {}, proven));
    this.#derive();
  }

  /** What refusals taught of the model does not hold. */
  forget(): void {
    this.#most = undefined;
    this.#learned.delete(this.#model);
    this.#derive();
  }

  /** Takes over what another gauge knows of its models: one of the same session, on another path. */
  takeOver({ model, calibration, learned }: Knowledge): void {
    for (const [of, proven] of learned) this.#learned.set(of, proven);
    this.restore(calibration, model);
    this.#derive();
  }

  get #answer(): Answer {
    const { reserved } = this.learned;
    return {
      ...(this.#asked !== undefined
        ? { tokens: this.#asked }
        : reserved !== undefined && { tokens: reserved, isLearned: true }),
      ...(this.#most !== undefined && { most: this.#most }),
    };
  }

  #derive(): void {
    this.#budget = this.budgetUnder(this.of.settings);
    this.#ratio = ratioFor(this.#limits(), this.of.counter);
  }

  #limits(): ModelLimits {
    return limitsFor(this.#model, this.of.catalogue, this.of.counter, { learned: this.learned });
  }

  #loadLimits(): void {
    const sheets = this.#model === null ? undefined : this.of.catalogue.load?.();
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

/** How much more than the floor a request may hold where the answer gives way to it: the next exchanges, and a digest. */
const ROOM_OVER_FLOOR = 1.5;
/** Least that is kept for an answer where what may never be removed leaves more, in tokens. */
const SMALLEST_ANSWER = 1_000;

/** A refusal proves a ceiling; a later one that names a higher one proves nothing against it. */
function lowest(known: ProvenLimits, proven: ProvenLimits): ProvenLimits {
  const fields = ['contextWindow', 'inputLimit', 'outputLimit'] as const;
  const stated = fields.flatMap((field) => {
    const values = [known[field], proven[field]].filter((value) => value !== undefined && value > 0);
    return values.length > 0 ? [[field, Math.min(...(values as number[]))] as const] : [];
  });
  const reserved = proven.reserved ?? known.reserved;
  return { ...Object.fromEntries(stated), ...(reserved !== undefined && { reserved }) };
}
