/** Not settled in time. */
export const LATE = Symbol('late');

/**
 * What some work gives, or `LATE` where it has not settled in so many milliseconds; it goes on then, and nobody listens.
 * Its signal aborts with the deadline. `onEnd` is called when the work itself ends, late or not.
 */
export async function within<T>(
  ms: number,
  work: (signal: AbortSignal) => T | Promise<T>,
  onEnd: () => void = () => undefined,
): Promise<T | typeof LATE> {
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((end) => {
    timer = setTimeout(() => {
      own.abort();
      end(LATE);
    }, ms);
  });
  // In an async function, so that work that throws at once rejects.
  const done = (async () => work(own.signal))();
  done.catch(() => undefined).finally(onEnd);
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
