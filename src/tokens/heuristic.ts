import type { TokenCounter } from '../spi/index.js';

/** Kinds of UTF-16 code units with equal costs, for counting without a tokenizer. */
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const NEWLINE = 5;
const MARK = 6;
/** Letters of Latin words with a diacritic: é, ß, ł. */
const ACCENTED = 7;
const HAN = 8;
const KANA = 9;
const HANGUL = 10;
/** Cyrillic and Greek. */
const CYRILLIC = 11;
/** Arabic, Hebrew, Devanagari, Thai and the other scripts of the lower planes. */
const SCRIPT = 12;
/** Ideographic stops and full-width forms. */
const WIDE_MARK = 13;
/** Half of an emoji or of a rare character. */
const SURROGATE = 14;
/** Arrows, box drawing, typographic marks. */
const SYMBOL = 15;
/** Han characters in traditional form: o200k_base needs far more tokens for text in them. */
const HAN_TRADITIONAL = 16;

/** Common characters that simplified Chinese writes differently: a fifth of traditional text. Japanese has some. */
const TRADITIONAL =
  '個們這來時後說為對學開過還經問點發現實應該將與從業據設檔無類別數參變錯誤碼請選項執軟體環態間關產導標準處運網頁輸顯讀寫資訊麼樣幾讓給當兩邊裡車東長門見電話號書報電腦';

/** First code units of ranges of one kind, ascending; each range ends at the next. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x00, MARK],
  [0x09, SPACE],
  [0x0a, NEWLINE],
  [0x0b, SPACE],
  [0x0d, NEWLINE],
  [0x0e, MARK],
  [0x20, SPACE],
  [0x21, MARK],
  [0x30, DIGIT],
  [0x3a, MARK],
  [0x41, UPPER],
  [0x5b, MARK],
  [0x61, LOWER],
  [0x7b, MARK],
  [0x80, SYMBOL],
  [0xa0, SPACE],
  [0xa1, SYMBOL],
  [0xc0, ACCENTED],
  [0x250, CYRILLIC],
  [0x530, SCRIPT],
  [0x1e00, ACCENTED],
  [0x1f00, CYRILLIC],
  [0x2000, SYMBOL],
  [0x3000, WIDE_MARK],
  [0x3040, KANA],
  [0x3100, HAN],
  [0xa000, SYMBOL],
  [0xac00, HANGUL],
  [0xd7b0, SYMBOL],
  [0xd800, SURROGATE],
  [0xe000, SYMBOL],
  [0xff00, WIDE_MARK],
];

/** The kind of each UTF-16 code unit: the only lookup of a scan. 64 kB, filled in a fraction of a millisecond. */
const KINDS: Uint8Array = kinds();

function kinds(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [from, kind] of RANGES) table.fill(kind, from);
  for (const char of TRADITIONAL) table[char.charCodeAt(0)] = HAN_TRADITIONAL;
  return table;
}

/**
 * Mean cost in o200k_base, in tokens, of pieces by kind and length. Fitted on half of a corpus of README files,
 * dialogue, JavaScript, type declarations, JSON, agent sessions and translated compiler messages (8 MB), each kind of
 * text with equal weight, and checked on the other half: totals there are -2 to +4 % (translations: French +6,
 * traditional Chinese -4, Czech -14). Words longer than a row cost more than its last entry: see `lengthCost`. A change
 * of 0.1 in the middle of a word row changes prose totals by about 1 %.
 */
const WORD = {
  /** A word without a lead, by length from 1: after a line break, a separate mark, a small letter. */
  bare: [1, 1.02, 1.24, 1.06, 1.08, 1.09, 1.16, 1.36, 1.45, 1.52, 1.75, 1.9, 2.5, 3, 3.4, 3.7],
  /** A word with its space, the usual case. */
  spaced: [1, 1, 1.01, 1.01, 1.04, 1.05, 1.1, 1.18, 1.36, 1.48, 1.6, 1.9, 2.05, 2.5, 3.1, 3.5],
  /** A word with a mark: `.length`, `_id`, `(x`. */
  marked: [1.01, 1.1, 1.3, 1.2, 1.44, 1.48, 1.52, 1.8, 1.9, 2.25, 2.35, 2.9, 3.4, 3.7, 4.2, 4.6],
  /** Capitals only, with any lead. */
  capitals: [1.02, 1.05, 1.18, 1.3, 1.8, 1.9, 2, 2.4, 2.6, 3.1, 3.5, 3.9],
  /** A word with an accented letter. */
  accented: [1.01, 1.05, 1.12, 1.37, 1.88, 1.89, 2.17, 2.49, 2.58, 2.6, 2.8, 3.14, 3.3, 3.53, 3.9, 4.4],
} as const;

/** Marks in a row, by the number of runs of equal marks, from 1; includes a line break after them. */
const MARK_RUN = [1.03, 1.02, 1.38, 1.92, 2.4, 3, 3.9, 4.4, 5.1, 5.8];

/** A further equal mark or symbol in a row, as in a rule of dashes: few tokens cover many. */
const REPEATED_COST = 0.08;

