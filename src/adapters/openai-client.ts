import { CHAT, RESPONSES, type Endpoint } from '../endpoints/index.js';
import type { Fields } from '../wire/index.js';
import type { DropInOptions } from './options.js';
import { responseOf, type SdkAnswer, type Sent } from './sdk-answer.js';
import {
  instead,
  nested,
  sendCompacted,
  withResources,
  type Change,
  type Compacting,
  type Resource,
} from './sdk-client.js';
import { resolveSession, type SessionFor } from './session-for.js';

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
  const chats = chat && {
    ...options,
    endpoint: CHAT,
    session: resolveSession(chat, 'openai-chat', 'compactOpenAI({ chat })'),
  };
  const others = responses && {
    ...options,
    endpoint: RESPONSES,
    session: resolveSession(responses, 'openai-responses', 'compactOpenAI({ responses })'),
  };
  return withResources(client, {
    chat: nested('completions', creating(chats)),
    responses: creating(others),
  });
}

/** All other methods of the resource go through the new `create`: streams, parsing and the tool runner end there. */
const creating =
  (how: Compacting | undefined): Change =>
  (resource, client) =>
    new Proxy(resource as Resource, {
      get(target, key) {
        if (key === '_client') return client;
        if (key !== 'create') return Reflect.get(target, key, target) as unknown;
        return (body: Fields, options?: unknown) =>
          how === undefined || body.previous_response_id || body.conversation
            ? target.create(body, options)
            : asAnswering(sendCompacted(target, how, body, options), how.endpoint);
      },
    });

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
  const alone = instead(data);
  return Object.assign(data, {
    asResponse: () => alone(sent.then((one) => responseOf(one, endpoint.done))),
    withResponse: () =>
      alone(sent.then(async ({ answer }) => ({ ...(await answer?.withResponse()), data: await data }))),
    _thenUnwrap: <U>(next: (data: T) => U) => asAnswering(sent, endpoint, (one) => next(change(one))),
  });
}
