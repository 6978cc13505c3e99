/**
 * Splits a text at places where the token counts of the parts add up: no word of the splitting patterns of `o200k_base`
 * and `cl100k_base` extends over such a place. A white space after solid text always begins a new word, and a line
 * break always ends a word unless another line break or a slash follows.
 */

const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const SLASH = 47;

/** End of the piece that begins at `start`: a word with the blanks before it, or with the line breaks after it. */
export function endOfPiece(text: string, start: number): number {
  const { length } = text;
  let at = start;
  while (at < length && isBlank(text.charCodeAt(at))) at++;
  for (let before = 0; at < length; at++) {
    const unit = text.charCodeAt(at);
    if (isBlank(unit) && isSolid(before)) return at;
    if (isBreak(unit)) {
      let end = at + 1;
      let next = end;
      for (; next < length && (isBreak(text.charCodeAt(next)) || isBlank(text.charCodeAt(next))); next++)
        if (isBreak(text.charCodeAt(next))) end = next + 1;
      if (next === length) return length;
      const following = text.charCodeAt(next);
      // Marks include the line breaks after them and then further slashes.
      if (isSolid(following) && (following !== SLASH || next > end)) return end;
      at = next;
    }
    before = text.charCodeAt(at);
  }
  return length;
}

function isBlank(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

function isBreak(unit: number): boolean {
  return unit === LINE_FEED || unit === RETURN;
}

/** Certainly no white space of any script; a rare character taken for white space only makes a piece longer. */
function isSolid(unit: number): boolean {
  return (
    (unit > SPACE && unit < 0x7f) ||
    (unit > 0xa0 && unit < 0x1680) ||
    (unit > 0x3000 && unit < 0xfeff) ||
    (unit > 0x206f && unit < 0x3000)
  );
}

/**
 * Longest run that byte-pair merging gets at once, in UTF-8 bytes. Merging is quadratic in the run: 200,000 x's took
 * 38 s, 120,000 Chinese characters without punctuation 75 s; in pieces of 512 bytes, 200,000 random letters take 0.4 s
 * and as many random Chinese characters about 1 s. A lower bound costs accuracy, a higher one time. A cut adds a token
 * or two: 0.02 % on random letters, more only if a run repeats one very long token.
 */
const MAX_RUN_BYTES = 512;

/** A word of no more UTF-16 units is certainly within the bound: a unit has at most three bytes. */
export const MAX_RUN_CHARS = Math.floor(MAX_RUN_BYTES / 3);

/** Cuts a run into pieces of about `MAX_RUN_BYTES`, never inside a surrogate pair. */
export function cutRun(run: string): readonly string[] {
  const bytes = Buffer.byteLength(run);
  if (bytes <= MAX_RUN_BYTES) return [run];
  const step = Math.floor((MAX_RUN_BYTES * run.length) / bytes);
  const pieces: string[] = [];
  let start = 0;
  for (let end = step; end < run.length; end = start + step) {
    if (splitsPair(run, end)) end += 1;
    pieces.push(run.slice(start, end));
    start = end;
  }
  if (start < run.length) pieces.push(run.slice(start));
  return pieces;
}

function splitsPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
