import { MESSAGES, withoutPrefill } from '../endpoints/index.js';
import { fitCacheMarks, isFields, type Fields } from '../wire/index.js';
import type { Prepared, Session } from '../session/index.js';
import { propsOf, type Answering } from './anthropic-words.js';
import { holdStream, isStream, through } from './held-stream.js';
import type { DropInOptions } from './options.js';
import { answeringRecalls, mostRecalls } from './recall-loop.js';
import { responseOf, sentBy, streamOf, withSignal, type Sent } from './sdk-answer.js';
import { resolveSession, type Resolved, type SessionFor } from './session-for.js';
import { report, takeTurn } from './turns.js';

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
  options: DropInOptions = {},
): Client {
  return wrapping(client, { ...options, session: resolveSession(session, 'anthropic', 'compactAnthropic') });
}

interface Wrapped extends DropInOptions {
  readonly session: Resolved<Fields>;
}

function wrapping<Client extends AnthropicClient>(client: Client, how: Wrapped): Client {
  const wrapped: Client = new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'messages') return compacting(value as Messages, how, wrapped);
      if (key === 'beta') return withMessages(value as object, how, wrapped);
      if (key === 'withOptions' && typeof value === 'function')
        return (...options: unknown[]) => wrapping((value as Method).apply(target, options) as Client, how);
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

function withMessages(beta: object, how: Wrapped, client: ThreadingClient): object {
  return new Proxy(beta, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      return key === 'messages' ? compacting(value as Messages, how, client) : value;
    },
  });
}

/** All other methods of the resource go through the new `create`: streams, parsing and the tool runner end there. */
function compacting(messages: Messages, how: Wrapped, client: ThreadingClient): Messages {
  const wrapped: Messages = new Proxy(messages, {
    get(target, key) {
      if (key === '_client') return client;
      if (key === 'create') return (body: Fields, options?: unknown) => create(target, how, body, options);
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'toolRunner' || client._supportsMessageThreads !== true) return value;
      // Where it may, it has the provider keep the history: of that nothing could be compacted.
      return (body: Fields, options?: unknown) =>
        (value as Method).call(wrapped, { thread: false, ...body }, options);
    },
  });
  return wrapped;
}

function create(messages: Messages, how: Wrapped, body: Fields, options: unknown): Promise<unknown> {
  if (isFields(body.thread)) return messages.create(body, options);
  // Wrapped, or the promise of the client would be awaited here and its response be lost.
  const sent = send(messages, how, body, options);
  const data = sent.then((one) => one.data);
  /** Who asks for the response alone hears of a failure there. */
  const alone = <T>(asked: Promise<T>): Promise<T> => {
    data.catch(() => undefined);
    return asked;
  };
  return Object.assign(data, {
    asResponse: () => alone(sent.then((one) => responseOf(one))),
    withResponse: () =>
      alone(
        sent.then(async (one) => {
          const answer = await one.answer?.withResponse();
          return { ...(answer ?? { response: await responseOf(one) }), data: one.data };
        }),
      ),
    _responseProps: () => alone(sent.then((one) => propsOf(one, body.stream === true))),
  }) satisfies Answering;
}

function send(messages: Messages, how: Wrapped, given: Fields, options: unknown): Promise<Sent> {
  const most = mostRecalls(how.recall);
  // Words in the model's mouth have to come last: no recall can stand behind them.
  const mayRecall = most > 0 && withoutPrefill(given).prefill.length === 0;
  const offered = mayRecall ? MESSAGES.recall.offer(given) : undefined;
  const body = offered ?? given;
  const { history, prefill } = withoutPrefill(body);
  return takeTurn(
    how.session,
    body,
    (found) => ({
      body: { ...body, messages: history },
      commands: how.commands,
      model: typeof body.model === 'string' ? body.model : undefined,
      maxOutputTokens: MESSAGES.maxOutputTokens(body),
      signal: isFields(options) && options.signal instanceof AbortSignal ? options.signal : undefined,
      send: async (request, flight): Promise<Sent> => {
        const post = async (prepared: Prepared, signal?: AbortSignal): Promise<Sent> => {
          const sent = await sentBy(() =>
            messages.create(bodyOf(found, body, prepared, prefill), withSignal(options, signal)),
          );
          await observe(found, sent.data);
          return sent;
        };
        const first = await post(request);
        const turn = { session: found, flight, wire: MESSAGES.recall, most, send: post };
        const sent = offered ? await answeringRecalls(first, turn) : first;
        if (isStream(sent.data)) holdStream(sent.data, flight);
        return sent;
      },
      say: (words): Sent => {
        const whole = MESSAGES.say(words, body);
        return { data: body.stream === true ? streamOf(MESSAGES.events(whole)) : whole };
      },
    }),
    () => sentBy(() => messages.create(given, options)),
  );
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
  if (isStream(data)) return through(data, (events) => observed(session, events));
  const used = isFields(data) ? MESSAGES.usageReader()(data) : undefined;
  if (used) await report(session, used);
}

async function* observed(session: Session, events: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  const usage = MESSAGES.usageReader();
  for await (const event of events) {
    const used = isFields(event) ? usage(event) : undefined;
    if (used) await report(session, used);
    yield event;
  }
}
