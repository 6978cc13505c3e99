import type { Flight } from '../../session/index.js';

/** A reader that asks for no event for this time is gone, or waits for something that this stream blocks. */
const IDLE_MS = 10_000;

/** A reader begins within this time, or never reads, or first opens another stream. */
const UNREAD_MS = 100;

/** Holds a flight until the returned function is called. */
function holdFlight(flight: Flight): () => void {
  let release!: () => void;
  flight.until(new Promise<void>((resolve) => (release = resolve)));
  return release;
}

/** Holds a flight until its reader begins: the next call can roll the session back, and a recall in this stream then fails. */
function holdUntilRead(flight: Flight): () => void {
  const release = holdFlight(flight);
  const waiting = setTimeout(release, UNREAD_MS);
  return () => {
    clearTimeout(waiting);
    release();
  };
}

/**
 * A stream that holds its flight (blocks the session's next call) until the end, a failure, a `break`, an abort, or a
 * pause of the reader of `IDLE_MS`. A stream that nobody begins to read within `UNREAD_MS` holds nothing.
 */
export function holdIterator<Event>(
  events: AsyncIterator<Event>,
  flight: Flight,
  signal?: AbortSignal,
  /** Ends the pending read: `return` on a generator takes effect only after its next event. */
  cancelRead?: () => void,
  /** Ends the hold from before the first read. */
  releaseUnread = holdUntilRead(flight),
): AsyncIterableIterator<Event> {
  let release: (() => void) | undefined;
  let isOver = false;
  let idle: NodeJS.Timeout | undefined;
  const begin = (): void => {
    clearTimeout(idle);
    if (release || isOver) return;
    release = holdFlight(flight);
    releaseUnread();
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
    releaseUnread();
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
      cancelRead?.();
      return (await events.return?.(value)) ?? { done: true, value };
    },
  };
}

/** Holds the flight while a client's stream object is read. */
export function holdStream(stream: AsyncIterable<unknown>, flight: Flight): void {
  const { controller } = stream as { readonly controller?: AbortController };
  const cancelRead = (): void => controller?.abort();
  const releaseUnread = holdUntilRead(flight);
  interceptReads(stream, (events) =>
    holdIterator(events[Symbol.asyncIterator](), flight, controller?.signal, cancelRead, releaseUnread),
  );
}

/** Makes all later reads of the stream pass through `change`: loops, and the clients' `tee`, which calls `iterator`. */
export function interceptReads(
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
