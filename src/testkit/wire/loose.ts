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
export const isEncodable = (value: unknown): boolean =>
  everyText(value, (inner) => (isObject(inner) ? Object.entries(inner).flat() : []));

/** The same of messages that a library holds, keys aside: bytes and addresses are whole as they are. */
export const isWhole = (value: unknown): boolean =>
  everyText(value, (inner) => (isObject(inner) && !isSealed(inner) ? Object.values(inner) : []));

/** Does not call itself: what is judged may be nested as deep as anybody likes, or hold itself. */
function everyText(value: unknown, partsOf: (inner: unknown) => readonly unknown[]): boolean {
  const [waiting, seen] = [[value], new Set<unknown>()];
  while (waiting.length > 0) {
    const inner = waiting.pop();
    if (typeof inner === 'string' && /\p{Surrogate}/u.test(inner)) return false;
    if (!isObject(inner) || seen.has(inner)) continue;
    seen.add(inner);
    for (const part of partsOf(inner)) waiting.push(part);
  }
  return true;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isSealed = (value: object): boolean =>
  value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof URL;
