import { ALPHANUMERIC, DASH, DIGIT, DOT, KIND, LOWER, SLASH, UNDERSCORE, UPPER } from './characters.js';
import type { VisitWord } from './words.js';

/** Names below this are shared by chance: `utf8`, `int64`, `isOk`. */
export const MIN_NAME = 6;
/** A number is rare enough to follow with this many digits, zeros at its ends not counted. */
export const MIN_NUMBER = 4;
/** Longer words are base64 or minified code: nobody writes them a second time. */
const MAX_WORD = 256;
/** Hyphens join ordinary words (`read-only`, `long-running`); a lowercase name with only one must be longer. */
const MIN_HYPHENATED = 12;

/** FNV-1a over UTF-16 units. */
const HASH_SEED = 0x811c9dc5 | 0;
const HASH_PRIME = 0x01000193;

const LETTER = LOWER | UPPER;

/**
 * Visits the distinctive words of one run of word characters: the path as a whole, its base name (so that
 * `/a/b/foo.ts` and `foo.ts` meet), and names between dots (`models.ManyToManyField`).
 */
export function visitRun(
  units: Uint16Array,
  from: number,
  to: number,
  kinds: number,
  visit: VisitWord,
): void {
  if ((kinds & (DOT | SLASH)) === 0) {
    visitName(units, from, to, visit);
    return;
  }
  let end = to;
  while (end > from && (KIND[units[end - 1]!]! & ALPHANUMERIC) === 0) end--;
  if ((kinds & SLASH) === 0) {
    visitSegment(units, from, end, visit);
    return;
  }
  let start = from;
  while (start < end && (KIND[units[start]!]! & ALPHANUMERIC) === 0) start++;
  // A leading slash is trimmed from the word, so that `/a/b` and `a/b` meet, but it does say that this is a path.
  let slashes = start > from && units[start - 1] === 47 ? 1 : 0;
  let base = start;
  let hash = HASH_SEED;
  for (let i = start; i < end; i++) {
    const unit = units[i]!;
    hash = Math.imul(hash ^ unit, HASH_PRIME);
    if (unit !== 47) continue;
    slashes++;
    base = i + 1;
  }
  const found = visitSegment(units, base, end, visit);
  // `and/or`, `true/false`: one slash between two plain words is prose.
  const isPath = base > start && (found || slashes > 1);
  if (isPath && end - start >= MIN_NAME && end - start <= MAX_WORD) visit(finishHash(hash), start, end);
}

/** A run without slashes, or what stands behind its last one. True if a distinctive word was found. */
function visitSegment(units: Uint16Array, from: number, end: number, visit: VisitWord): boolean {
  let start = from;
  while (start < end && (KIND[units[start]!]! & ALPHANUMERIC) === 0) start++;
  let found = false;
  let kinds = 0;
  let piece = start;
  let hash = HASH_SEED;
  for (let i = start; i < end; i++) {
    const unit = units[i]!;
    const kind = KIND[unit]!;
    hash = Math.imul(hash ^ unit, HASH_PRIME);
    kinds |= kind;
    if (kind !== DOT) continue;
    // The pieces of a version or a decimal are nothing by themselves.
    if (kinds & LETTER && i - piece >= MIN_NAME) found = visitName(units, piece, i, visit) || found;
    piece = i + 1;
  }
  if (kinds === LOWER) return false;
  if (piece === start) return visitName(units, start, end, visit);
  const isNumeric = (kinds & LETTER) === 0;
  if (!isNumeric && end - piece >= MIN_NAME) found = visitName(units, piece, end, visit) || found;
  const whole = isNumeric ? isNumber(units, start, end) : isFileName(units, start, piece, end);
  if (!whole || end - start > MAX_WORD) return found;
  visit(finishHash(hash), start, end);
  return true;
}

/** `stem.ext`, and no call of a method: `os.path.join(`. */
function isFileName(units: Uint16Array, start: number, extension: number, end: number): boolean {
  const length = end - extension;
  if (length < 1 || length > 6 || end - start < MIN_NAME - 1 || units[end] === 40) return false;
  if (KIND[units[extension]!] !== LOWER) return false;
  for (let i = extension + 1; i < end; i++) if ((KIND[units[i]!]! & (LOWER | DIGIT)) === 0) return false;
  return true;
}

/**
 * An identifier of several words (camelCase, snake_case, kebab-case), an id that mixes letters and digits, or a
 * number. `__init__` and `_name` are told by their letters. One pass both tells the shape and makes the hash.
 */
function visitName(units: Uint16Array, from: number, to: number, visit: VisitWord): boolean {
  let start = from;
  let end = to;
  while (start < end && (KIND[units[start]!]! & ALPHANUMERIC) === 0) start++;
  while (end > start && (KIND[units[end - 1]!]! & ALPHANUMERIC) === 0) end--;
  const length = end - start;
  if (length < MIN_NUMBER || length > MAX_WORD) return false;
  let hash = HASH_SEED;
  let kinds = 0;
  let dashes = 0;
  let humps = 0;
  let before = 0;
  for (let i = start; i < end; i++) {
    const unit = units[i]!;
    const kind = KIND[unit]!;
    hash = Math.imul(hash ^ unit, HASH_PRIME);
    kinds |= kind;
    if (kind === DASH) dashes++;
    // fooBar, FooBar; and with three capitals or more: HTTPServer
    if (kind === UPPER && before === LOWER) humps++;
    else if (kind === LOWER && before === UPPER && i - start > 2 && KIND[units[i - 2]!] === UPPER) humps++;
    before = kind;
  }
  if ((kinds & LETTER) === 0) {
    if (!isNumber(units, start, end)) return false;
  } else {
    if (length < MIN_NAME) return false;
    const joined = dashes > 1 || (dashes === 1 && length >= MIN_HYPHENATED);
    if (humps === 0 && !joined && (kinds & (UNDERSCORE | DIGIT)) === 0) return false;
  }
  visit(finishHash(hash), start, end);
  return true;
}

function isNumber(units: Uint16Array, start: number, end: number): boolean {
  let digits = 0;
  let zeros = 0;
  for (let i = start; i < end; i++) {
    const unit = units[i]!;
    if (unit === 48) zeros += digits > 0 ? 1 : 0;
    else if (KIND[unit] === DIGIT) {
      digits += zeros + 1;
      zeros = 0;
    }
  }
  return digits >= MIN_NUMBER;
}

/** Mixed so that the low bits serve as a table index; never 0, which marks a free slot. */
function finishHash(raw: number): number {
  let hash = Math.imul(raw ^ (raw >>> 16), 0x85ebca6b);
  hash = (hash ^ (hash >>> 13)) & 0x3fffffff;
  return hash === 0 ? 1 : hash;
}
