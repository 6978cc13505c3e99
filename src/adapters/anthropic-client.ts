import { fitCacheMarks, isFields, type Fields } from '../wire/index.js';
import type { Prepared, Session } from '../session/index.js';
import type { Usage } from '../tokens/index.js';
import { messageOf, propsOf, streamed, type Answering } from './anthropic-words.js';
import { resolveSession, type Resolved, type SessionFor } from './session-for.js';
import { countIn, firstCount, report, takeTurn } from './turns.js';

/** What is asked of a client: Anthropic's own has it, and so have those for Bedrock and Vertex. */
export interface AnthropicClient {
  readonly messages: object;
}

/**
 * The same client, of which every request of `messages.create`, `messages.stream` and `messages.parse` (and of those
 * under `beta`) is compacted before it is sent. Each request carries the whole history, as ever; what is new in it goes
 * into the session. Reported usage calibrates the session, and a request that the provider finds too long is compacted
 * and sent once more. Requests of one session are sent one after the other. Left alone are requests of a thread, whose
 * history the provider keeps. A session must be of the format `anthropic`.
 *
 *     const client = compactAnthropic(new Anthropic(), spillway);
 */
export function compactAnthropic<Client extends AnthropicClient>(
  client: Client,
  session: SessionFor<Fields>,
): Client {
  return wrapping(client, resolveSession(session, 'anthropic', 'compactAnthropic'));
}

function wrapping<Client extends AnthropicClient>(client: Client, session: Resolved<Fields>): Client {
  const wrapped: Client = new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'messages') return compacting(value as Messages, session, wrapped);
      if (key === 'beta') return withMessages(value as object, session, wrapped);
      if (key === 'withOptions' && typeof value === 'function')
        return (...options: unknown[]) =>
          wrapping((value as Method).apply(target, options) as Client, session);
      return typeof value === 'function' ? (value as Method).bind(target) : value;
    },
  });
  return wrapped;
}

type Method = (...parameters: unknown[]) => unknown;

/** Whether the client can have the provider keep a conversation. */
type ThreadingClient = object & { readonly _supportsMessageThreads?: unknown };

interface Messages {
  create(body: Fields, options?: unknown): Promise<unknown>;
}

function withMessages(beta: object, session: Resolved<Fields>, client: ThreadingClient): object {
  return new Proxy(beta, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      return key === 'messages' ? compacting(value as Messages, session, client) : value;
    },
  });
}

/** All other methods of the resource go through the new `create`: streams, parsing and the tool runner end there. */
function compacting(messages: Messages, session: Resolved<Fields>, client: ThreadingClient): Messages {
  const wrapped: Messages = new Proxy(messages, {
    get(target, key) {
      if (key === '_client') return client;
      if (key === 'create')
        return (body: Fields, options?: unknown) => create(target, session, body, options);
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'toolRunner' || client._supportsMessageThreads !== true) return value;
      // Where it may, it has the provider keep the history: of that nothing could be compacted.
      return (body: Fields, options?: unknown) =>
        (value as Method).call(wrapped, { thread: false, ...body }, options);
    },
  });
  return wrapped;
}

function create(
  messages: Messages,
  session: Resolved<Fields>,
  body: Fields,
  options: unknown,
): Promise<unknown> {
  if (isFields(body.thread)) return messages.create(body, options);
  // Wrapped, or the promise of the client would be awaited here and its response be lost.
  const sent = send(messages, session, body, options);
  const props = () => sent.then(({ answer, data }) => propsOf(answer, data, body.stream === true));
  const response = () =>
    sent.then(({ answer }) => answer?.asResponse() ?? props().then((one) => one.response));
  return Object.assign(
    sent.then(({ data }) => data),
    {
      asResponse: response,
      withResponse: () =>
        sent.then(async ({ answer, data }) => {
          return { ...(answer ? await answer.withResponse() : { response: await response() }), data };
        }),
      _responseProps: props,
    },
  ) satisfies Answering;
}

interface Sent {
  /** Absent where nobody was asked. */
  readonly answer?: Answering;
  readonly data: unknown;
}

function send(messages: Messages, session: Resolved<Fields>, body: Fields, options: unknown): Promise<Sent> {
  const { history, prefill } = apart(body);
  return takeTurn(
    session,
    body,
    (found) => ({
      body: { ...body, messages: history },
      model: typeof body.model === 'string' ? body.model : undefined,
      maxOutputTokens: firstCount(body, 'max_tokens'),
      signal: isFields(options) && options.signal instanceof AbortSignal ? options.signal : undefined,
      send: async (request): Promise<Sent> => {
        const answer = messages.create(bodyOf(found, body, request, prefill), options) as Answering;
        const data = await answer;
        await observe(found, data);
        return { answer, data };
      },
      say: (words): Sent => ({ data: body.stream === true ? streamed(words, body) : messageOf(words, body) }),
    }),
    async () => {
      const answer = messages.create(body, options) as Answering;
      return { answer, data: await answer };
    },
  );
}

/** Words that the client puts into the model's mouth belong to no history: they are sent behind it. */
function apart({ messages }: Fields): { readonly history: unknown; readonly prefill: readonly unknown[] } {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const isPrefill = isFields(last) && last.role === 'assistant' && isWords(last.content);
  return isPrefill && Array.isArray(messages)
    ? { history: messages.slice(0, -1), prefill: [last] }
    : { history: messages, prefill: [] };
}

function isWords(content: unknown): boolean {
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every((block) => isFields(block) && block.type === 'text');
}

function bodyOf(
  session: Session,
  body: Fields,
  { messages, beside }: Prepared,
  prefill: readonly unknown[],
): Fields {
  const untrimmed = session.untrimmed<Fields>({ ...body, ...beside });
  return fitCacheMarks({ ...untrimmed, messages: [...messages, ...prefill] });
}

/** What was used stands in the answer, or, where it is streamed, in its first and its last event but one. */
async function observe(session: Session, data: unknown): Promise<void> {
  if (!isFields(data)) return;
  if (isFields(data.usage)) return report(session, usageIn(data.usage));
  if (!(Symbol.asyncIterator in data)) return;
  const stream = data as unknown as AsyncIterable<unknown>;
  const events = stream[Symbol.asyncIterator].bind(stream);
  Object.defineProperty(stream, Symbol.asyncIterator, { value: () => observed(session, events()) });
}

async function* observed(session: Session, events: AsyncIterator<unknown>): AsyncGenerator<unknown> {
  let usage: Fields = {};
  for await (const event of { [Symbol.asyncIterator]: () => events }) {
    if (isFields(event)) {
      const started = isFields(event.message) ? event.message.usage : undefined;
      for (const news of [started, event.usage]) if (isFields(news)) usage = { ...usage, ...given(news) };
      if (event.type === 'message_stop') await report(session, usageIn(usage));
    }
    yield event;
  }
}

/** Later events repeat some of the fields, as null where they have nothing to add. */
const given = (usage: Fields): Fields =>
  Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));

const usageIn = (usage: Fields): Usage => ({
  inputTokens: countIn(usage, 'input_tokens'),
  cacheReadTokens: countIn(usage, 'cache_read_input_tokens'),
  cacheWriteTokens: countIn(usage, 'cache_creation_input_tokens'),
  outputTokens: countIn(usage, 'output_tokens'),
});
