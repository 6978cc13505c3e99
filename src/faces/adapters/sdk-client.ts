import {
  canRecall,
  ClientRequest,
  isStream,
  report,
  reported,
  streamedAnswers,
  type Endpoint,
} from '../endpoints/index.js';
import { OBJECT, SpillwayError } from '../../errors/index.js';
import type { Prepared, Session } from '../../session/index.js';
import { isFields, type Fields } from '../../formats/index.js';
import { mostRecalls, recalledAnswer, turnOf, type DropInOptions, type Resolved } from './drop-in.js';
import { holdStream, through } from './held-stream.js';
import { sentBy, streamOf, withSignal, type Sent } from './sdk-answer.js';

/** A resource of a client. All its other methods end up in `create`. */
export interface Resource {
  create(body: Fields, options?: unknown): unknown;
}

/** How a resource is used in a session. */
export interface Way {
  readonly create: (resource: Resource, body: Fields, options: unknown) => unknown;
  /** Replaces another property of the resource; returns `method` to leave it unchanged. */
  readonly other?: (name: string | symbol, method: unknown, resource: object, client: object) => unknown;
}

/** The client with these resources (`chat.completions`) wrapped. Throws `ARGUMENT_INVALID` if it has none of them. */
export function withResources<Client extends object>(
  dropIn: string,
  client: Client,
  ways: Readonly<Record<string, Way>>,
): Client {
  const at = (path: string): unknown =>
    path.split('.').reduce<unknown>((of, key) => (of as Fields | undefined)?.[key], client ?? undefined);
  if (Object.keys(ways).some((path) => typeof at(`${path}.create`) === 'function')) return wrap(client, ways);
  throw new SpillwayError('ARGUMENT_INVALID', {
    subject: `client given to ${dropIn}`,
    // Only the names of its fields: their values may be API keys.
    found: OBJECT.is(client) ? `one with ${Object.keys(client).slice(0, 9).join(', ')}` : String(client),
    allowed: `a client with ${Object.keys(ways).join(', or ')}`,
    remedy: 'Pass the client itself: nothing of this object would be compacted.',
  });
}

/** Also wraps the clients that `withOptions` returns. */
function wrap<Client extends object>(client: Client, ways: Readonly<Record<string, Way>>): Client {
  // One proxy for each resource: a tracing library that replaces `create` on it finds its own `create` there again.
  const known = new WeakMap<object, object>();
  const at = (path: string, own: object): object => {
    const way = ways[path];
    const compacting =
      way && ((body: Fields, options?: unknown) => way.create(own as Resource, body, options));
    let create: unknown = compacting;
    const wrapped: object = new Proxy(own, {
      get(target, key) {
        // The wrapped client, so that helpers that go through `_client` are compacted too.
        if (way && key === '_client') return root;
        if (way && key === 'create') return create;
        const value: unknown = Reflect.get(target, key, target);
        const inner = path === '' ? String(key) : `${path}.${String(key)}`;
        const isOnTheWay = Object.keys(ways).some((one) => one === inner || one.startsWith(`${inner}.`));
        // A compatible client may lack some of the resources.
        if (isOnTheWay && typeof value === 'object' && value !== null)
          return known.get(value) ?? at(inner, value);
        if (way?.other) return way.other(key, value, wrapped, root);
        if (path !== '' || typeof value !== 'function') return value;
        if (key !== 'withOptions') return (value as Method).bind(target);
        return (...options: unknown[]) => wrap((value as Method).apply(target, options) as Client, ways);
      },
      // Put on the resource itself, a `create` that calls the compacting one would be called by it in turn, without end.
      defineProperty(target, key, property) {
        if (!way || key !== 'create') return Reflect.defineProperty(target, key, property);
        create = property.value;
        return true;
      },
      deleteProperty(target, key) {
        if (!way || key !== 'create') return Reflect.deleteProperty(target, key);
        create = compacting;
        return true;
      },
    });
    known.set(own, wrapped);
    return wrapped;
  };
  const root = at('', client);
  return root as Client;
}

export type Method = (...parameters: unknown[]) => unknown;

export interface Compacting extends DropInOptions {
  readonly endpoint: Endpoint;
  readonly session: Resolved<Fields>;
}

/** Sends a request of the resource within its session, compacted, and sends further requests after recalls. */
export function sendCompacted(
  resource: Resource,
  how: Compacting,
  given: Fields,
  options: unknown,
): Promise<Sent> {
  const { endpoint, session, commands } = how;
  const most = mostRecalls(how.recall);
  const asked = new ClientRequest(endpoint, given, most);
  const body = asked.offering?.offered ?? given;
  // A client may continue from an answer that the provider keeps; that history would wait for a recall's result. Such a
  // client never sends its history, so nothing of the history is ever compacted and no recall is offered.
  const mayBeKept = endpoint.format === 'openai-responses' && given.store !== false;
  const alone = (): Promise<Sent> => sentBy(() => resource.create(given, options));
  return turnOf(
    session,
    body,
    {
      body: asked.followed,
      commands,
      model: typeof body.model === 'string' ? body.model : undefined,
      maxOutputTokens: endpoint.maxOutputTokens(body),
      signal: isFields(options) && options.signal instanceof AbortSignal ? options.signal : undefined,
      send: async (request, place): Promise<Sent> => {
        let controller: AbortController | undefined;
        let newest: Sent | undefined;
        const ask = async (prepared: Prepared, isLast: boolean): Promise<unknown> => {
          const offers = !mayBeKept || canRecall(prepared.view);
          const own = asked.bodyOf(place.session, prepared, { offers, isLast });
          newest = await sentBy(() => resource.create(own, withSignal(options, controller?.signal)));
          await observe(newest.data, endpoint, place.session, controller);
          return newest.data;
        };
        const data = await ask(request, false);
        const first = newest!;
        const turn = { ...place, wire: endpoint.recall, most, ask };
        if (isStream(data)) {
          ({ controller } = data as { readonly controller?: AbortController });
          // The object remains the client's own. Its iterator continues through all answers.
          if (asked.offering) through(data, (events) => streamedAnswers(events, turn));
          holdStream(data, place.flight);
        } else if (asked.offering) {
          const whole = await recalledAnswer(data, turn);
          return { ...newest!, data: whole };
        }
        return first;
      },
      say: (words): Sent => {
        const whole = endpoint.say(words, body);
        return { data: body.stream === true ? streamOf(endpoint.events(whole)) : whole };
      },
    },
    alone,
    // With an aborted signal, a client sends nothing and rejects with its own error.
    alone,
  );
}

/**
 * Reports the usage, which is in the whole answer or in some events of a stream. If the caller aborts a further stream,
 * this aborts `controller`, the first stream's controller, which the client's library checks.
 */
async function observe(
  data: unknown,
  endpoint: Endpoint,
  session: Session,
  controller: AbortController | undefined,
): Promise<void> {
  if (isStream(data))
    return through(data, async function* (events) {
      yield* reported(session, endpoint, events, (event) => (isFields(event) ? event : undefined));
      const own = (data as { readonly controller?: AbortController }).controller;
      if (own?.signal.aborted) controller?.abort();
    });
  if (isFields(data)) await report(session, endpoint.usageReader()(data));
}
