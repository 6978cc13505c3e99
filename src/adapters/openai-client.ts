import { isFields, type Fields } from '../wire/index.js';
import type { Prepared, Session } from '../session/index.js';
import type { Usage } from '../tokens/index.js';
import { resolveSession, type Resolved, type SessionFor } from './session-for.js';
import { countIn, firstCount, report, takeTurn, usageOf } from './turns.js';

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
export function compactOpenAI<Client extends OpenAIClient>(client: Client, sessions: OpenAISessions): Client {
  const { chat, responses } = sessions;
  return wrapping(client, {
    chat: chat && resolveSession(chat, 'openai-chat', 'compactOpenAI({ chat })'),
    responses: responses && resolveSession(responses, 'openai-responses', 'compactOpenAI({ responses })'),
  });
}

interface ResolvedSessions {
  readonly chat: Resolved<Fields> | undefined;
  readonly responses: Resolved<Fields> | undefined;
}

function wrapping<Client extends OpenAIClient>(client: Client, sessions: ResolvedSessions): Client {
  const wrapped: Client = new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'chat') return withCompletions(value as object, wrapped, sessions.chat);
      if (key === 'responses') return creating(value as Resource, wrapped, RESPONSES, sessions.responses);
      if (key === 'withOptions' && typeof value === 'function')
        return (...options: unknown[]) =>
          wrapping((value as Method).apply(target, options) as Client, sessions);
      return typeof value === 'function' ? (value as Method).bind(target) : value;
    },
  });
  return wrapped;
}

type Method = (...parameters: unknown[]) => unknown;

interface Resource {
  create(body: Fields, options?: unknown): unknown;
}

/** One endpoint: where its messages stand, what its usage is called, and how an answer in its place looks. */
interface Endpoint {
  readonly field: 'messages' | 'input';
  usage(event: Fields): Usage | undefined;
  say(words: string, body: Fields): Fields;
  events(whole: Fields): readonly Fields[];
}

const CHAT: Endpoint = {
  field: 'messages',
  usage: ({ usage }) => {
    if (!isFields(usage)) return undefined;
    const cached = countIn(usage.prompt_tokens_details, 'cached_tokens');
    return usageOf(countIn(usage, 'prompt_tokens'), cached, 0, countIn(usage, 'completion_tokens'));
  },
  say: (content, { model }) => ({
    id: 'spillway',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        finish_reason: 'stop',
        logprobs: null,
      },
    ],
  }),
  events: ({ id, model, created, choices }) => {
    const [{ message }] = choices as [{ message: Fields }];
    const chunk = (delta: Fields, finish: string | null): Fields => ({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
    });
    return [chunk({ role: 'assistant', content: message.content }, null), chunk({}, 'stop')];
  },
};

const RESPONSES: Endpoint = {
  field: 'input',
  usage: (event) => {
    const { usage } = isFields(event.response) ? event.response : event;
    if (!isFields(usage)) return undefined;
    const cached = countIn(usage.input_tokens_details, 'cached_tokens');
    return usageOf(countIn(usage, 'input_tokens'), cached, 0, countIn(usage, 'output_tokens'));
  },
  say: (text, { model }) => ({
    id: 'spillway',
    object: 'response',
    created_at: 0,
    status: 'completed',
    model,
    error: null,
    incomplete_details: null,
    output: [
      {
        id: 'msg_spillway',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    output_text: text,
  }),
  events: (response) => {
    const [item] = response.output as [Fields];
    const [part] = item.content as [Fields];
    const at = { output_index: 0, content_index: 0, item_id: item.id };
    const events: Fields[] = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', ...at, delta: part.text },
      { type: 'response.output_text.done', ...at, text: part.text },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
    return events.map((event, sequence) => ({ ...event, sequence_number: sequence }));
  },
};

function withCompletions(chat: object, client: object, session: Resolved<Fields> | undefined): object {
  return new Proxy(chat, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      return key === 'completions' ? creating(value as Resource, client, CHAT, session) : value;
    },
  });
}

