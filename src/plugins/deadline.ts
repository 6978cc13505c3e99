/** Not settled in time. */
export const LATE = Symbol('late');

/**
 * What some work gives, or `LATE` where it has not settled in so many milliseconds; it goes on then, and nobody listens.
 * Its signal aborts with the deadline, or with the caller's own.
 */
export async function within<T>(
  ms: number,
  work: (signal: AbortSignal) => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T | typeof LATE> {
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((end) => {
    const stop = (): void => {
      own.abort();
      end(LATE);
    };
    timer = setTimeout(stop, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true, signal: own.signal });
  });
  try {
    // In an async function, so that work that throws at once rejects.
    const done = (async () => work(own.signal))();
    done.catch(() => undefined);
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
    own.abort();
  }
}
