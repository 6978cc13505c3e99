/**
 * Where a text may be parted so that its parts, counted by themselves, add up to its tokens: no word of the splitting
 * patterns of `o200k_base` and `cl100k_base` reaches over such a place. A white space always begins a word of its own
 * behind solid text, and a line break always ends one unless another line break or a slash follows.
 */

const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const SLASH = 47;

/** End of the piece that begins at `start`: a word with the blanks before it, or with the line breaks behind it. */
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
      const behind = text.charCodeAt(next);
      // Marks take the line breaks behind them and further slashes with them.
      if (isSolid(behind) && (behind !== SLASH || next > end)) return end;
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

/** Surely no white space of any script; a rare character taken for one only makes a piece longer. */
function isSolid(unit: number): boolean {
  return (
    (unit > SPACE && unit < 0x7f) ||
    (unit > 0xa0 && unit < 0x1680) ||
    (unit > 0x3000 && unit < 0xfeff) ||
    (unit > 0x206f && unit < 0x3000)
  );
}
