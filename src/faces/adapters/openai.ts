import { CHAT, RESPONSES, type Endpoint } from '../endpoints/index.js';
import { fieldFaults, FUNCTION, having, SpillwayError, type Kind } from '../../errors/index.js';
import type { Spillway } from '../../session/index.js';
import type { Fields } from '../../formats/index.js';
import { resolveSession, SESSION_FOR, type DropInOptions, type SessionFor } from './drop-in.js';
import { sdkAnswer, replaceAnswer, type SdkAnswer, type Sent } from './sdk-answer.js';
import { sendCompacted, withResources, type EndpointBinding, type Wrapper } from './sdk-client.js';

export type { DropInOptions, SessionFor } from './drop-in.js';

/** The part of a client that is used. OpenAI's client, its Azure client and compatible clients have it. */
export interface OpenAIClient {
  readonly chat: object;
}

/** The sessions of the endpoints of a client. */
export interface OpenAISessions {
  /** For `chat.completions`; a session must be of the format `openai-chat`. */
  readonly chat?: SessionFor<Fields>;
  /** For `responses`; a session must be of the format `openai-responses`. */
  readonly responses?: SessionFor<Fields>;
}

/**
 * Returns the client with every request of `chat.completions` and `responses` (and of responses under `beta`) compacted
 * before it is sent: `create`, `stream`, `parse` and `runTools`. Each request still carries the whole history; its new
 * messages are appended to the session. An engine makes one session for each of the two endpoints; to choose other
 * sessions, name them. Reported usage calibrates the session, and a request that the provider rejects as too long is
 * compacted and sent once more. Not changed are requests of an endpoint without a session, responses whose history the
 * provider keeps (`previous_response_id`, `conversation`), and requests without messages or input (only a `prompt` id).
 *
 *     const client = compactOpenAI(new OpenAI(), spillway);
 */
export function compactOpenAI<Client extends OpenAIClient>(
  client: Client,
  sessions: Pick<Spillway, 'session'> | OpenAISessions,
  options: DropInOptions = {},
): Client {
  const { chat, responses } = byEndpoint(sessions);
  const chats = chat && resolveSession(chat, 'openai-chat', 'compactOpenAI({ chat })');
  const others = responses && resolveSession(responses, 'openai-responses', 'compactOpenAI({ responses })');
  const responsesWrapper = others && wrapperOf({ ...options, endpoint: RESPONSES, session: others });
  return withResources('compactOpenAI', client, {
    ...(chats && { 'chat.completions': wrapperOf({ ...options, endpoint: CHAT, session: chats }) }),
    ...(responsesWrapper && { responses: responsesWrapper, 'beta.responses': responsesWrapper }),
  });
}

/** Throws `ARGUMENT_INVALID` if nothing would be compacted. */
function byEndpoint(given: Pick<Spillway, 'session'> | OpenAISessions): OpenAISessions {
  if (having({ session: FUNCTION }).is(given)) {
    const engine = given as Pick<Spillway, 'session'>;
    return { chat: engine, responses: engine };
  }
  const remedy = 'Pass the engine, or { chat, responses } with a session for one of them at least.';
  const subject = 'sessions given to compactOpenAI';
  const kinds = { chat: SESSION_FOR, responses: SESSION_FOR } satisfies Record<keyof OpenAISessions, Kind>;
  const faults = fieldFaults('compactOpenAI', given, kinds, remedy);
  const sessions = given as OpenAISessions;
  if (faults.length === 0 && !sessions.chat && !sessions.responses)
    faults.push({ subject, found: given, allowed: `chat or responses: ${SESSION_FOR.words}`, remedy });
  if (faults[0]) throw new SpillwayError('ARGUMENT_INVALID', { ...faults[0], faults });
  return sessions;
}

const wrapperOf = (binding: EndpointBinding): Wrapper => ({
  create: (resource, body, options) =>
    body.previous_response_id || body.conversation || body[binding.endpoint.recall.field] === undefined
      ? resource.create(body, options)
      : openAIAnswer(sendCompacted(resource, binding, body, options), binding.endpoint),
});

/** The methods of the promise of OpenAI's client. */
interface OpenAIAnswer<T> extends SdkAnswer<T> {
  _thenUnwrap<U>(change: (data: T) => U): OpenAIAnswer<U>;
}

function openAIAnswer<T>(
  sent: Promise<Sent>,
  endpoint: Endpoint,
  change: (data: unknown) => T = (data) => data as T,
): OpenAIAnswer<T> {
  const answer = sdkAnswer(sent, change, endpoint.doneLine);
  return Object.assign(answer, {
    _thenUnwrap: <U>(next: (data: T) => U) =>
      replaceAnswer(
        answer,
        openAIAnswer(sent, endpoint, (one) => withRequestId(next(change(one)), one as Identified)),
      ),
  });
}

interface Identified {
  readonly _request_id?: unknown;
}

/** A value made of an answer, with the id of the request, which is no field that a copy takes along. */
function withRequestId<T>(value: T, { _request_id: id }: Identified): T {
  return id === undefined ? value : Object.defineProperty(value, '_request_id', { value: id });
}
