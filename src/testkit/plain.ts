/** Whether a value survives being written as JSON and read again. */
export function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return value.every(isPlain);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((one) => one === undefined || isPlain(one));
}
