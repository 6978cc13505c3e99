import type { Fields } from '../wire/index.js';

/** What the promise of Anthropic's client can do beside resolving; the last is for its own helpers. */
export interface Answering extends Promise<unknown> {
  asResponse(): Promise<unknown>;
  withResponse(): Promise<object>;
  _responseProps(): Promise<ResponseProps>;
}

interface ResponseProps {
  readonly response: Response;
}

const NO_USAGE = { input_tokens: 0, output_tokens: 0 };

/** An answer in the model's place. */
export function messageOf(text: string, { model }: Fields): Fields {
  const content = [{ type: 'text', text, citations: null }];
  const about = { id: 'msg_spillway', type: 'message', role: 'assistant', model };
  return { ...about, content, stop_reason: 'end_turn', stop_sequence: null, usage: NO_USAGE };
}

/** The same as a stream that no server sent. */
export function streamed(
  text: string,
  body: Fields,
): AsyncIterable<Fields> & { readonly controller: AbortController } {
  const message = { ...messageOf(text, body), content: [], stop_reason: null };
  const events: readonly Fields[] = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: NO_USAGE },
    { type: 'message_stop' },
  ];
  return {
    controller: new AbortController(),
    async *[Symbol.asyncIterator]() {
      yield* events;
    },
  };
}

/**
 * What the client's helpers build one request on another with. A stream is written out again, for it is read here to
 * learn the usage; an answer that no server gave gets a response of its own.
 */
export async function propsOf(
  answer: Answering | undefined,
  data: unknown,
  isStream: boolean,
): Promise<ResponseProps> {
  const given = await answer?._responseProps();
  if (given && !isStream) return given;
  const response = isStream
    ? new Response(eventStream(data as AsyncIterable<Fields>), { headers: given?.response.headers ?? EVENTS })
    : Response.json(data);
  const own = { options: { stream: isStream }, controller: new AbortController(), startTime: Date.now() };
  return { ...(given ?? own), response };
}

const EVENTS = { 'content-type': 'text/event-stream' };

function eventStream(events: AsyncIterable<Fields>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) return controller.close();
      controller.enqueue(encoder.encode(`event: ${String(value.type)}\ndata: ${JSON.stringify(value)}\n\n`));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
