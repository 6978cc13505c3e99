import { isPlain, type Message, NumberLiteral } from '../../transcript/index.js';
import { isBytes, isSet, sameBytes, type Fields } from '../record.js';
import { PROVIDERS } from '../registry.js';

/** Whether two texts count as one: the same, unless a caller knows better. */
type SameText = (a: string, b: string) => boolean;

const isEqual: SameText = (a, b) => a === b;

/**
 * Whether a client sent the same message again. Ids are not asked, for they come from places; nor are cache marks, which
 * clients move from request to request; and a field that is null is one that is not there.
 */
export function sameMessage(a: Message, b: Message, sameText: SameText = isEqual): boolean {
  if (a === b) return true;
  if (a.role !== b.role || a.wireFormat !== b.wireFormat) return false;
  if (isObject(a.wire) && isObject(b.wire)) return sameValue(a.wire, b.wire, sameText);
  return sameValue(a.wire, b.wire, sameText) && sameValue(a.parts, b.parts, sameText);
}

/** Cache marks, and what classes keep beside the message. */
const PASSING = new RegExp(PROVIDERS.flatMap(({ passing }) => passing?.source ?? []).join('|'));

/** Texts are compared by the runtime, byte for byte: on 4 MB of history that is far below a millisecond. */
function sameValue(given: unknown, other: unknown, sameText: SameText): boolean {
  const [a, b] = haveFields(given, other) ? [given, other] : [asWritten(given), asWritten(other)];
  if (a === b || (!isSet(a) && !isSet(b))) return true;
  if (typeof a === 'string') return isSaid(a, typeof b === 'string' ? b : onlyText(b), sameText);
  if (typeof b === 'string') return isSaid(onlyText(a), b, sameText);
  if (!isObject(a) || !isObject(b)) return false;
  if (isBytes(a) || isBytes(b)) return sameBytes(a, b);
  if (a instanceof NumberLiteral || b instanceof NumberLiteral) return sameNumber(a, b);
  if (Array.isArray(a) || Array.isArray(b)) return sameList(a, b, sameText);
  return holdsAll(a, b, sameText) && holdsNoMore(b, a);
}

/** Two instances of one class that show what they hold: a host's write to one of them is seen. */
function haveFields(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b) || isPlain(a)) return false;
  return Object.getPrototypeOf(a) === Object.getPrototypeOf(b) && Object.keys(a).length > 0;
}

/** What a store keeps of a value, and a client of its own history: dates, addresses and instances by what JSON has of them. */
function asWritten(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (!isObject(value) || isBytes(value) || value instanceof NumberLiteral) return value;
  return typeof value.toJSON === 'function' ? (value as { toJSON(): unknown }).toJSON() : value;
}

function isSaid(a: string | undefined, b: string | undefined, sameText: SameText): boolean {
  return a !== undefined && b !== undefined && sameText(a, b);
}

function sameList(a: unknown, b: unknown, sameText: SameText): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, i) => sameValue(item, b[i], sameText));
}

const sameNumber = (a: unknown, b: unknown): boolean =>
  a instanceof NumberLiteral && b instanceof NumberLiteral && a.literal === b.literal;

/** Every field of `a` stands in `b`. */
function holdsAll(a: Fields, b: Fields, sameText: SameText): boolean {
  for (const key in a) {
    const value = a[key];
    if (isNoMatter(key, value, b)) continue;
    if (!sameValue(value, b[key], sameText) && (isSet(b[key]) || !isEmptied(value))) return false;
  }
  return true;
}

/** No field of `a` is missing in `b`. */
function holdsNoMore(a: Fields, b: Fields): boolean {
  for (const key in a) {
    const value = asWritten(a[key]);
    if (!isNoMatter(key, value, b) && !isSet(b[key]) && isSet(value) && !isEmptied(value)) return false;
  }
  return true;
}

function isNoMatter(key: string, value: unknown, other: Fields): boolean {
  if (PASSING.test(key) || typeof value === 'function') return true;
  if (key !== 'id') return false;
  // Programs name messages when they first store them, and LangGraph does at each call where its client has not.
  if (isSet(other.id) !== isSet(value)) return true;
  return 'content' in other && [value, other.id].some((id) => typeof id === 'string' && RANDOM.test(id));
}

const RANDOM = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Nothing but cache marks: `providerOptions: { anthropic: { cacheControl } }` is gone where its mark moved on. */
function isEmptied(value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false;
  return Object.keys(value).every((key) => PASSING.test(key) || isEmptied(value[key]));
}

/** A message of words alone becomes a list of one block when a client puts a cache mark on it. */
function onlyText(content: unknown): string | undefined {
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  return isObject(only) && only.type === 'text' && typeof only.text === 'string' ? only.text : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
