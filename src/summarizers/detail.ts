/** How much of each kind of text a summarizer is shown, in characters; what is longer is cut visibly. */
export interface Detail {
  /** One tool result. */
  readonly resultChars: number;
  /** One text in a call's arguments: the new text of an edit, a command with its commit message, a plan. */
  readonly writtenChars: number;
  /** One text that the user or the agent said. */
  readonly proseChars: number;
}

/**
 * Shares of the longest result, then characters of arguments and of prose. What tools said leaves first, then what the
 * agent wrote into calls, and what somebody said last. Below a quarter a result shows little more than that it was:
 * long arguments shrink before it does.
 */
const STEPS: readonly (readonly [results: number, written: number, prose: number])[] = [
  [1, 12_000, 40_000],
  [1 / 2, 12_000, 40_000],
  [1 / 4, 12_000, 40_000],
  [1 / 4, 4_000, 16_000],
  [1 / 8, 4_000, 16_000],
  [1 / 8, 2_000, 8_000],
  [1 / 16, 1_000, 4_000],
  [0, 400, 2_000],
];

/** A result shorter than this is shown whole wherever its piece is divided. In characters. */
const LEAST_RESULT = 300;

/** From the most that may be shown to the least. */
export function detailsFor(resultChars: number): readonly Detail[] {
  return STEPS.map(([share, writtenChars, proseChars]) => ({
    resultChars: Math.floor(share * resultChars),
    writtenChars,
    proseChars,
  }));
}

/**
 * At which detail a source is divided into pieces. It must not depend on what else stands in a piece: then the pieces
 * of a span that grows at its end stay what they were, and their texts are not bought again.
 */
export function dividingDetail(resultChars: number): Detail {
  const { writtenChars, proseChars } = detailsFor(resultChars)[0]!;
  const least = Math.min(resultChars, LEAST_RESULT);
  return { resultChars: Math.max(Math.floor(resultChars / 4), least), writtenChars, proseChars };
}
