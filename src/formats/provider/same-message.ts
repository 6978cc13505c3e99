import { isPlain, type Message, NumberLiteral } from '../../transcript/index.js';
import { isBytes, isSet, sameBytes, type Fields } from '../record.js';
import { PROVIDERS } from '../registry.js';

/** Whether two texts count as the same: if they are equal, unless a caller passes another rule. */
type SameText = (a: string, b: string) => boolean;

const isEqual: SameText = (a, b) => a === b;

/**
 * Whether a client sent the same message again. The log's ids are not compared, because they derive from places; nor
 * are cache marks, which clients move from request to request. A field that is null counts as missing.
 */
export function sameMessage(a: Message, b: Message, sameText: SameText = isEqual): boolean {
  if (a === b) return true;
  if (a.role !== b.role || a.wireFormat !== b.wireFormat) return false;
  if (isObject(a.wire) && isObject(b.wire)) return sameValue(a.wire, b.wire, sameText);
  return sameValue(a.wire, b.wire, sameText) && sameValue(a.parts, b.parts, sameText);
}

/** Fields that may differ: cache marks, and fields that classes keep in addition to the message. */
const PASSING = new RegExp(PROVIDERS.flatMap(({ passing }) => passing?.source ?? []).join('|'));

/** The runtime compares texts byte for byte: on 4 MB of history this takes far less than a millisecond. */
function sameValue(given: unknown, other: unknown, sameText: SameText): boolean {
  const [a, b] = areInstances(given, other) ? [given, other] : [jsonForm(given), jsonForm(other)];
  if (a === b || (!isSet(a) && !isSet(b))) return true;
  if (typeof a === 'string') return areSameText(a, typeof b === 'string' ? b : onlyText(b), sameText);
  if (typeof b === 'string') return areSameText(onlyText(a), b, sameText);
  if (!isObject(a) || !isObject(b)) return false;
  if (isBytes(a) || isBytes(b)) return sameBytes(a, b);
  if (a instanceof NumberLiteral || b instanceof NumberLiteral) return sameNumber(a, b);
  if (Array.isArray(a) || Array.isArray(b)) return sameList(a, b, sameText);
  return hasAllFields(a, b, sameText) && hasNoOtherField(b, a);
}

/** Whether both are instances of one class with visible fields, so that a host's write to one of them is seen. */
function areInstances(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b) || isPlain(a)) return false;
  return Object.getPrototypeOf(a) === Object.getPrototypeOf(b) && Object.keys(a).length > 0;
}

/** A value as a store or a client's own history keeps it: dates, addresses and instances in their JSON form. */
function jsonForm(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (!isObject(value) || isBytes(value) || value instanceof NumberLiteral) return value;
  return typeof value.toJSON === 'function' ? (value as { toJSON(): unknown }).toJSON() : value;
}

const areSameText = (a: string | undefined, b: string | undefined, sameText: SameText): boolean =>
  a !== undefined && b !== undefined && sameText(a, b);

function sameList(a: unknown, b: unknown, sameText: SameText): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, i) => sameValue(item, b[i], sameText));
}

const sameNumber = (a: unknown, b: unknown): boolean =>
  a instanceof NumberLiteral && b instanceof NumberLiteral && a.literal === b.literal;

/** Whether every field of `a` is in `b` with the same value. */
function hasAllFields(a: Fields, b: Fields, sameText: SameText): boolean {
  for (const key in a) {
    const value = a[key];
    if (isIgnored(key, value, b)) continue;
    if (!sameValue(value, b[key], sameText) && (isSet(b[key]) || !holdsOnlyMarks(value))) return false;
  }
  return true;
}

/** Whether every field of `a` is set in `b`. */
function hasNoOtherField(a: Fields, b: Fields): boolean {
  for (const key in a) {
    const value = jsonForm(a[key]);
    if (!isIgnored(key, value, b) && !isSet(b[key]) && isSet(value) && !holdsOnlyMarks(value)) return false;
  }
  return true;
}

function isIgnored(key: string, value: unknown, other: Fields): boolean {
  if (PASSING.test(key) || typeof value === 'function') return true;
  if (key !== 'id') return false;
  // Programs give messages ids when they first store them; LangGraph does so at each call if its client has not.
  if (isSet(other.id) !== isSet(value)) return true;
  return 'content' in other && [value, other.id].some((id) => typeof id === 'string' && RANDOM.test(id));
}

const RANDOM = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Whether a value holds only cache marks: `providerOptions: { anthropic: { cacheControl } }` leaves with its mark. */
function holdsOnlyMarks(value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false;
  return Object.keys(value).every((key) => PASSING.test(key) || holdsOnlyMarks(value[key]));
}

/** The text of a list of one text block: a client turns a text into such a list to put a cache mark on it. */
function onlyText(content: unknown): string | undefined {
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  return isObject(only) && only.type === 'text' && typeof only.text === 'string' ? only.text : undefined;
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
