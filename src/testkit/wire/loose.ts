/** An object of any content, as validators receive it. */
export type Loose = Record<string, unknown>;

export function isLoose(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const asLoose = (value: unknown): Loose => (isLoose(value) ? value : {});

export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

export const isUnset = (value: unknown): boolean => value === undefined || value === null;

/** Any value as text, by `String`; '[object Object]' if the object's own `toString` makes `String` throw. */
export function asText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '[object Object]';
  }
}

/** The entry of a table under a name from outside, which may be `constructor` or `__proto__`. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Whether a value is a text that is not empty: an id, a name or prose. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * Whether no text in a value, keys included, has half of a surrogate pair, which has no UTF-8. Not recursive, because
 * the value may be nested to any depth, or contain itself.
 */
export function isEncodable(value: unknown): boolean {
  const [waiting, seen] = [[value], new Set<unknown>()];
  while (waiting.length > 0) {
    const inner = waiting.pop();
    if (typeof inner === 'string' && /\p{Surrogate}/u.test(inner)) return false;
    if (typeof inner !== 'object' || inner === null || isBinary(inner) || seen.has(inner)) continue;
    seen.add(inner);
    for (const part of Object.entries(inner).flat() as unknown[]) waiting.push(part);
  }
  return true;
}

/** Bytes and addresses are always well-formed. */
const isBinary = (value: object): boolean =>
  value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof URL;
