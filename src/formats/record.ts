import { isRecord as isFields, NumberLiteral, parseJson, parseSaid, writeJson } from '../transcript/index.js';
import type { Report } from './conversation/repairs.js';

/** An object from outside whose fields have not been checked. */
export type Fields = Readonly<Record<string, unknown>>;

export { isFields };

/** The value itself if it is an object; otherwise an empty object. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The value as a number, even if it is a `NumberLiteral`; undefined for anything else. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' || value instanceof NumberLiteral ? Number(value) : undefined;
}

/** The kind of a value, in words for an error message. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof NumberLiteral) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** JSON text of any value, with numbers as they were written; '' if JSON cannot represent the value. */
export function jsonText(value: unknown): string {
  return writeJson(value) ?? '';
}

/** Any value as text, by `String`; as JSON if `String` throws, e.g. on an object that has a field `toString`. */
export function asText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return jsonText(value);
  }
}

/** The entry of a table under a name from outside, which may be `constructor` or `__proto__`. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The value itself if it is a list; otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Whether a value is a text that is not empty: an id, a name or prose. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const orUndefined =
  (parse: (text: string) => unknown) =>
  (text: string): unknown => {
    try {
      return parse(text);
    } catch {
      return undefined;
    }
  };

export const isBytes = (value: unknown): value is Uint8Array | ArrayBuffer =>
  value instanceof Uint8Array || value instanceof ArrayBuffer;

const viewOf = (bytes: Uint8Array | ArrayBuffer): Uint8Array =>
  bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);

/** Whether both values are bytes and equal. */
export const sameBytes = (a: unknown, b: unknown): boolean =>
  isBytes(a) && isBytes(b) && Buffer.compare(viewOf(a), viewOf(b)) === 0;

/** The length of bytes as base64. */
export const base64Length = ({ byteLength }: Uint8Array | ArrayBuffer): number =>
  Math.ceil(byteLength / 3) * 4;

/** The value of a JSON text; undefined if the text is no JSON. */
export const jsonIn = orUndefined(parseJson);

/** As `jsonIn`, for a text that a model wrote. Also undefined if the JSON nests too deep to be written again. */
export const modelJson = orUndefined(parseSaid);

/** The value of arguments: `{}` for an empty text; the text itself if it is no JSON. */
export function argumentsIn(text: string): unknown {
  return text.trim() === '' ? {} : (modelJson(text) ?? (text.trim() === 'null' ? null : text));
}

/** Arguments as the object that providers require. Any other value is put into a field of an object. */
export function argumentsObject(value: unknown, tool: string, report: Report): Fields {
  if (isFields(value)) return value;
  report('arguments-not-json', `the arguments of ${tool} are no object; sent in the field \`arguments\``);
  return value === undefined || value === null ? {} : { arguments: value };
}

/** The object at a place of a list; undefined if the list, the place or the item has another type. */
export function itemAt(list: unknown, at: unknown): Fields | undefined {
  const item: unknown = Array.isArray(list) && typeof at === 'number' ? list[at] : undefined;
  return isFields(item) ? item : undefined;
}

/** The entry of a list at the inner of two places in `wire`: a part of an item that contains several. */
export function innerOf(list: unknown, wire: unknown): unknown {
  const at = listOf(wire)[1];
  return typeof at === 'number' ? listOf(list)[at] : undefined;
}

/** A copy of an object with these fields replaced, in the object's own order. The value undefined removes a field. */
export function withFields(own: Fields, fields: Fields): Fields {
  return Object.fromEntries(Object.entries({ ...own, ...fields }).filter(([, value]) => value !== undefined));
}

/** An object with these values; the object itself if no value differs. */
export function overlay<T extends Fields>(own: T, values: Fields): T {
  return Object.entries(values).every(([key, value]) => own[key] === value) ? own : { ...own, ...values };
}

/** The original list if all its items are the very same in what was written; otherwise the written list. */
export function originalIfSame(written: readonly unknown[], original: unknown): unknown {
  const list = listOf(original);
  return written.length === list.length && written.every((one, at) => one === list[at]) ? original : written;
}
