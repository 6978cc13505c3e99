import { isPlain } from '../../transcript/index.js';

/**
 * The same value with every half of a surrogate pair replaced by U+FFFD; the very same object where there is none.
 * Half a pair cannot be written as UTF-8, and servers answer such a request with 400 or 500.
 */
export function wellFormed<T>(value: T): T {
  return mend(value) as T;
}

function mend(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const mended = list.map(mend);
    return mended.every((item, index) => item === list[index]) ? list : mended;
  }
  // Bytes and dates of an SDK's own shape hold no text.
  if (!isPlain(value)) return value;
  let changed = false;
  const fields = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const mendedKey = mend(key) as string;
    const mended = mend(inner);
    changed ||= mended !== inner || mendedKey !== key;
    return [mendedKey, mended];
  });
  return changed ? Object.fromEntries(fields) : value;
}
