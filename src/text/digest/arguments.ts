import { grouped } from '../../tokens/index.js';
import { endOfString, objectIn } from '../../transcript/index.js';
import { headOf } from '../reading/index.js';
import { cutText, type CutRequest } from './cut.js';
import { fitText } from './fit.js';

/**
 * A call's arguments within `maxTokens`: every key stays, and long string values keep their beginning with a note about
 * the cut. Only string literals change, so that numbers of any length, order and spacing stay as the model wrote them,
 * and a JSON object stays one. Arguments that are no JSON object are cut as plain text.
 */
export function cutArguments(text: string, request: CutRequest): string {
  const { maxTokens, count, handle, knownTokens = count(text) } = request;
  if (knownTokens <= maxTokens) return text;
  const fields = objectIn(text);
  if (!fields) return cutText(text, { ...request, knownTokens });
  // A shorter literal cannot be cut: its note would be as long.
  const values = stringValues(text).filter(({ start, end }) => end - start > MIN_NOTE + handle.length);
  const fixed = text.length - values.reduce((sum, { start, end }) => sum + end - start, 0);
  const density = text.length / Math.max(1, knownTokens);
  const least = fixed + values.length * (MIN_NOTE + handle.length);
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

/** Least characters of a cut literal without the handle: its note and quotation marks. */
const MIN_NOTE = '"… [1 more characters; ]"'.length;
/** Arguments that are this many times too long even after all cuts are not built and counted. */
const FAR_TOO_LONG = 16;

/** The places of string literals in a JSON text, without keys; including quotation marks. */
function stringValues(text: string): { start: number; end: number }[] {
  const values = [];
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start);
    if (!/^\s*:/.test(text.slice(end, end + 40))) values.push({ start, end });
    start = text.indexOf('"', end);
  }
  return values;
}

/** Never longer than the literal that it replaces. */
function cutLiteral(literal: string, chars: number, handle: string): string {
  const value = String(JSON.parse(literal));
  const note = (kept: number): string => `… [${grouped(value.length - kept)} more characters; ${handle}]`;
  const head = headOf(value, Math.max(0, chars - note(0).length));
  const cut = JSON.stringify(head + note(head.length));
  return cut.length < literal.length ? cut : literal;
}

/** If even cut strings are too long (tables of numbers, hundreds of short strings): the keys alone. */
function keysOnly(
  keys: readonly string[],
  handle: string,
  maxTokens: number,
  count: (text: string) => number,
): string {
  const named = JSON.stringify(Object.fromEntries(keys.map((key) => [key, '…'])));
  // Thousands of keys are data themselves.
  return named.length < 8 * maxTokens && count(named) <= maxTokens ? named : JSON.stringify({ cut: handle });
}

/** The height to which columns must be cut so that their sum is the allowance. */
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
