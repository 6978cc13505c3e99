import type { Settings } from '../config/index.js';
import type { TokenCounter } from '../spi/index.js';
import {
  calibrate,
  deriveBudget,
  readPressure,
  UNCALIBRATED,
  type Budget,
  type Calibration,
  type Catalogue,
  type LearnedLimits,
  type Limits,
  type ModelLimits,
  type Reading,
  type Usage,
} from '../tokens/index.js';
import type { Projection, Size } from '../transcript/index.js';

/** Turns the size of a view into a reading, on one scale, and learns from what the provider reports. */
export interface Gauge {
  /** The size of a view against the budget, on the scale that reported usage has taught. */
  read(projection: Projection): Reading;
  /** Tokens of a request by our own count for this model, whatever reports have taught. */
  estimateOf(sent: Reading): number;
  /** Takes in the usage of the request that `sent` was read for; of this generation, or it must not be taken in. */
  observe(usage: Usage, sent: Reading): void;
  /** The view was rewritten: what was reported before it says less about what is sent after. */
  rewritten(): void;
  /** What reported usage has taught so far; can be given back after a restart. */
  calibration: Calibration;
  /** How often the view was rewritten. */
  readonly generation: number;
  readonly budget: Budget;
  /** Model that the requests go to; null where none was named. */
  readonly model: string | null;
  /** While what is known of the model is being loaded: `read` says more after it. Undefined where nothing is. */
  readonly loading: Promise<void> | undefined;
  /** Limits that refusals have proven for it. */
  readonly learned: Limits;
  /** Window that the settings state, in tokens; null where they state none. */
  readonly statedWindow: number | null;
  /** The next request goes to another model: its limits and its tokens count from here on. */
  talkTo(model: string): void;
  /** Most tokens that the next request lets the model answer; what it says where it is more than is kept free. */
  askFor(outputTokens: number | undefined): void;
  /** A refused request said what it would have taken: of this model, or of the one that is talked to. */
  learn(proven: Limits, model?: string | null): void;
  /** What refusals taught does not hold: of one model, or of all. */
  forget(model?: string | null): void;
  /** Takes over what another gauge knows of its models: one of the same session, on another path. */
  takeOver(known: Knowledge): void;
  /** What can be taken over. */
  readonly knowledge: Knowledge;
  /** Tool definitions, and what else no edit can change. Changes where a followed client's do. */
  fixed: Size;
}

/** What reports and refusals have taught of models. */
export interface Knowledge {
  readonly model: string | null;
  readonly calibration: Calibration;
  readonly learned: ReadonlyMap<string | null, Limits>;
}

export interface GaugeRequest {
  readonly settings: Settings;
  readonly catalogue: Catalogue;
  readonly counter: TokenCounter;
  readonly tools: Size;
  /** Other than the settings' model. */
  readonly model?: string | undefined;
}

export function createGauge({ settings, catalogue, counter, tools, model }: GaugeRequest): Gauge {
  let fixed = tools;
  let talksTo = model ?? settings.model;
  const learned = new Map<string | null, Limits>();
  let asked: number | undefined;
  let limits = limitsFor(talksTo, catalogue, counter, {});
  let budget = budgetFor(settings, limits, counter);
  let ratio = ratioFor(limits, counter);
  let calibration: Calibration = UNCALIBRATED;
  let generation = 0;
  const derive = (): void => {
    limits = limitsFor(talksTo, catalogue, counter, { learned: learned.get(talksTo) ?? {} });
    budget = budgetFor(settings, limits, counter, asked);
    ratio = ratioFor(limits, counter);
  };
  const estimateOf = ({ tokens, scale }: Reading): number => (tokens / scale) * ratio;
  let loading: Promise<void> | undefined;
  const loadLimits = (): void => {
    const sheets = talksTo === null ? undefined : catalogue.load?.();
    if (!sheets) return;
    const loaded = sheets
      .catch(() => undefined)
      .then(() => {
        if (loading !== loaded) return;
        loading = undefined;
        derive();
      });
    loading = loaded;
  };
  loadLimits();
  return {
    get budget() {
      return budget;
    },
    get loading() {
      return loading;
    },
    get model() {
      return talksTo;
    },
    get learned() {
      return learned.get(talksTo) ?? {};
    },
    statedWindow: settings.window,
    get fixed() {
      return fixed;
    },
    set fixed(size) {
      fixed = size;
    },
    read: (projection) =>
      readPressure({
        view: projection.size,
        toolsTokens: fixed.tokens,
        toolsBytes: fixed.bytes,
        toolResultTokens: projection.resultTokens,
        budget,
        calibration,
        generation,
        ratio,
      }),
    estimateOf,
    observe: (usage, sent) => {
      const estimate = estimateOf(sent);
      calibration = calibrate(calibration, { estimate, usage, generation });
    },
    rewritten: () => void generation++,
    talkTo: (next) => {
      if (next === talksTo) return;
      talksTo = next;
      // What was reported was of another model's tokens.
      calibration = UNCALIBRATED;
      derive();
      loadLimits();
    },
    askFor: (outputTokens) => {
      if (outputTokens === asked) return;
      asked = outputTokens;
      derive();
    },
    learn: (proven, of = talksTo) => {
      learned.set(of, lowest(learned.get(of) ?? {}, proven));
      derive();
    },
    forget: (of) => {
      if (of === undefined) learned.clear();
      else learned.delete(of);
      derive();
    },
    takeOver: (known) => {
      for (const [of, proven] of known.learned) learned.set(of, proven);
      if (known.model === talksTo) calibration = { ...known.calibration, generation: -1 };
      derive();
    },
    get knowledge() {
      return { model: talksTo, calibration, learned };
    },
    get calibration() {
      return calibration;
    },
    set calibration(known) {
      // Of an earlier view, whatever was counted then.
      calibration = { ...known, generation: -1 };
    },
    get generation() {
      return generation;
    },
  };
}

