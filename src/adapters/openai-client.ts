import { CHAT, RESPONSES, type Endpoint } from '../endpoints/index.js';
import { isFields, type Fields } from '../wire/index.js';
import type { Prepared, Session } from '../session/index.js';
import { holdStream, isStream, through } from './held-stream.js';
import type { DropInOptions } from './options.js';
import { answeringRecalls, mostRecalls } from './recall-loop.js';
import { responseOf, sentBy, streamOf, withSignal, type SdkAnswer, type Sent } from './sdk-answer.js';
import { resolveSession, type Resolved, type SessionFor } from './session-for.js';
import { report, takeTurn } from './turns.js';

/** What is asked of a client: OpenAI's own has it, and so have those for Azure and the many that are made like it. */
export interface OpenAIClient {
  readonly chat: object;
}

/** Which session each endpoint of a client keeps to. */
export interface OpenAISessions {
  /** For `chat.completions`; a session must be of the format `openai-chat`. */
  readonly chat?: SessionFor<Fields>;
  /** For `responses`; a session must be of the format `openai-responses`. */
  readonly responses?: SessionFor<Fields>;
}

/**
 * The same client, of which every request of `chat.completions` and `responses` is compacted before it is sent:
 * `create`, `stream`, `parse` and `runTools` alike. Each request carries the whole history, as ever; what is new in it
 * goes into the session. Reported usage calibrates the session, and a request that the provider finds too long is
 * compacted and sent once more. Left alone are requests of an endpoint without a session, and responses whose history
 * the provider keeps (`previous_response_id`, `conversation`).
 *
 *     const client = compactOpenAI(new OpenAI(), { chat: spillway });
 */
export function compactOpenAI<Client extends OpenAIClient>(
  client: Client,
  { chat, responses }: OpenAISessions,
  options: DropInOptions = {},
): Client {
  const own = 'compactOpenAI';
  return wrapping(client, {
    chat: chat && {
      ...options,
      endpoint: CHAT,
      session: resolveSession(chat, 'openai-chat', `${own}({ chat })`),
    },
    responses: responses && {
      ...options,
      endpoint: RESPONSES,
      session: resolveSession(responses, 'openai-responses', `${own}({ responses })`),
    },
  });
}

interface Wrapped extends DropInOptions {
  readonly endpoint: Endpoint;
  readonly session: Resolved<Fields>;
}

interface WrappedEndpoints {
  readonly chat: Wrapped | undefined;
  readonly responses: Wrapped | undefined;
}

function wrapping<Client extends OpenAIClient>(client: Client, endpoints: WrappedEndpoints): Client {
  const wrapped: Client = new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'chat') return withCompletions(value as object, wrapped, endpoints.chat);
      if (key === 'responses') return creating(value as Resource, wrapped, endpoints.responses);
      if (key === 'withOptions' && typeof value === 'function')
        return (...options: unknown[]) =>
          wrapping((value as Method).apply(target, options) as Client, endpoints);
      return typeof value === 'function' ? (value as Method).bind(target) : value;
    },
  });
  return wrapped;
}

type Method = (...parameters: unknown[]) => unknown;

interface Resource {
  create(body: Fields, options?: unknown): unknown;
}

function withCompletions(chat: object, client: object, wrapped: Wrapped | undefined): object {
  return new Proxy(chat, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      return key === 'completions' ? creating(value as Resource, client, wrapped) : value;
    },
  });
}

/** All other methods of the resource go through the new `create`: streams, parsing and the tool runner end there. */
function creating(resource: Resource, client: object, wrapped: Wrapped | undefined): Resource {
  return new Proxy(resource, {
    get(target, key) {
      if (key === '_client') return client;
      if (key !== 'create') return Reflect.get(target, key, target) as unknown;
      return (body: Fields, options?: unknown) =>
        wrapped === undefined || body.previous_response_id || body.conversation
          ? target.create(body, options)
          : asAnswering(send(target, wrapped, body, options), wrapped.endpoint);
    },
  });
}

/** What the client's own promise can do beside resolving. */
interface Answering<T> extends SdkAnswer<T> {
  _thenUnwrap<U>(change: (data: T) => U): Answering<U>;
}

function asAnswering<T>(
  sent: Promise<Sent>,
  endpoint: Endpoint,
  change: (data: unknown) => T = (data) => data as T,
): Answering<T> {
  const data = sent.then((one) => change(one.data));
  /** Who asks for the response alone hears of a failure there. */
  const alone = <U>(asked: Promise<U>): Promise<U> => {
    data.catch(() => undefined);
    return asked;
  };
  return Object.assign(data, {
    asResponse: () => alone(sent.then((one) => responseOf(one, endpoint.done))),
    withResponse: () =>
      alone(sent.then(async ({ answer }) => ({ ...(await answer?.withResponse()), data: await data }))),
    _thenUnwrap: <U>(next: (data: T) => U) => asAnswering(sent, endpoint, (one) => next(change(one))),
  });
}

function send(resource: Resource, how: Wrapped, given: Fields, options: unknown): Promise<Sent> {
  const { endpoint, session, commands } = how;
  const most = mostRecalls(how.recall);
  const offered = most > 0 ? endpoint.recall.offer(given) : undefined;
  const body = offered ?? given;
  return takeTurn(
    session,
    body,
    (found) => ({
      body,
      commands,
      model: typeof body.model === 'string' ? body.model : undefined,
      maxOutputTokens: endpoint.maxOutputTokens(body),
      signal: isFields(options) && options.signal instanceof AbortSignal ? options.signal : undefined,
      send: async (request, flight): Promise<Sent> => {
        const post = async (prepared: Prepared, signal?: AbortSignal): Promise<Sent> => {
          const sent = await sentBy(() =>
            resource.create(bodyOf(found, body, prepared, endpoint), withSignal(options, signal)),
          );
          await observe(sent.data, endpoint, found);
          return sent;
        };
        const first = await post(request);
        const sent = offered
          ? await answeringRecalls(first, { session: found, flight, wire: endpoint.recall, most, send: post })
          : first;
        if (isStream(sent.data)) holdStream(sent.data, flight);
        return sent;
      },
      say: (words): Sent => {
        const whole = endpoint.say(words, body);
        return { data: body.stream === true ? streamOf(endpoint.events(whole)) : whole };
      },
    }),
    () => sentBy(() => resource.create(given, options)),
  );
}

function bodyOf(session: Session, body: Fields, { messages, beside }: Prepared, { field }: Endpoint): Fields {
  return session.untrimmed({ ...body, ...beside, [field]: messages });
}

/** What was used stands in the answer or, where it is streamed, in one of its events. */
async function observe(data: unknown, { usageReader }: Endpoint, session: Session): Promise<void> {
  const usage = usageReader();
  if (isStream(data))
    return through(data, async function* (events) {
      for await (const event of events) {
        const used = isFields(event) ? usage(event) : undefined;
        if (used && used.outputTokens) await report(session, used);
        yield event;
      }
    });
  const used = isFields(data) ? usage(data) : undefined;
  if (used) await report(session, used);
}
