import { NumberLiteral } from '../../transcript/index.js';

/**
 * A deep-frozen copy as JSON would give it back; what is deep-frozen already is shared, not copied. Bytes cannot be frozen
 * and stay bytes, as in every store.
 */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof NumberLiteral) return value;
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) return value.slice(0) as T;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return frozenCopy(toJSON.call(value) as T);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => frozenCopy(item));
    const same = Object.isFrozen(value) && items.every((item, i) => item === value[i]);
    return same ? value : (Object.freeze(items) as T);
  }
  const fields = Object.entries(value);
  const kept = fields
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => [name, frozenCopy(field)] as const);
  const same =
    Object.isFrozen(value) &&
    kept.length === fields.length &&
    kept.every(([, field], i) => field === fields[i]![1]);
  return same ? value : (Object.freeze(Object.fromEntries(kept)) as T);
}
