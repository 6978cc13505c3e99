import { isRecord as isFields, NumberLiteral, parseJson, parseSaid, writeJson } from '../transcript/index.js';
import type { Report } from './conversation/repairs.js';

/** Anything read from outside, before it is known to be more. */
export type Fields = Readonly<Record<string, unknown>>;

export { isFields };

/** An object as it is; an empty one for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** A number to reckon with, however it was written. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' || value instanceof NumberLiteral ? Number(value) : undefined;
}

/** What a value is, in the words of an error message. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof NumberLiteral) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** JSON text of anything, numbers as they were written; '' for what JSON cannot say. */
export function jsonText(value: unknown): string {
  return writeJson(value) ?? '';
}

/** Anything in words, as `String` writes it; as JSON where that throws: on an object that has a field `toString`. */
export function inWords(value: unknown): string {
  try {
    return String(value);
  } catch {
    return jsonText(value);
  }
}

/** What a table has under a name from outside, which may be `constructor` or `__proto__`. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** A list as it is; none for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Text that says something: ids and names as much as words. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const orNothing =
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

/** Whether both are bytes, and the same ones. */
export const sameBytes = (a: unknown, b: unknown): boolean =>
  isBytes(a) && isBytes(b) && Buffer.compare(viewOf(a), viewOf(b)) === 0;

/** How long bytes are as base64. */
export const base64Length = ({ byteLength }: Uint8Array | ArrayBuffer): number =>
  Math.ceil(byteLength / 3) * 4;

/** What JSON text says; undefined where it is none. */
export const jsonIn = orNothing(parseJson);

/** The same of a text that a model wrote; undefined too where it nests so deep that it is better left as the text it is. */
export const jsonSaid = orNothing(parseSaid);

/** Arguments as a value: nothing is an empty object, and what is no JSON is itself. */
export function argumentsIn(text: string): unknown {
  return text.trim() === '' ? {} : (jsonSaid(text) ?? (text.trim() === 'null' ? null : text));
}

/** Arguments as the object that they must be: what is none goes into a field of one. */
export function argumentsObject(value: unknown, tool: string, report: Report): Fields {
  if (isFields(value)) return value;
  report('arguments-not-json', `the arguments of ${tool} are no object; sent in the field \`arguments\``);
  return value === undefined || value === null ? {} : { arguments: value };
}

/** What stands at a place of a list; undefined where either is not what it should be. */
export function itemAt(list: unknown, at: unknown): Fields | undefined {
  const item: unknown = Array.isArray(list) && typeof at === 'number' ? list[at] : undefined;
  return isFields(item) ? item : undefined;
}

/** What stands in a list at the inner one of two places: a part of an item that holds several. */
export function innerOf(list: unknown, wire: unknown): unknown {
  const at = listOf(wire)[1];
  return typeof at === 'number' ? listOf(list)[at] : undefined;
}

/** An object with these fields in place of its own, in their order; undefined takes one away. */
export function withFields(own: Fields, fields: Fields): Fields {
  return Object.fromEntries(Object.entries({ ...own, ...fields }).filter(([, value]) => value !== undefined));
}

/** An object with these values: itself where nothing differs. */
export function changed<T extends Fields>(own: T, values: Fields): T {
  return Object.entries(values).every(([key, value]) => own[key] === value) ? own : { ...own, ...values };
}

/** What a list was where each of its items is still the very one; else what was written. */
export function sameOr(written: readonly unknown[], original: unknown): unknown {
  const list = listOf(original);
  return written.length === list.length && written.every((one, at) => one === list[at]) ? original : written;
}
