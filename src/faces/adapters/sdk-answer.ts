import { isStream } from '../endpoints/index.js';
import { isFields, type Fields } from '../../formats/index.js';

/** What the promise of an SDK can do beside resolving. */
export interface SdkAnswer<T = unknown> extends Promise<T> {
  asResponse(): Promise<Response>;
  withResponse(): Promise<object>;
}

/** What came of a request. */
export interface Sent {
  /** Absent where nobody was asked. */
  readonly answer?: SdkAnswer;
  readonly data: unknown;
}

/** Sends a request with the client's own method. */
export async function sentBy(ask: () => unknown): Promise<Sent> {
  const answer = ask() as SdkAnswer;
  return { answer, data: await answer };
}

/** Options of a request that ends with an earlier one, or when its own caller ends it. */
export function withSignal(options: unknown, signal: AbortSignal | undefined): unknown {
  if (!signal) return options;
  const own = isFields(options) && options.signal instanceof AbortSignal ? [options.signal] : [];
  return { ...(options as object | undefined), signal: AbortSignal.any([...own, signal]) };
}

/** The promise of a client, of what came or `change` of it. `done` ends a stream where the wire has such a line. */
export function answering<T>(sent: Promise<Sent>, change: (data: unknown) => T, done?: string): SdkAnswer<T> {
  const data = sent.then((one) => change(one.data));
  const withResponse = async (one: Sent): Promise<object> => {
    const answer = await one.answer?.withResponse();
    return { ...(answer ?? { response: await responseOf(one, done) }), data: await data };
  };
  return Object.assign(data, {
    asResponse: () =>
      instead(
        data,
        sent.then((one) => responseOf(one, done)),
      ),
    withResponse: () => instead(data, sent.then(withResponse)),
  });
}

/** Who asks for the response alone, or for the data in another form, hears of a failure there, not as one of the data that nobody awaits. */
export function instead<T extends Promise<unknown>>(data: Promise<unknown>, asked: T): T {
  data.catch(() => undefined);
  return asked;
}

const NO_BODY_HEADERS = ['content-encoding', 'content-length', 'transfer-encoding'];

/** A raw response whose body can be read: the original's was read here, to learn the usage, so it is written out again. */
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
      if (!next.done) return controller.enqueue(encoder.encode(written(next.value)));
      if (done !== undefined) controller.enqueue(encoder.encode(done));
      controller.close();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/** Events that name their type are named on the wire as well; chunks of chat completions have none. */
function written(event: Fields): string {
  const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

/** A stream that no server sent. */
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
