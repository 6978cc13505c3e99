import { grouped } from '../../tokens/index.js';
import { endOfString, objectIn } from '../../transcript/index.js';
import { headOf } from '../reading/index.js';
import { cutText, type CutRequest } from './cut.js';
import { fitText } from './fit.js';

/**
 * A call's arguments within `maxTokens`: every key stays, long string values keep their beginning and say what was
 * cut. Only string literals are touched, so that numbers of any length, order and spacing stay as the model wrote them,
 * and what was a JSON object still is one. Arguments that are no JSON object are cut as the plain text they are.
 */
export function cutArguments(text: string, request: CutRequest): string {
  const { maxTokens, count, handle, knownTokens = count(text) } = request;
  if (knownTokens <= maxTokens) return text;
  const fields = objectIn(text);
  if (!fields) return cutText(text, { ...request, knownTokens });
  // A shorter literal cannot be cut: what says so would be as long.
  const values = stringValues(text).filter(({ start, end }) => end - start > LEAST_NOTE + handle.length);
  const fixed = text.length - values.reduce((sum, { start, end }) => sum + end - start, 0);
  const density = text.length / Math.max(1, knownTokens);
  const least = fixed + values.length * (LEAST_NOTE + handle.length);
  if (least > FAR_TOO_LONG * maxTokens * density)
    return keysOnly(Object.keys(fields), handle, maxTokens, count);
  const build = (chars: number): string => {
    const level = levelFor(
      values.map(({ start, end }) => end - start),
      chars - fixed,
    );
    const pieces: string[] = [];
    let at = 0;
    for (const { start, end } of values.filter((literal) => literal.end - literal.start > level)) {
      pieces.push(text.slice(at, start), cutLiteral(text.slice(start, end), level, handle));
      at = end;
    }
    return pieces.join('') + text.slice(at);
  };
  const fitted = fitText(build, maxTokens, count, density);
  return fitted?.text ?? keysOnly(Object.keys(fields), handle, maxTokens, count);
}

/** Characters that a cut leaves at least beside the handle: its note, and quotation marks. */
const LEAST_NOTE = '"… [1 more characters; ]"'.length;
/** What comes to so many times what is allowed, cut as far as can be, is not built and counted. */
const FAR_TOO_LONG = 16;

/** Where the string literals of a JSON text stand, keys left out; quotation marks included. */
function stringValues(text: string): { start: number; end: number }[] {
  const values = [];
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start);
    if (!/^\s*:/.test(text.slice(end, end + 40))) values.push({ start, end });
    start = text.indexOf('"', end);
  }
  return values;
}

/** Never longer than the literal it replaces. */
function cutLiteral(literal: string, chars: number, handle: string): string {
  const value = String(JSON.parse(literal));
  const note = (kept: number): string => `… [${grouped(value.length - kept)} more characters; ${handle}]`;
  const head = headOf(value, Math.max(0, chars - note(0).length));
  const cut = JSON.stringify(head + note(head.length));
  return cut.length < literal.length ? cut : literal;
}

/** Where even cut strings are too much (tables of numbers, hundreds of short strings): the names alone. */
function keysOnly(
  keys: readonly string[],
  handle: string,
  maxTokens: number,
  count: (text: string) => number,
): string {
  const named = JSON.stringify(Object.fromEntries(keys.map((key) => [key, '…'])));
  // Thousands of keys are themselves the data.
  return named.length < 8 * maxTokens && count(named) <= maxTokens ? named : JSON.stringify({ cut: handle });
}

/** The height at which a set of columns must be cut so that their sum is the allowance. */
export function levelFor(columns: readonly number[], allowance: number): number {
  const ascending = [...columns].sort((a, b) => a - b);
  let left = Math.max(0, allowance);
  for (let i = 0; i < ascending.length; i++) {
    const even = left / (ascending.length - i);
    if (ascending[i]! > even) return Math.floor(even);
    left -= ascending[i]!;
  }
  return Infinity;
}
