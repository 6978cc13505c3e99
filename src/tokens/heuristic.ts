import type { TokenCounter } from '../spi/index.js';
import { ACCENTED, DIGIT, KINDS, LOWER, MARK, NEWLINE, SPACE, SYMBOL, UPPER } from './characters.js';
import { FIRST_CHAR, lengthCost, MARK_RUN, NEXT_CHAR, REPEATED, WORD } from './weights.js';

/**
 * Counts for models whose tokenizer is not public: reads the text once, cuts it where the encodings cut it, and adds
 * the mean cost that o200k_base charges for a piece of that kind and length. Totals of prose, code, JSON and CJK are
 * within 10 % of o200k_base; a single short text may be further off. Multiply by the model's own token ratio.
 */
export const heuristicCounter: TokenCounter = {
  name: 'heuristic',
  exact: false,
  count: (text) => (text === '' ? 0 : Math.max(1, Math.round(scan(text)))),
};

/** What stands before a word and is counted with it; also the index of the word's row of costs. */
const NOTHING = 0;
const A_SPACE = 1;
const A_MARK = 2;

const APOSTROPHE = 39;

const ROWS = [WORD.bare, WORD.spaced, WORD.marked];

/** One loop over locals: as methods of a small class it read no better and ran at half the speed. */
function scan(text: string): number {
  const length = text.length;
  let tokens = 0;
  let lead = NOTHING;
  let at = 0;
  while (at < length) {
    const start = at;
    const kind = KINDS[text.charCodeAt(at)]!;
    at += 1;

    if (kind === LOWER || kind === UPPER || kind === ACCENTED) {
      // A word ends where letters end, and between a small letter and a capital: `camelCase` is two.
      let small = kind !== UPPER;
      let accented = kind === ACCENTED;
      for (; at < length; at += 1) {
        const next = KINDS[text.charCodeAt(at)]!;
        if (next === LOWER) small = true;
        else if (next === ACCENTED) small = accented = true;
        else if (next !== UPPER || small) break;
      }
      tokens += lengthCost(accented ? WORD.accented : small ? ROWS[lead]! : WORD.capitals, at - start);
      lead = NOTHING;
      if (at < length && text.charCodeAt(at) === APOSTROPHE) at = afterContraction(text, at);
    } else if (kind === SPACE || kind === NEWLINE) {
      // White space up to its last line break is one token; of what follows, the last character goes with the next word.
      let indent = kind === NEWLINE ? at : start;
      for (; at < length; at += 1) {
        const next = KINDS[text.charCodeAt(at)]!;
        if (next === NEWLINE) indent = at + 1;
        else if (next !== SPACE) break;
      }
      if (indent > start) tokens += 1;
      if (at - indent > 1) tokens += 1;
      lead = at > indent ? A_SPACE : NOTHING;
    } else if (kind === MARK) {
      // One mark goes with the word behind it; several are a piece of their own, with the line breaks behind them.
      let changes = 1;
      for (; at < length && KINDS[text.charCodeAt(at)] === MARK; at += 1) {
        if (text.charCodeAt(at) !== text.charCodeAt(at - 1)) changes += 1;
      }
      const next = at < length ? KINDS[text.charCodeAt(at)]! : 0;
      if (at - start === 1 && lead === NOTHING && (next === LOWER || next === UPPER || next === ACCENTED)) {
        lead = A_MARK;
        continue;
      }
      tokens += lengthCost(MARK_RUN, changes) + (at - start - changes) * REPEATED;
      lead = NOTHING;
      while (at < length && KINDS[text.charCodeAt(at)] === NEWLINE) at += 1;
    } else if (kind === DIGIT) {
      // Three digits are one token, and a space before them is another.
      while (at < length && KINDS[text.charCodeAt(at)] === DIGIT) at += 1;
      tokens += Math.ceil((at - start) / 3) + (lead === NOTHING ? 0 : 1);
      lead = NOTHING;
    } else {
      // Another script, or symbols: so much for the first of a run, so much for each further one.
      let repeats = 0;
      for (; at < length && KINDS[text.charCodeAt(at)] === kind; at += 1) {
        if (kind === SYMBOL && text.charCodeAt(at) === text.charCodeAt(at - 1)) repeats += 1;
      }
      tokens += FIRST_CHAR[kind]! + (at - start - 1 - repeats) * NEXT_CHAR[kind]! + repeats * REPEATED;
      lead = NOTHING;
    }
  }
  return lead === NOTHING ? tokens : tokens + 1;
}

/** Behind `'s`, `'t`, `'ll`, `'re`, which belong to the word before them; `at` itself where none stands there. */
function afterContraction(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && end - at <= 3 && KINDS[text.charCodeAt(end)] === LOWER) end += 1;
  return end - at === 2 || end - at === 3 ? end : at;
}
