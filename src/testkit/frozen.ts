/** The same value, frozen at every depth: contracts must work with frozen values. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

/** Whether a value is an error of any realm, because test runners and workers have their own realms. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error) return true;
  const { name, message } = (value ?? {}) as { readonly name?: unknown; readonly message?: unknown };
  return typeof name === 'string' && typeof message === 'string';
}

/** Whether an error is thrown by a write to a frozen value. */
export function isFrozenWrite(error: unknown): boolean {
  return (
    isError(error) &&
    error.name === 'TypeError' &&
    /read.only|extensible|(add|delete) property/i.test(error.message)
  );
}
