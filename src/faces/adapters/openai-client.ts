import { CHAT, RESPONSES, type Endpoint } from '../endpoints/index.js';
import { fieldFaults, FUNCTION, having, SpillwayError, type Kind } from '../../errors/index.js';
import type { Spillway } from '../../session/index.js';
import type { Fields } from '../../formats/index.js';
import type { DropInOptions } from './options.js';
import { answering, type SdkAnswer, type Sent } from './sdk-answer.js';
import {
  nested,
  sendCompacted,
  withResources,
  type Change,
  type Compacting,
  type Resource,
} from './sdk-client.js';
import { resolveSession, SESSION_FOR, type SessionFor } from './session-for.js';

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
 * goes into the session. An engine makes a session for each of the two; where they are to differ, name them. Reported usage calibrates the session, and a request that the provider finds too long is
 * compacted and sent once more. Left alone are requests of an endpoint without a session, and responses whose history
 * the provider keeps (`previous_response_id`, `conversation`).
 *
 *     const client = compactOpenAI(new OpenAI(), spillway);
 */
export function compactOpenAI<Client extends OpenAIClient>(
  client: Client,
  sessions: Pick<Spillway, 'session'> | OpenAISessions,
  options: DropInOptions = {},
): Client {
  const { chat, responses } = byEndpoint(sessions);
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

/** Throws `ARGUMENT_INVALID` where nothing would be compacted. */
function byEndpoint(given: Pick<Spillway, 'session'> | OpenAISessions): OpenAISessions {
  if (having({ session: FUNCTION }).is(given)) {
    const engine = given as Pick<Spillway, 'session'>;
    return { chat: engine, responses: engine };
  }
  const remedy = 'Pass the engine, or { chat, responses } with a session for one of them at least.';
  const subject = 'sessions given to compactOpenAI';
  const named = { chat: SESSION_FOR, responses: SESSION_FOR } satisfies Record<keyof OpenAISessions, Kind>;
  const faults = fieldFaults('compactOpenAI', given, named, remedy);
  const sessions = given as OpenAISessions;
  if (faults.length === 0 && !sessions.chat && !sessions.responses)
    faults.push({ subject, found: given, allowed: `chat or responses: ${SESSION_FOR.words}`, remedy });
  if (faults[0]) throw new SpillwayError('ARGUMENT_INVALID', { ...faults[0], faults });
  return sessions;
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
  return Object.assign(answering(sent, change, endpoint.done), {
    _thenUnwrap: <U>(next: (data: T) => U) => asAnswering(sent, endpoint, (one) => next(change(one))),
  });
}
