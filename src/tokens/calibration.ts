/** A provider's report of one request, in its own tokens. The three inputs do not overlap. */
export interface Usage {
  /** Input that was neither read from nor written to the cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly outputTokens?: number;
  /**
   * The input is the sum of several internal requests, because the provider ran its own tools: it was billed, but does
   * not show the size of this request.
   */
  readonly isSum?: boolean;
}

/** The basis of a token figure: a report on this very view, on an earlier one, or no report. */
export type Basis = 'measured' | 'calibrated' | 'estimated';

/** The correction of our estimates for one model by reported usage; a value in the session. */
export interface Calibration {
  /** The provider's tokens per token of ours, at the model's token ratio. */
  readonly ratio: number;
  /** Number of reports used. */
  readonly samples: number;
  /** Our own figure for the last reported request. A ratio below 1 applies to this many tokens. */
  readonly upTo?: number;
  /** The rewrite of the view that the last report belongs to; -1 before the first. */
  readonly generation: number;
}

export interface UsageReport {
  /** Our own figure for the same request, in tokens, before calibration: messages, tools, injections. */
  readonly estimate: number;
  readonly usage: Usage;
  /** Number of rewrites of the view when the request was sent. */
  readonly generation: number;
}

export const UNCALIBRATED: Calibration = { ratio: 1, samples: 0, generation: -1 };

/** No tokenizer differs by more on a whole request; such a report is wrong (a count of the last turn only). */
const MIN_RATIO = 0.5;
const MAX_RATIO = 2.5;

/**
 * Weight of a report below the present ratio; a higher one counts fully at once, or the reported request itself would
 * be read as smaller than it is. At 0.5, one wrong report moves a budget of 100,000 by half its error.
 */
const WEIGHT = 0.5;

/** Below this many tokens a provider's fixed overhead dominates the ratio. */
const MIN_SAMPLE_TOKENS = 200;

/** All input of a request, cached or not, in the provider's tokens. */
export function inputOf(usage: Usage): number {
  return usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
}

/**
 * Adds one report. `current` is the view's present generation: a report on an older one is about a request that would
 * no longer be sent, and is ignored, like tiny and empty reports (many self-hosted servers report 0). Returns the same
 * value if nothing was learned.
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
 * The ratio for a request that we count as `estimate` tokens. A ratio below 1 applies to the reported tokens only.
 * Further content counts as we count it, because it may be of another kind: code after prose, text after images.
 */
export function ratioAt({ ratio, upTo = 0 }: Calibration, estimate: number): number {
  return ratio >= 1 || estimate <= upTo ? ratio : 1 - ((1 - ratio) * upTo) / estimate;
}

/** Our own figure, at most, for a request of `tokens` at its ratio. */
export const estimateOf = ({ ratio, upTo = 0 }: Calibration, tokens: number): number =>
  tokens + Math.max(0, 1 - ratio) * upTo;

/** The basis of a figure for a view of this generation. */
export function basisOf(calibration: Calibration, generation: number): Basis {
  if (calibration.samples === 0) return 'estimated';
  return calibration.generation === generation ? 'measured' : 'calibrated';
}
