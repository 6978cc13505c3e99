import { isPlain } from '../../transcript/index.js';
import { isBytes, sameBytes } from '../record.js';

/**
 * Whether two values from outside have equal content in the same order, so that the parse result of one is valid for
 * the other. Bytes, addresses and dates are compared by content; instances of one class by their own fields, if any.
 */
export function sameItem(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at++) if (!sameItem(a[at], b[at])) return false;
    return true;
  }
  if (!isPlain(a) || !isPlain(b)) return sameInstance(a, b);
  return sameFields(a, b);
}

function sameInstance(a: object, b: object): boolean {
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (isBytes(a)) return sameBytes(a, b);
  if (a instanceof URL || a instanceof Date) return a.toJSON() === (b as URL | Date).toJSON();
  return Object.keys(a).length > 0 && sameFields(a, b);
}

function sameFields(a: object, b: object): boolean {
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return false;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    if (key !== others[at] || !sameItem(a[key as keyof object], b[key as keyof object])) return false;
  }
  return true;
}
