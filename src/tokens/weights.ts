import {
  CYRILLIC,
  HAN,
  HAN_TRADITIONAL,
  HANGUL,
  KANA,
  SCRIPT,
  SURROGATE,
  SYMBOL,
  WIDE_MARK,
} from './characters.js';

/**
 * What o200k_base charges on average, in tokens, for pieces of a kind and length. Fitted on half of a corpus of README
 * files, dialogue, JavaScript, type declarations, JSON, agent sessions and translated compiler messages (8 MB), each
 * kind of text weighted alike, and checked on the other half: totals there are -2 to +4 % (translations: French +6, traditional
 * Chinese -4, Czech -14). Longer words cost more than the last entry says: see
 * `lengthCost`. Moving a number by 0.1 in the middle of a word row moves prose totals by about 1 %.
 */
export const WORD = {
  /** A word with nothing before it, by length from 1: after a line break, a mark that stands alone, a small letter. */
  bare: [1, 1.02, 1.24, 1.06, 1.08, 1.09, 1.16, 1.36, 1.45, 1.52, 1.75, 1.9, 2.5, 3, 3.4, 3.7],
  /** A word with its space, the usual case. */
  spaced: [1, 1, 1.01, 1.01, 1.04, 1.05, 1.1, 1.18, 1.36, 1.48, 1.6, 1.9, 2.05, 2.5, 3.1, 3.5],
  /** A word with a mark: `.length`, `_id`, `(x`. */
  marked: [1.01, 1.1, 1.3, 1.2, 1.44, 1.48, 1.52, 1.8, 1.9, 2.25, 2.35, 2.9, 3.4, 3.7, 4.2, 4.6],
  /** Capitals only, whatever stands before. */
  capitals: [1.02, 1.05, 1.18, 1.3, 1.8, 1.9, 2, 2.4, 2.6, 3.1, 3.5, 3.9],
  /** A word with an accented letter. */
  accented: [1.01, 1.05, 1.12, 1.37, 1.88, 1.89, 2.17, 2.49, 2.58, 2.6, 2.8, 3.14, 3.3, 3.53, 3.9, 4.4],
} as const;

/** Marks in a row, by how often the mark changes, from 1; a line break behind them is included. */
export const MARK_RUN = [1.03, 1.02, 1.38, 1.92, 2.4, 3, 3.9, 4.4, 5.1, 5.8];

/** A further equal mark or symbol in a row, as in a rule of dashes: few tokens cover many. */
export const REPEATED = 0.08;

/** First character of a run in another script or of symbols, by kind. */
export const FIRST_CHAR: readonly number[] = perKind({
  [HAN]: 0.9,
  [HAN_TRADITIONAL]: 1.6,
  [KANA]: 0.9,
  [HANGUL]: 1.15,
  [CYRILLIC]: 0.6,
  [SCRIPT]: 0.8,
  [WIDE_MARK]: 0.75,
  [SURROGATE]: 1.1,
  [SYMBOL]: 1.6,
});

/** Each further character of such a run. Emoji are two surrogates. */
export const NEXT_CHAR: readonly number[] = perKind({
  [HAN]: 0.7,
  [HAN_TRADITIONAL]: 1.6,
  [KANA]: 0.56,
  [HANGUL]: 0.5,
  [CYRILLIC]: 0.18,
  [SCRIPT]: 0.38,
  [WIDE_MARK]: 0.75,
  [SURROGATE]: 1,
  [SYMBOL]: 1.1,
});

/** Cost of a piece of `length` characters, by its row; each character beyond the row adds a third of a token. */
export function lengthCost(row: readonly number[], length: number): number {
  const last = row.length;
  return length <= last ? row[length - 1]! : row[last - 1]! + (length - last) / 3;
}

function perKind(costs: Readonly<Record<number, number>>): readonly number[] {
  return Array.from({ length: HAN_TRADITIONAL + 1 }, (_, kind) => costs[kind] ?? 0);
}
