import { MESSAGES } from '../endpoints/index.js';
import { type Fields, isFields } from '../../formats/index.js';
import { resolveSession, type DropInOptions, type SessionFor } from './drop-in.js';
import { answering, instead, responseOf, type SdkAnswer, type Sent } from './sdk-answer.js';
import {
  type Compacting,
  type Method,
  type Resource,
  sendCompacted,
  type Way,
  withResources,
} from './sdk-client.js';

export type { DropInOptions, SessionFor } from './drop-in.js';

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
  const messages = wayOf({
    ...options,
    endpoint: MESSAGES,
    session: resolveSession(session, 'anthropic', 'compactAnthropic'),
  });
  return withResources('compactAnthropic', client, { messages, 'beta.messages': messages });
}

/** Whether the client can have the provider keep a conversation. */
type ThreadingClient = object & { readonly _supportsMessageThreads?: unknown };

const wayOf = (how: Compacting): Way => ({
  create: (messages, body, options) => create(messages, how, body, options),
  other(name, method, messages, client: ThreadingClient) {
    if (name !== 'toolRunner' || client._supportsMessageThreads !== true) return method;
    // Where it may, it has the provider keep the history: of that nothing could be compacted.
    return (body: Fields, options?: unknown) =>
      (method as Method).call(messages, { thread: false, ...body }, options);
  },
});

function create(messages: Resource, how: Compacting, body: Fields, options: unknown): unknown {
  if (isFields(body.thread)) return messages.create(body, options);
  // Wrapped, or the promise of the client would be awaited here and its response be lost.
  const sent = sendCompacted(messages, how, body, options);
  const answer = answering(sent, (data) => data);
  return Object.assign(answer, {
    _responseProps: () =>
      instead(
        answer,
        sent.then((one) => propsOf(one, body.stream === true)),
      ),
  }) satisfies Answering;
}

/** What the promise of Anthropic's client can do beside resolving; the last is for its own helpers. */
interface Answering extends SdkAnswer {
  _responseProps(): Promise<{ readonly response: Response }>;
}

/**
 * What the client's helpers build one request on another with. The body was read here to learn the usage, so it is
 * written out again; an answer that no server gave gets a response of its own.
 */
async function propsOf(sent: Sent, isStreamed: boolean) {
  const given = await (sent.answer as Answering | undefined)?._responseProps();
  const own = { options: { stream: isStreamed }, controller: new AbortController(), startTime: Date.now() };
  return { ...(given ?? own), response: await responseOf(sent) };
}
