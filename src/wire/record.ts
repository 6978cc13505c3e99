import { NumberLiteral, writeJson } from '../transcript/index.js';

/** Anything read from outside, before it is known to be more. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral)
  );
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

/** A list as it is; none for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Text that says something: ids and names as much as words. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