/** First character of a run in another script or of symbols, by kind. */
const FIRST_CHAR: readonly number[] = perKind({
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

/** Each further character of such a run. An emoji is two surrogates. */
const NEXT_CHAR: readonly number[] = perKind({
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
function lengthCost(row: readonly number[], length: number): number {
  const last = row.length;
  return length <= last ? row[length - 1]! : row[last - 1]! + (length - last) / 3;
}

function perKind(costs: Readonly<Record<number, number>>): readonly number[] {
  return Array.from({ length: HAN_TRADITIONAL + 1 }, (_, kind) => costs[kind] ?? 0);
}

/**
 * Counts for models without a public tokenizer: reads the text once, cuts it as the encodings do, and adds the mean
 * cost in o200k_base of a piece of that kind and length. Totals of prose, code, JSON and CJK are within 10 % of
 * o200k_base; a single short text may be further off. Multiply by the model's own token ratio.
 */
export const heuristicCounter: TokenCounter = {
  name: 'heuristic',
  exact: false,
  count: (text) => (text === '' ? 0 : Math.max(1, Math.round(scan(text)))),
};

/** The character before a word that is counted with it; also the index of the word's row of costs. */
const NO_LEAD = 0;
const SPACE_LEAD = 1;
const MARK_LEAD = 2;

const APOSTROPHE = 39;

const ROWS = [WORD.bare, WORD.spaced, WORD.marked];

/** One loop over local variables: as methods of a small class it was no clearer and half as fast. */
function scan(text: string): number {
  const length = text.length;
  let tokens = 0;
  let lead = NO_LEAD;
  let at = 0;
  while (at < length) {
    const start = at;
    const kind = KINDS[text.charCodeAt(at)]!;
    at += 1;

    if (kind === LOWER || kind === UPPER || kind === ACCENTED) {
      // A word ends after its letters, and between a small letter and a capital: `camelCase` is two words.
      let small = kind !== UPPER;
      let accented = kind === ACCENTED;
      for (; at < length; at += 1) {
        const next = KINDS[text.charCodeAt(at)]!;
        if (next === LOWER) small = true;
        else if (next === ACCENTED) small = accented = true;
        else if (next !== UPPER || small) break;
      }
      tokens += lengthCost(accented ? WORD.accented : small ? ROWS[lead]! : WORD.capitals, at - start);
      lead = NO_LEAD;
      if (at < length && text.charCodeAt(at) === APOSTROPHE) at = afterContraction(text, at);
    } else if (kind === SPACE || kind === NEWLINE) {
      // White space up to its last line break is one token; the last character after it belongs to the next word.
      let indent = kind === NEWLINE ? at : start;
      for (; at < length; at += 1) {
        const next = KINDS[text.charCodeAt(at)]!;
        if (next === NEWLINE) indent = at + 1;
        else if (next !== SPACE) break;
      }
      if (indent > start) tokens += 1;
      if (at - indent > 1) tokens += 1;
      lead = at > indent ? SPACE_LEAD : NO_LEAD;
    } else if (kind === MARK) {
      // One mark belongs to the word after it; several are a piece of their own, with the line breaks after them.
      let changes = 1;
      for (; at < length && KINDS[text.charCodeAt(at)] === MARK; at += 1) {
        if (text.charCodeAt(at) !== text.charCodeAt(at - 1)) changes += 1;
      }
      const next = at < length ? KINDS[text.charCodeAt(at)]! : 0;
      if (at - start === 1 && lead === NO_LEAD && (next === LOWER || next === UPPER || next === ACCENTED)) {
        lead = MARK_LEAD;
        continue;
      }
      tokens += lengthCost(MARK_RUN, changes) + (at - start - changes) * REPEATED_COST;
      lead = NO_LEAD;
      while (at < length && KINDS[text.charCodeAt(at)] === NEWLINE) at += 1;
    } else if (kind === DIGIT) {
      // Three digits are one token, and a space before them is another.
      while (at < length && KINDS[text.charCodeAt(at)] === DIGIT) at += 1;
      tokens += Math.ceil((at - start) / 3) + (lead === NO_LEAD ? 0 : 1);
      lead = NO_LEAD;
    } else {
      // Another script, or symbols: one cost for the first character of a run, another for each further one.
      let repeats = 0;
      for (; at < length && KINDS[text.charCodeAt(at)] === kind; at += 1) {
        if (kind === SYMBOL && text.charCodeAt(at) === text.charCodeAt(at - 1)) repeats += 1;
      }
      tokens += FIRST_CHAR[kind]! + (at - start - 1 - repeats) * NEXT_CHAR[kind]! + repeats * REPEATED_COST;
      lead = NO_LEAD;
    }
  }
  return lead === NO_LEAD ? tokens : tokens + 1;
}

/** The index after `'s`, `'t`, `'ll`, `'re`, which belong to the word before them; `at` if there is none. */
function afterContraction(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && end - at <= 3 && KINDS[text.charCodeAt(end)] === LOWER) end += 1;
  return end - at === 2 || end - at === 3 ? end : at;
}
