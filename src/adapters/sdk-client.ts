import { canRecall, report, withoutPrefill, withoutRecall, type Endpoint } from '../endpoints/index.js';
import type { Prepared, Session } from '../session/index.js';
import { fitCacheMarks, isFields, type Fields } from '../wire/index.js';
import { holdStream, isStream, through } from './held-stream.js';
import type { DropInOptions } from './options.js';
import { answeringRecalls, mostRecalls, type Further } from './recall-loop.js';
import { sentBy, streamOf, withSignal, type Sent } from './sdk-answer.js';
import type { Resolved } from './session-for.js';
import { takeTurn } from './turns.js';

export type Method = (...parameters: unknown[]) => unknown;

/** A resource of a client: all its other methods end in `create`. */
export interface Resource {
  create(body: Fields, options?: unknown): unknown;
}

/** What stands in a resource's place; told the client that the caller holds, which is wrapped too. */
export type Change = (resource: object, client: object) => object;

/** The same client with other resources, and so are those that its `withOptions` gives. */
export function withResources<Client extends object>(
  client: Client,
  changes: Readonly<Record<string, Change>>,
): Client {
  const wrapped: Client = new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      const change = typeof key === 'string' && Object.hasOwn(changes, key) ? changes[key] : undefined;
      if (change) return change(value as object, wrapped);
      if (key === 'withOptions' && typeof value === 'function')
        return (...options: unknown[]) =>
          withResources((value as Method).apply(target, options) as Client, changes);
      return typeof value === 'function' ? (value as Method).bind(target) : value;
    },
  });
  return wrapped;
}

/** A resource that stands in another: `completions` in `chat`. */
export const nested =
  (name: string, change: Change): Change =>
  (parent, client) =>
    new Proxy(parent, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        return key === name ? change(value as object, client) : value;
      },
    });

export interface Compacting extends DropInOptions {
  readonly endpoint: Endpoint;
  readonly session: Resolved<Fields>;
}

/** Sends a request of the resource within its session, compacted, and again for each recall. */
export function sendCompacted(
  resource: Resource,
  how: Compacting,
  given: Fields,
  options: unknown,
): Promise<Sent> {
  const { endpoint, session, commands } = how;
  const most = mostRecalls(how.recall);
  const isAnthropic = endpoint.format === 'anthropic';
  const { history, prefill } = isAnthropic
    ? withoutPrefill(given)
    : { history: given[endpoint.field], prefill: [] };
  // Words in the model's mouth have to come last: no recall can stand behind them.
  const offered = most > 0 && prefill.length === 0 ? endpoint.recall.offer(given) : undefined;
  const body = offered ?? given;
  const last = offered ? withoutRecall(endpoint.recall, given, offered) : given;
  // A client may go on from an answer that its provider keeps: there a recall would wait for its result for ever. Who does
  // never sends its history, so nothing of it is compacted.
  const mayBeKept = endpoint.format === 'openai-responses' && given.store !== false;
  const bodyOf = (found: Session, { messages, beside, view }: Prepared, isLast: boolean): Fields => {
    const own = mayBeKept && !canRecall(view) ? given : isLast ? last : body;
    return isAnthropic
      ? fitCacheMarks({
          ...found.untrimmed<Fields>({ ...own, ...beside }),
          messages: [...messages, ...prefill],
        })
      : found.untrimmed({ ...own, ...beside, [endpoint.field]: messages });
  };
  return takeTurn(
    session,
    body,
    (found) => ({
      body: isAnthropic ? { ...body, messages: history } : body,
      commands,
      model: typeof body.model === 'string' ? body.model : undefined,
      maxOutputTokens: endpoint.maxOutputTokens(body),
      signal: isFields(options) && options.signal instanceof AbortSignal ? options.signal : undefined,
      send: async (request, flight): Promise<Sent> => {
        const post = async (prepared: Prepared, { isLast, signal }: Further): Promise<Sent> => {
          const sent = await sentBy(() =>
            resource.create(bodyOf(found, prepared, isLast), withSignal(options, signal)),
          );
          await observe(sent.data, endpoint, found);
          return sent;
        };
        const first = await post(request, { isLast: false });
        const turn = { session: found, flight, wire: endpoint.recall, most, send: post };
        const sent = offered ? await answeringRecalls(first, turn) : first;
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

/** What was used stands in the answer or, where it is streamed, in some of its events. */
async function observe(data: unknown, { format, usageReader }: Endpoint, session: Session): Promise<void> {
  const usage = usageReader();
  if (isStream(data))
    return through(data, async function* (events) {
      for await (const event of events) {
        const used = isFields(event) ? usage(event) : undefined;
        // Servers like OpenAI's may tell in each chunk what was read, and only at the end what was said.
        if (used && (format === 'anthropic' || used.outputTokens)) await report(session, used);
        yield event;
      }
    });
  const used = isFields(data) ? usage(data) : undefined;
  if (used) await report(session, used);
}

/** Who asks for the response alone hears of a failure there, not as one of the data that nobody awaits. */
export const instead =
  (data: Promise<unknown>) =>
  <T>(asked: Promise<T>): Promise<T> => {
    data.catch(() => undefined);
    return asked;
  };
