/** What judges of requests ask of values that may be anything. */
export type Loose = Record<string, unknown>;

export function isLoose(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const asLoose = (value: unknown): Loose => (isLoose(value) ? value : {});

export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

/** Text that says something: ids and names as much as words. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Whether no text in it, keys included, holds half of a surrogate pair: such text has no UTF-8. */
export function isEncodable(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isEncodable(key) && isEncodable(inner));
}

/** The same of messages that a library holds, keys aside: bytes and addresses are whole as they are. */
export function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof URL) return true;
  if (Array.isArray(value)) return value.every(isWhole);
  return !isLoose(value) || Object.values(value).every(isWhole);
}
