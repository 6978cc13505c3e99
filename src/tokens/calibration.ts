/** What a provider reports of one request, in its own tokens. The three inputs do not overlap. */
export interface Usage {
  /** Input that was neither read from nor written to the cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly outputTokens?: number;
  /**
   * The input is what several requests took that the provider made of this one, by running tools of its own: it was paid, and says
   * nothing of how large this one was.
   */
  readonly isSum?: boolean;
}

/** How a token figure was got: this very view was reported on, an earlier one was, or none. */
export type Basis = 'measured' | 'calibrated' | 'estimated';

/** What reported usage has taught about our estimates for one model; a value, kept by the session. */
export interface Calibration {
  /** Provider's tokens for one of ours, at the model's token ratio. */
  readonly ratio: number;
  /** Reports taken in. */
  readonly samples: number;
  /** Of the request that was last reported on: our own figure. A ratio below 1 holds for so many tokens. */
  readonly upTo?: number;
  /** The rewrite of the view that the last report belongs to; -1 before the first. */
  readonly generation: number;
}

export interface UsageReport {
  /** Our own figure for the same request, in tokens, before calibration: messages, tools, injections. */
  readonly estimate: number;
  readonly usage: Usage;
  /** How often the view had been rewritten when the request was sent. */
  readonly generation: number;
}

export const UNCALIBRATED: Calibration = { ratio: 1, samples: 0, generation: -1 };

/** No tokenizer is off by more on a whole request; a report that says so is wrong (a count of the last turn only). */
const MIN_RATIO = 0.5;
const MAX_RATIO = 2.5;

/**
 * Weight of a report that is lower than what is known; a higher one is believed at once, or the very request that it was of
 * would be read as smaller than it is. At a half, one odd report moves a budget of 100,000 by half its error.
 */
const WEIGHT = 0.5;

/** Below this many tokens a provider's fixed overhead drowns the ratio. */
const MIN_SAMPLE_TOKENS = 200;

/** All input of a request, cached or not, in the provider's tokens. */
export function inputOf(usage: Usage): number {
  return usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
}

/**
 * Takes in one report. `current` is the view's generation now: a report on an older one is of a request that would no
 * longer be sent, and is ignored, as are tiny reports and such that say nothing (many self-hosted servers report 0).
 * Returns the same value where nothing was learned.
 */
export function calibrate(
  before: Calibration,
  report: UsageReport,
  current = report.generation,
): Calibration {
  const { estimate, usage, generation } = report;
  const reported = inputOf(usage);
  if (generation < before.generation || generation < current) return before;
  if (!(estimate >= MIN_SAMPLE_TOKENS && reported >= MIN_SAMPLE_TOKENS && reported < Infinity)) return before;
  const sample = Math.min(MAX_RATIO, Math.max(MIN_RATIO, reported / estimate));
  const isBelow = before.samples > 0 && sample < before.ratio;
  const ratio = isBelow ? before.ratio + WEIGHT * (sample - before.ratio) : sample;
  return { ratio, samples: before.samples + 1, upTo: estimate, generation };
}

/**
 * The ratio for a request that we count as so many tokens. Below 1 it holds for as many as were reported on, and what comes
 * on top counts as we count it: it may be of another kind, code behind prose, words behind pictures.
 */
export function ratioAt({ ratio, upTo = 0 }: Calibration, estimate: number): number {
  return ratio >= 1 || estimate <= upTo ? ratio : 1 - ((1 - ratio) * upTo) / estimate;
}

/** Our own figure, at most, of a request that comes to so many tokens at its ratio. */
export const estimateOf = ({ ratio, upTo = 0 }: Calibration, tokens: number): number =>
  tokens + Math.max(0, 1 - ratio) * upTo;

/** How a figure for a view of this generation is got with what is known. */
export function basisOf(calibration: Calibration, generation: number): Basis {
  if (calibration.samples === 0) return 'estimated';
  return calibration.generation === generation ? 'measured' : 'calibrated';
}
