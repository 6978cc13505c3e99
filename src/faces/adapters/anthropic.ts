import { MESSAGES } from '../endpoints/index.js';
import { type Fields, isFields } from '../../formats/index.js';
import { resolveSession, type DropInOptions, type SessionFor } from './drop-in.js';
import { sdkAnswer, replaceAnswer, responseOf, type SdkAnswer, type Sent } from './sdk-answer.js';
import {
  type EndpointBinding,
  type Method,
  type Resource,
  sendCompacted,
  type Wrapper,
  withResources,
} from './sdk-client.js';

export type { DropInOptions, SessionFor } from './drop-in.js';

/** The part of a client that is used. Anthropic's own client has it, and so have its clients for Bedrock and Vertex. */
export interface AnthropicClient {
  readonly messages: object;
}

/**
 * Returns the client with every request of `messages.create`, `messages.stream` and `messages.parse` (and of the same
 * methods under `beta`) compacted before it is sent. Each request still carries the whole history; its new messages are
 * appended to the session. Reported usage calibrates the session, and a request that the provider rejects as too long
 * is compacted and sent once more. Requests of one session are sent one after the other. Requests with a `thread` are
 * not changed, because the provider keeps their history. A session must be of the format `anthropic`.
 *
 *     const client = compactAnthropic(new Anthropic(), spillway);
 */
export function compactAnthropic<Client extends AnthropicClient>(
  client: Client,
  session: SessionFor<Fields>,
  options: DropInOptions = {},
): Client {
  const messages = wrapperOf({
    ...options,
    endpoint: MESSAGES,
    session: resolveSession(session, 'anthropic', 'compactAnthropic'),
  });
  return withResources('compactAnthropic', client, { messages, 'beta.messages': messages });
}

/** `_supportsMessageThreads` is true if the client can let the provider keep a conversation. */
type ThreadingClient = object & { readonly _supportsMessageThreads?: unknown };

const wrapperOf = (binding: EndpointBinding): Wrapper => ({
  create: (messages, body, options) => create(messages, binding, body, options),
  override(name, method, messages, client: ThreadingClient) {
    if (name !== 'toolRunner' || client._supportsMessageThreads !== true) return method;
    // Otherwise the tool runner lets the provider keep the history, and none of that history could be compacted.
    return (body: Fields, options?: unknown) =>
      (method as Method).call(messages, { thread: false, ...body }, options);
  },
});

function create(messages: Resource, binding: EndpointBinding, body: Fields, options: unknown): unknown {
  if (isFields(body.thread)) return messages.create(body, options);
  // `Sent` wraps the client's promise: a bare promise would be awaited here, and its response lost.
  const sent = sendCompacted(messages, binding, body, options);
  const answer = sdkAnswer(sent, (data) => data);
  return Object.assign(answer, {
    _responseProps: () =>
      replaceAnswer(
        answer,
        sent.then((one) => propsOf(one, body.stream === true)),
      ),
  }) satisfies AnthropicAnswer;
}

/** The methods of the promise of Anthropic's client; `_responseProps` is for the client's own helpers. */
interface AnthropicAnswer extends SdkAnswer {
  _responseProps(): Promise<{ readonly response: Response }>;
}

/**
 * The values from which the client's helpers build another promise. The body has already been read to find the usage,
 * so the response is written again; an answer that no server gave gets a response of its own.
 */
async function propsOf(sent: Sent, isStreamed: boolean) {
  const given = await (sent.answer as AnthropicAnswer | undefined)?._responseProps();
  const own = { options: { stream: isStreamed }, controller: new AbortController(), startTime: Date.now() };
  return { ...(given ?? own), response: await responseOf(sent) };
}
