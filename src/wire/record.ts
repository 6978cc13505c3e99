/** Anything read from outside, before it is known to be more. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a value is, in the words of an error message. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** JSON text of anything; '' for what JSON cannot say. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

/** A list as it is; none for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Text that says something: ids and names as much as words. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
