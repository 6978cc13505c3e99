import { isPlain } from '../record.js';

/**
 * Whether two values from outside say the same in the same order, so that what the one was parsed to stands for the
 * other. The very same object does; of values that JSON cannot say (bytes, addresses, instances of classes) nothing else.
 */
export function sameItem(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((one, at) => sameItem(one, b[at]));
  }
  if (!isPlain(a) || !isPlain(b)) return false;
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return false;
  return keys.every((key, at) => key === others[at] && sameItem(a[key], b[key]));
}
