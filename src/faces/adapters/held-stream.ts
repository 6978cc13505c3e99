import type { Flight } from '../../session/index.js';

/** Who has not asked for more in so many milliseconds has gone away, or is waiting for what the stream itself holds up. */
const IDLE_MS = 10_000;

/**
 * A stream that holds its flight from the first event that is asked for until the last was: to its end, a failure, a
 * `break`, an abort, or until nobody asks for more. A stream that nobody reads holds nothing.
 */
export function heldStream<Event>(
  events: AsyncIterator<Event>,
  flight: Flight,
  signal?: AbortSignal,
  /** Ends what is waited for: a generator that waits for its next event would give up only when that has come. */
  giveUp?: () => void,
): AsyncIterableIterator<Event> {
  let release: (() => void) | undefined;
  let isOver = false;
  let idle: NodeJS.Timeout | undefined;
  const begin = (): void => {
    clearTimeout(idle);
    if (release || isOver) return;
    flight.until(new Promise<void>((resolve) => (release = resolve)));
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
  };
  const pause = (): void => {
    clearTimeout(idle);
    release?.();
    release = undefined;
    signal?.removeEventListener('abort', end);
  };
  const end = (): void => {
    isOver = true;
    pause();
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      begin();
      try {
        const result = await events.next();
        if (result.done) end();
        else if (!isOver) {
          idle = setTimeout(pause, IDLE_MS);
          idle.unref();
        }
        return result;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return(value?: unknown) {
      end();
      giveUp?.();
      return (await events.return?.(value)) ?? { done: true, value };
    },
  };
}

/** The same of a client's stream object. */
export function holdStream(stream: AsyncIterable<unknown>, flight: Flight): void {
  const { controller } = stream as { readonly controller?: AbortController };
  through(stream, (events) =>
    heldStream(events[Symbol.asyncIterator](), flight, controller?.signal, () => controller?.abort()),
  );
}

/** Whatever reads the stream from here on reads it through this: loops, and the clients' own `tee`, which asks for `iterator`. */
export function through(
  stream: AsyncIterable<unknown>,
  change: (events: AsyncIterable<unknown>) => AsyncIterator<unknown>,
): void {
  const { iterator } = stream as { readonly iterator?: unknown };
  const read =
    typeof iterator === 'function'
      ? (iterator as () => AsyncIterator<unknown>)
      : stream[Symbol.asyncIterator];
  const own = read.bind(stream);
  const value = (): AsyncIterator<unknown> => change({ [Symbol.asyncIterator]: own });
  for (const name of [Symbol.asyncIterator, ...(read === iterator ? ['iterator'] : [])])
    Object.defineProperty(stream, name, { value, configurable: true });
}
