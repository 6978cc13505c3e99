/** What judges of requests ask of values that may be anything. */
export type Loose = Record<string, unknown>;

export function isLoose(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const asLoose = (value: unknown): Loose => (isLoose(value) ? value : {});

export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

export const isNothing = (value: unknown): boolean => value === undefined || value === null;

/** Anything in words, as `String` writes it; of an object that has a field `toString` of its own, that it is one. */
export function inWords(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '[object Object]';
  }
}

/** What a table has under a name from outside, which may be `constructor` or `__proto__`. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Text that says something: ids and names as much as words. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * Whether no text in it, keys included, holds half of a surrogate pair: such text has no UTF-8. Does not call itself: what
 * is judged may be nested as deep as anybody likes, or hold itself.
 */
export function isEncodable(value: unknown): boolean {
  const [waiting, seen] = [[value], new Set<unknown>()];
  while (waiting.length > 0) {
    const inner = waiting.pop();
    if (typeof inner === 'string' && /\p{Surrogate}/u.test(inner)) return false;
    if (typeof inner !== 'object' || inner === null || isSealed(inner) || seen.has(inner)) continue;
    seen.add(inner);
    for (const part of Object.entries(inner).flat() as unknown[]) waiting.push(part);
  }
  return true;
}

/** Bytes and addresses are whole as they are. */
const isSealed = (value: object): boolean =>
  value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof URL;
