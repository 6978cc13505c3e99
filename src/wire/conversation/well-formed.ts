import { isPlain } from '../../transcript/index.js';

/**
 * The same value with every half of a surrogate pair replaced by U+FFFD; the very same object where there is none.
 * Half a pair cannot be written as UTF-8, and servers answer such a request with 400 or 500.
 */
export function wellFormed<T>(value: T): T {
  return isSound(value) ? value : (mended(value) as T);
}

/** Most values are: told without a copy. */
function isSound(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isSound);
  // Bytes and dates of an SDK's own shape hold no text.
  if (!isPlain(value)) return true;
  for (const key in value) if (!key.isWellFormed() || !isSound(value[key])) return false;
  return true;
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mended);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), mended(inner)]));
}
