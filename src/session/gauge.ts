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
  type ModelLimits,
  type Reading,
  type Usage,
} from '../tokens/index.js';
import type { Projection } from '../transcript/index.js';

/** Turns the size of a view into a reading, on one scale, and learns from what the provider reports. */
export interface Gauge {
  read(projection: Projection): Reading;
  /** Takes in the usage of the request that `sent` was read for; of this generation, or it must not be taken in. */
  observe(usage: Usage, sent: Reading): void;
  /** The view was rewritten: what was reported before it says less about what is sent after. */
  rewritten(): void;
  /** How often the view was rewritten. */
  readonly generation: number;
  readonly budget: Budget;
  /** Tool definitions: tokens no edit can change; counted tokens. */
  readonly fixedTokens: number;
}

export interface GaugeRequest {
  readonly settings: Settings;
  readonly catalogue: Catalogue;
  readonly counter: TokenCounter;
  readonly toolsTokens: number;
}

export function createGauge({ settings, catalogue, counter, toolsTokens }: GaugeRequest): Gauge {
  const limits = limitsFor(settings, catalogue, counter);
  const budget = budgetFor(settings, limits, counter);
  const ratio = ratioFor(limits, counter);
  let calibration: Calibration = UNCALIBRATED;
  let generation = 0;
  return {
    budget,
    fixedTokens: toolsTokens,
    read: (projection) =>
      readPressure({
        view: projection.size,
        toolsTokens,
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
    get generation() {
      return generation;
    },
  };
}

/** Without a model nobody has a ratio of their own: tokens are those of the counter. */
function limitsFor(settings: Settings, catalogue: Catalogue, counter: TokenCounter): ModelLimits {
  const limits = catalogue.lookup(settings.model ?? 'unnamed model');
  if (settings.model !== null) return limits;
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
