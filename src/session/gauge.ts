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
  type HeardLimits,
  type Limits,
  type ModelLimits,
  type Reading,
  type Usage,
} from '../tokens/index.js';
import type { Projection } from '../transcript/index.js';

/** Turns the size of a view into a reading, on one scale, and learns from what the provider reports. */
export interface Gauge {
  /** The size of a view against the budget, on the scale that reported usage has taught. */
  read(projection: Projection): Reading;
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
  /** Limits that refusals have proven for it. */
  readonly learned: Limits;
  /** The next request goes to another model: its limits and its tokens count from here on. */
  talkTo(model: string, heard?: HeardLimits): void;
  /** A refused request said what it would have taken. */
  learn(proven: Limits): void;
  /** Tool definitions, and what else no edit can change; counted tokens. Changes where a followed client's do. */
  fixedTokens: number;
}

export interface GaugeRequest {
  readonly settings: Settings;
  readonly catalogue: Catalogue;
  readonly counter: TokenCounter;
  readonly toolsTokens: number;
  /** Other than the settings' model. */
  readonly model?: string | undefined;
  /** What is known of it from before. */
  readonly heard?: HeardLimits | undefined;
}

export function createGauge({
  settings,
  catalogue,
  counter,
  toolsTokens,
  model,
  heard,
}: GaugeRequest): Gauge {
  let fixed = toolsTokens;
  let talksTo = model ?? settings.model;
  let learned: HeardLimits = { ...heard };
  let limits = limitsFor(talksTo, catalogue, counter, learned);
  let budget = budgetFor(settings, limits, counter);
  let ratio = ratioFor(limits, counter);
  let calibration: Calibration = UNCALIBRATED;
  let generation = 0;
  const derive = (): void => {
    limits = limitsFor(talksTo, catalogue, counter, learned);
    budget = budgetFor(settings, limits, counter);
    ratio = ratioFor(limits, counter);
  };
  return {
    get budget() {
      return budget;
    },
    get model() {
      return talksTo;
    },
    get learned() {
      return learned.learned ?? {};
    },
    get fixedTokens() {
      return fixed;
    },
    set fixedTokens(tokens) {
      fixed = tokens;
    },
    read: (projection) =>
      readPressure({
        view: projection.size,
        toolsTokens: fixed,
        toolResultTokens: projection.resultTokens,
        budget,
        calibration,
        generation,
        ratio,
      }),
    observe: (usage, sent) => {
      const estimate = (sent.tokens / sent.scale) * ratio;
      calibration = calibrate(calibration, { estimate, usage, generation });
    },
    rewritten: () => void generation++,
    talkTo: (next, known = {}) => {
      if (next === talksTo) return;
      talksTo = next;
      learned = known;
      // What was reported was of another model's tokens.
      calibration = UNCALIBRATED;
      derive();
    },
    learn: (proven) => {
      learned = { ...learned, learned: lowest(learned.learned ?? {}, proven) };
      derive();
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
  heard: HeardLimits,
): ModelLimits {
  const limits = catalogue.lookup(model ?? 'unnamed model', undefined, heard);
  if (model !== null) return limits;
  const exactTokenizer =
    counter.name === 'o200k_base' || counter.name === 'cl100k_base' ? counter.name : undefined;
  return { ...limits, tokenRatio: 1, ...(exactTokenizer && { exactTokenizer }) };
}

/** Ratios of the catalogue are to o200k_base; a counter that is the model's own needs none. */
function ratioFor(limits: ModelLimits, counter: TokenCounter): number {
  return counter.exact && counter.name === limits.exactTokenizer ? 1 : limits.tokenRatio;
}

function budgetFor(settings: Settings, limits: ModelLimits, counter: TokenCounter): Budget {
  const isExact = counter.exact && counter.name === limits.exactTokenizer;
  const { reserve, window, outputCap, caps } = settings;
  return deriveBudget({
    limits,
    reserve: {
      output: reserve.output ?? outputFor(settings, limits, outputCap),
      injection: reserve.injection,
    },
    ...(window !== null && { userWindow: window }),
    ...(settings.limits.bytes !== null && { bytes: settings.limits.bytes }),
    ...(settings.limits.images !== null && { images: settings.limits.images }),
    ...(caps.toolResults !== null && { caps: { toolResults: caps.toolResults } }),
    safetyMargin: isExact ? 0 : settings.safetyMargin,
  });
}

/** The cap is meant for large windows; of an 8k model it would leave nothing. */
const LARGEST_OUTPUT_SHARE = 0.25;

function outputFor(settings: Settings, limits: ModelLimits, cap: number): number {
  const window = settings.window === null ? limits.contextWindow : settings.window;
  return window === 0 || !Number.isFinite(window)
    ? cap
    : Math.min(cap, Math.floor(window * LARGEST_OUTPUT_SHARE));
}
