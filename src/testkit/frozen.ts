/** The same value, which nobody can write into any more: what contracts pass must survive that. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

/** Errors by what they are, not by which realm made them: test runners and workers have their own. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error) return true;
  const { name, message } = (value ?? {}) as { readonly name?: unknown; readonly message?: unknown };
  return typeof name === 'string' && typeof message === 'string';
}

/** What is thrown where something frozen is written to. */
export function isWrite(error: unknown): boolean {
  return (
    isError(error) &&
    error.name === 'TypeError' &&
    /read.only|extensible|(add|delete) property/i.test(error.message)
  );
}
