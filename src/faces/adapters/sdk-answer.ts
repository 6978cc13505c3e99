import { eventText, isStream } from '../endpoints/index.js';
import { isFields, type Fields } from '../../formats/index.js';

/** The methods that an SDK's promise has in addition to those of a promise. */
export interface SdkAnswer<T = unknown> extends Promise<T> {
  asResponse(): Promise<Response>;
  withResponse(): Promise<object>;
}

/** The result of a request. */
export interface Sent {
  /** Absent if no request was sent. */
  readonly answer?: SdkAnswer;
  readonly data: unknown;
}

/** Sends a request with the client's own method. */
export async function sendWith(ask: () => unknown): Promise<Sent> {
  const answer = ask() as SdkAnswer;
  return { answer, data: await answer };
}

/** Options of a request that aborts with the given signal or with the caller's own signal. */
export function withSignal(options: unknown, signal: AbortSignal | undefined): unknown {
  if (!signal) return options;
  const own = isFields(options) && options.signal instanceof AbortSignal ? [options.signal] : [];
  return { ...(options as object | undefined), signal: AbortSignal.any([...own, signal]) };
}

/** A promise like the client's, for `change(data)`. `done` is the line that ends a stream, if the wire has one. */
export function sdkAnswer<T>(sent: Promise<Sent>, change: (data: unknown) => T, done?: string): SdkAnswer<T> {
  const data = sent.then((one) => change(one.data));
  const withResponse = async (one: Sent): Promise<object> => {
    const answer = await one.answer?.withResponse();
    return { ...(answer ?? { response: await responseOf(one, done) }), data: await data };
  };
  return Object.assign(data, {
    asResponse: () =>
      replaceAnswer(
        data,
        sent.then((one) => responseOf(one, done)),
      ),
    withResponse: () => replaceAnswer(data, sent.then(withResponse)),
  });
}

/** Returns `replacement`, which a failure rejects. The failure of `data`, which nobody awaits, is silenced. */
export function replaceAnswer<T extends Promise<unknown>>(data: Promise<unknown>, replacement: T): T {
  data.catch(() => undefined);
  return replacement;
}

const NO_BODY_HEADERS = ['content-encoding', 'content-length', 'transfer-encoding'];

/** A raw response with a readable body. The original body has been read to find the usage, so it is written again. */
export async function responseOf({ answer, data }: Sent, done?: string): Promise<Response> {
  const original = await answer?.asResponse();
  const headers = new Headers(original?.headers);
  for (const name of NO_BODY_HEADERS) headers.delete(name);
  const { status = 200, statusText = '' } = original ?? {};
  if (!isStream(data)) {
    headers.set('content-type', headers.get('content-type') ?? 'application/json');
    return new Response(JSON.stringify(data), { status, statusText, headers });
  }
  headers.set('content-type', 'text/event-stream');
  return new Response(eventStream(data as AsyncIterable<Fields>, done), { status, statusText, headers });
}

function eventStream(events: AsyncIterable<Fields>, done?: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (!next.done) return controller.enqueue(encoder.encode(eventText(next.value)));
      if (done !== undefined) controller.enqueue(encoder.encode(done));
      controller.close();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/** A stream of Spillway's own, with no server behind it. */
export function streamOf(
  events: readonly Fields[],
): AsyncIterable<Fields> & { readonly controller: AbortController } {
  return {
    controller: new AbortController(),
    async *[Symbol.asyncIterator]() {
      yield* events;
    },
  };
}