/** A refusal proves a ceiling; a later one that names a higher one proves nothing against it. */
function lowest(known: Limits, proven: Limits): Limits {
  const fields = ['contextWindow', 'inputLimit', 'outputLimit'] as const;
  const stated = fields.flatMap((field) => {
    const values = [known[field], proven[field]].filter((value) => value !== undefined && value > 0);
    return values.length > 0 ? [[field, Math.min(...(values as number[]))] as const] : [];
  });
  return Object.fromEntries(stated);
}

/** Without a model nobody has a ratio of their own: tokens are those of the counter. */
function limitsFor(
  model: string | null,
  catalogue: Catalogue,
  counter: TokenCounter,
  learned: LearnedLimits,
): ModelLimits {
  const limits = catalogue.lookup(model ?? 'unnamed model', undefined, learned);
  if (model !== null) return limits;
  const exactTokenizer =
    counter.name === 'o200k_base' || counter.name === 'cl100k_base' ? counter.name : undefined;
  return { ...limits, tokenRatio: 1, ...(exactTokenizer && { exactTokenizer }) };
}

/** Ratios of the catalogue are to o200k_base; a counter that is the model's own needs none. */
function ratioFor(limits: ModelLimits, counter: TokenCounter): number {
  return counter.exact && counter.name === limits.exactTokenizer ? 1 : limits.tokenRatio;
}

function budgetFor(settings: Settings, limits: ModelLimits, counter: TokenCounter, asked = 0): Budget {
  const isExact = counter.exact && counter.name === limits.exactTokenizer;
  const { reserve, window, caps } = settings;
  const isLearned = limits.sources.contextWindow === 'learned';
  const deciding = windowOf(settings, limits);
  const [kept, why] = outputFor(settings, deciding, isLearned);
  // Nothing kept back on purpose: the stated figure is the input's alone.
  const wanted = reserve.output === 0 ? 0 : Math.min(asked, Math.floor(deciding * LARGEST_ASKED_SHARE));
  const isLarger = wanted > Math.min(kept, limits.outputLimit ?? Infinity);
  const budget = deriveBudget({
    limits,
    reserve: {
      ...(isLarger
        ? { output: wanted, why: 'what this request lets the model answer' }
        : { output: kept, why }),
      ...(isLarger && { asked: wanted }),
      injection: reserve.injection,
    },
    ...(window !== null && { userWindow: window }),
    ...(settings.limits.bytes !== null && { bytes: settings.limits.bytes }),
    ...(settings.limits.images !== null && { images: settings.limits.images }),
    ...(caps.toolResults !== null && { caps: { toolResults: caps.toolResults } }),
    safetyMargin: isExact ? 0 : settings.safetyMargin,
  });
  return forAbsoluteTrigger(budget, settings.trigger.maxTokens);
}

/** A trigger in tokens needs something to be a share of, where there is no limit: so many times itself. */
const ROOM_WITHOUT_LIMIT = 4;

function forAbsoluteTrigger(budget: Budget, maxTokens: number): Budget {
  if (Number.isFinite(budget.tokens) || maxTokens === 0) return budget;
  const tokens = ROOM_WITHOUT_LIMIT * maxTokens;
  const line = `no limit: pressure is read against ${tokens} tokens, for the trigger at ${maxTokens}`;
  return { ...budget, tokens, derivation: [...budget.derivation, line] };
}

/** What is left of the reserve that somebody stated where a refusal has proven a smaller window than they knew of. */
const LARGEST_OF_LEARNED = 0.5;
/** A request may ask for more than the window: then the provider decides, and something is left to be sent. */
const LARGEST_ASKED_SHARE = 0.75;

/** Most tokens kept for the answer, and why so many. */
function outputFor(
  { reserve, outputCap }: Settings,
  window: number,
  isLearned: boolean,
): readonly [tokens: number, why: string] {
  const share = (of: number): number => (Number.isFinite(window) ? Math.floor(window * of) : Infinity);
  const most = isLearned ? share(LARGEST_OF_LEARNED) : Infinity;
  if (reserve.output !== null)
    return reserve.output > most
      ? [most, `${percent(LARGEST_OF_LEARNED)} of the learned window`]
      : [reserve.output, 'setting'];
  const largest = share(reserve.share);
  return largest < outputCap
    ? [largest, `${percent(reserve.share)} of the window`]
    : [outputCap, 'outputCap'];
}

const percent = (share: number): string => `${100 * share} %`;

/** The window that decides: the stated one, unless a refusal has proven a smaller one. 0 on purpose is none. */
function windowOf({ window }: Settings, limits: ModelLimits): number {
  const stated = window === null ? Infinity : window || Infinity;
  const proven = limits.sources.contextWindow === 'learned' ? limits.contextWindow : Infinity;
  return window === null ? limits.contextWindow : Math.min(stated, proven);
}
