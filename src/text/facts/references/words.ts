import { SpillwayError } from '../../../errors/index.js';
import { DIGIT, KIND, LOWER, STOP, UPPER } from './characters.js';
import { MIN_NAME, MIN_NUMBER, visitRun } from './word-shapes.js';

/** A distinctive word: a 30-bit hash (so that it stays a small integer in V8) and where the word stands. */
export type VisitWord = (hash: number, start: number, end: number) => void;

/**
 * Of a text longer than both together only this much of its head and its tail is scanned. Such texts are dumps;
 * the work they cost would be felt in every run, and what an agent takes from one stands at its ends as a rule.
 */
export const SCAN_HEAD_CHARS = 140_000;
export const SCAN_TAIL_CHARS = 60_000;

/** Reading units from an array is faster than asking the string for each. */
const scratch = Buffer.alloc(2 * (SCAN_HEAD_CHARS + SCAN_TAIL_CHARS + 1));
const scratchUnits = new Uint16Array(scratch.buffer, scratch.byteOffset, scratch.length / 2);
let scanning = false;

const BACKSLASH = 92;

/**
 * How long a run must be to hold a distinctive word, by the kinds of characters in it. Most text ends here: words
 * of lowercase letters only, or of capitals only, hold none.
 */
const MIN_LENGTH = new Uint32Array(128).fill(MIN_NUMBER);
MIN_LENGTH[0] = MIN_LENGTH[LOWER] = MIN_LENGTH[UPPER] = 0xffffffff;
MIN_LENGTH[LOWER | UPPER] = MIN_LENGTH[LOWER | DIGIT] = MIN_LENGTH[UPPER | DIGIT] = MIN_NAME;

/**
 * Finds the distinctive words of a text in one pass and without allocating: paths, file names, parts of URLs,
 * identifiers of more than one word, ids and numbers with digits. Lowercase dictionary words are none.
 * `visit` must not scan another text: throws `INTERNAL`.
 */
export function scanWords(text: string, visit: VisitWord): void {
  const length = text.length;
  if (length <= SCAN_HEAD_CHARS + SCAN_TAIL_CHARS) return scanWhole(text, visit);
  const tail = length - SCAN_TAIL_CHARS;
  scanWhole(text.slice(0, SCAN_HEAD_CHARS), visit);
  scanWhole(text.slice(tail), (hash, start, end) => visit(hash, tail + start, tail + end));
}

function scanWhole(text: string, visit: VisitWord): void {
  if (scanning) {
    throw new SpillwayError('INTERNAL', {
      subject: 'scanWords',
      remedy: 'A visitor must not scan another text.',
    });
  }
  scanning = true;
  try {
    scratch.write(text, 0, 'utf16le');
    scratchUnits[text.length] = BACKSLASH;
    scanUnits(scratchUnits, text.length, visit);
  } finally {
    scanning = false;
  }
}

/** `units[length]` is of kind STOP, so that the loops need not ask whether the text is over. */
function scanUnits(units: Uint16Array, length: number, visit: VisitWord): void {
  const kindOf = KIND;
  const minLength = MIN_LENGTH;
  let i = 0;
  let floor = 0;
  while (i < length) {
    // Most text is lowercase words and what separates them; where they begin and end does not matter.
    let kind = kindOf[units[i]!]!;
    while (kind <= LOWER) kind = kindOf[units[++i]!]!;
    if (kind === STOP) {
      i = floor = i < length ? afterEscape(units, i) : length;
      continue;
    }
    let start = i;
    while (start > floor && kindOf[units[start - 1]!] === LOWER) start--;
    let kinds = start < i ? LOWER : 0;
    do {
      kinds |= kind;
      kind = kindOf[units[++i]!]! & ~STOP;
    } while (kind !== 0);
    if (i - start >= minLength[kinds]!) visitRun(units, start, i, kinds, visit);
    floor = i;
  }
}

/**
 * Steps over `\n`, `\t`, `\\`, `\u1234` and terminal colours: output is often JSON in JSON, and their letters would
 * stick to the word behind them. A Windows path loses a letter after `\n`, `\r`, `\t`: everywhere, so it still meets itself.
 */
function afterEscape(units: Uint16Array, at: number): number {
  const next = units[at + 1]!;
  if (units[at] === BACKSLASH) {
    if (next === 117) return at + 6; // u
    return next === 110 || next === 114 || next === 116 || next === BACKSLASH ? at + 2 : at + 1;
  }
  if (next !== 91) return at + 1; // [
  let i = at + 2;
  while (i < at + 20 && (KIND[units[i]!]! & (LOWER | UPPER)) === 0) i++;
  return i + 1;
}