/** All other methods of the resource go through the new `create`: streams, parsing and the tool runner end there. */
function creating(
  resource: Resource,
  client: object,
  endpoint: Endpoint,
  session: Resolved<Fields> | undefined,
): Resource {
  return new Proxy(resource, {
    get(target, key) {
      if (key === '_client') return client;
      if (key !== 'create') return Reflect.get(target, key, target) as unknown;
      return (body: Fields, options?: unknown) =>
        session === undefined || body.previous_response_id || body.conversation
          ? target.create(body, options)
          : asAnswering(send(target, endpoint, session, body, options));
    },
  });
}

interface Sent {
  readonly answer?: Answering<unknown>;
  readonly data: unknown;
}

/** What the client's own promise can do beside resolving. */
interface Answering<T> extends Promise<T> {
  asResponse(): Promise<unknown>;
  withResponse(): Promise<object>;
  _thenUnwrap<U>(change: (data: T) => U): Answering<U>;
}

function asAnswering<T>(
  sent: Promise<Sent>,
  change: (data: unknown) => T = (data) => data as T,
): Answering<T> {
  const data = sent.then((one) => change(one.data));
  return Object.assign(data, {
    asResponse: () => sent.then(({ answer }) => answer?.asResponse()),
    withResponse: () =>
      sent.then(async ({ answer }) => ({ ...(await answer?.withResponse()), data: await data })),
    _thenUnwrap: <U>(next: (data: T) => U) => asAnswering(sent, (one) => next(change(one))),
  });
}

function send(
  resource: Resource,
  endpoint: Endpoint,
  session: Resolved<Fields>,
  body: Fields,
  options: unknown,
): Promise<Sent> {
  return takeTurn(
    session,
    body,
    (found) => ({
      body,
      model: typeof body.model === 'string' ? body.model : undefined,
      maxOutputTokens: firstCount(body, 'max_completion_tokens', 'max_tokens', 'max_output_tokens'),
      signal: isFields(options) && options.signal instanceof AbortSignal ? options.signal : undefined,
      send: async (request): Promise<Sent> => {
        const answer = resource.create(bodyOf(found, body, request, endpoint), options) as Answering<unknown>;
        const data = await answer;
        await observe(data, endpoint, (usage) => report(found, usage));
        return { answer, data };
      },
      say: (words): Sent => {
        const whole = endpoint.say(words, body);
        return { data: body.stream === true ? streamOf(endpoint.events(whole)) : whole };
      },
    }),
    async () => {
      const answer = resource.create(body, options) as Answering<unknown>;
      return { answer, data: await answer };
    },
  );
}

function bodyOf(session: Session, body: Fields, { messages, beside }: Prepared, { field }: Endpoint): Fields {
  return session.untrimmed({ ...body, ...beside, [field]: messages });
}

/** What was used stands in the answer or, where it is streamed, in one of its events. */
async function observe(
  data: unknown,
  { usage }: Endpoint,
  report: (usage: Usage) => Promise<void>,
): Promise<void> {
  if (!isFields(data)) return;
  if (!(Symbol.asyncIterator in data)) {
    const used = usage(data);
    return used && report(used);
  }
  const stream = data as unknown as AsyncIterable<unknown>;
  const events = stream[Symbol.asyncIterator].bind(stream);
  const observed = async function* (): AsyncGenerator<unknown> {
    for await (const event of { [Symbol.asyncIterator]: events }) {
      const used = isFields(event) ? usage(event) : undefined;
      if (used && used.outputTokens) await report(used);
      yield event;
    }
  };
  Object.defineProperty(stream, Symbol.asyncIterator, { value: observed });
}

/** Events in the place of a stream that no server sent. */
function streamOf(
  events: readonly Fields[],
): AsyncIterable<Fields> & { readonly controller: AbortController } {
  return {
    controller: new AbortController(),
    async *[Symbol.asyncIterator]() {
      yield* events;
    },
  };
}
