import type { Identifier } from '../../facts/index.js';

/** A word and where it stood: what stands inside another word of the list is said by it already. */
export interface Placed {
  readonly text: string;
  readonly source: string;
  readonly start: number;
  readonly end: number;
  /** Its number in the list, and the length of the list up to which it stands there. */
  readonly at: number;
  until: number;
}

/** What a path may begin with. */
const LEADING = new Set(Array.from('/.~@$#-_', (mark) => mark.charCodeAt(0)));

/** A path is written with what stood before it (`/`, `./`, `~/`), as it would have to be typed. */
export function placedOf({ text, start, end }: Identifier, at: number): Placed {
  let from = start;
  while (from > 0 && start - from < 4 && LEADING.has(text.charCodeAt(from - 1))) from--;
  // Inside a longer word it is the end of that one, not the beginning of a path.
  if (from > 0 && from < start && isWordUnit(text, from - 1)) from = start;
  return { text: text.slice(from, end), source: text, start: from, end, at, until: Infinity };
}

function isWordUnit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit > 0x7f) return /[\p{L}\p{N}]/u.test(text[at]!);
  return (unit >= 48 && unit <= 57) || ((unit | 32) >= 97 && (unit | 32) <= 122);
}

/**
 * Puts a word at its place among those of a group, which are in the order of their beginnings, and ends the stay of
 * those it holds. Returns the characters that frees; -1 where another word holds it, and then nothing is done.
 */
export function insert(words: Placed[], word: Placed): number {
  const at = beginningAfter(words, word.start);
  for (let i = at - 1; i >= 0 && words[i]!.start >= word.start - LONGEST_WORD; i--)
    if (stands(words[i]!) && holds(words[i]!, word)) return -1;
  let freed = 0;
  let i = at;
  while (i > 0 && words[i - 1]!.start === word.start) i--;
  for (; i < words.length && words[i]!.start < word.end; i++) {
    const other = words[i]!;
    if (!stands(other) || !holds(word, other)) continue;
    freed += other.text.length + 1;
    other.until = word.at;
  }
  words.splice(at, 0, word);
  return freed;
}

const stands = ({ until }: Placed): boolean => until === Infinity;

/** No word is longer, what stands before a path included. */
const LONGEST_WORD = 260;

/** Index of the first word that begins behind `start`. */
function beginningAfter(words: readonly Placed[], start: number): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (words[middle]!.start <= start) low = middle + 1;
    else high = middle;
  }
  return low;
}

function holds(outer: Placed, inner: Placed): boolean {
  return outer.start <= inner.start && inner.end <= outer.end && outer.source === inner.source;
}
