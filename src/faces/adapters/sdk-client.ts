import {
  canRecall,
  ClientRequest,
  isStream,
  reportUsage,
  reportingUsage,
  streamedAnswers,
  type Endpoint,
} from '../endpoints/index.js';
import { OBJECT, SpillwayError } from '../../errors/index.js';
import type { Prepared, Session } from '../../session/index.js';
import { isFields, type Fields } from '../../formats/index.js';
import { maxRecallsOf, recalledAnswer, turnOf, type DropInOptions, type Resolved } from './drop-in.js';
import { holdStream, interceptReads } from './hold-stream.js';
import { sendWith, streamOf, withSignal, type Sent } from './sdk-answer.js';

/** A resource of a client. All its other methods end up in `create`. */
export interface Resource {
  create(body: Fields, options?: unknown): unknown;
}

/** How a resource is used in a session. */
export interface Wrapper {
  readonly create: (resource: Resource, body: Fields, options: unknown) => unknown;
  /** Replaces another property of the resource; returns `method` to leave it unchanged. */
  readonly override?: (name: string | symbol, method: unknown, resource: object, client: object) => unknown;
}

/** The client with these resources (`chat.completions`) wrapped. Throws `ARGUMENT_INVALID` if it has none of them. */
export function withResources<Client extends object>(
  dropIn: string,
  client: Client,
  wrappers: Readonly<Record<string, Wrapper>>,
): Client {
  const valueAt = (path: string): unknown =>
    path.split('.').reduce<unknown>((of, key) => (of as Fields | undefined)?.[key], client ?? undefined);
  if (Object.keys(wrappers).some((path) => typeof valueAt(`${path}.create`) === 'function'))
    return wrap(client, wrappers);
  throw new SpillwayError('ARGUMENT_INVALID', {
    subject: `client given to ${dropIn}`,
    // Only the names of its fields: their values may be API keys.
    found: OBJECT.is(client) ? `one with ${Object.keys(client).slice(0, 9).join(', ')}` : String(client),
    allowed: `a client with ${Object.keys(wrappers).join(', or ')}`,
    remedy: 'Pass the client itself: nothing of this object would be compacted.',
  });
}

/** Also wraps the clients that `withOptions` returns. */
function wrap<Client extends object>(client: Client, wrappers: Readonly<Record<string, Wrapper>>): Client {
  // One proxy for each resource: a tracing library that replaces `create` on it finds its own `create` there again.
  const proxies = new WeakMap<object, object>();
  const wrapResource = (path: string, own: object): object => {
    const wrapper = wrappers[path];
    const compactingCreate =
      wrapper && ((body: Fields, options?: unknown) => wrapper.create(own as Resource, body, options));
    let create: unknown = compactingCreate;
    const wrapped: object = new Proxy(own, {
      get(target, key) {
        // The wrapped client, so that helpers that go through `_client` are compacted too.
        if (wrapper && key === '_client') return root;
        if (wrapper && key === 'create') return create;
        const value: unknown = Reflect.get(target, key, target);
        const inner = path === '' ? String(key) : `${path}.${String(key)}`;
        const hasWrapper = Object.keys(wrappers).some((one) => one === inner || one.startsWith(`${inner}.`));
        // A compatible client may lack some of the resources.
        if (hasWrapper && typeof value === 'object' && value !== null)
          return proxies.get(value) ?? wrapResource(inner, value);
        if (wrapper?.override) return wrapper.override(key, value, wrapped, root);
        if (path !== '' || typeof value !== 'function') return value;
        if (key !== 'withOptions') return (value as Method).bind(target);
        return (...options: unknown[]) => wrap((value as Method).apply(target, options) as Client, wrappers);
      },
      // Put on the resource itself, a `create` that calls the compacting one would be called by it in turn, without end.
      defineProperty(target, key, property) {
        if (!wrapper || key !== 'create') return Reflect.defineProperty(target, key, property);
        create = property.value;
        return true;
      },
      deleteProperty(target, key) {
        if (!wrapper || key !== 'create') return Reflect.deleteProperty(target, key);
        create = compactingCreate;
        return true;
      },
    });
    proxies.set(own, wrapped);
    return wrapped;
  };
  const root = wrapResource('', client);
  return root as Client;
}

export type Method = (...parameters: unknown[]) => unknown;

export interface EndpointBinding extends DropInOptions {
  readonly endpoint: Endpoint;
  readonly session: Resolved<Fields>;
}

/** Sends a request of the resource within its session, compacted, and sends further requests after recalls. */
export function sendCompacted(
  resource: Resource,
  binding: EndpointBinding,
  given: Fields,
  options: unknown,
): Promise<Sent> {
  const { endpoint, session, commands } = binding;
  const maxRecalls = maxRecallsOf(binding.recall);
  const clientRequest = new ClientRequest(endpoint, given, maxRecalls);
  const body = clientRequest.offering?.offered ?? given;
  // A client may continue from an answer that the provider keeps; that history would wait for a recall's result. Such a
  // client never sends its history, so nothing of the history is ever compacted and no recall is offered.
  const mayBeStored = endpoint.format === 'openai-responses' && given.store !== false;
  const sendUnchanged = (): Promise<Sent> => sendWith(() => resource.create(given, options));
  return turnOf(
    session,
    body,
    {
      body: clientRequest.followedBody,
      commands,
      model: typeof body.model === 'string' ? body.model : undefined,
      maxOutputTokens: endpoint.maxOutputTokens(body),
      signal: isFields(options) && options.signal instanceof AbortSignal ? options.signal : undefined,
      send: async (request, place): Promise<Sent> => {
        let controller: AbortController | undefined;
        let newest: Sent | undefined;
        const ask = async (prepared: Prepared, isLast: boolean): Promise<unknown> => {
          const withRecall = !mayBeStored || canRecall(prepared.view);
          const own = clientRequest.bodyOf(place.session, prepared, { withRecall, isLast });
          newest = await sendWith(() => resource.create(own, withSignal(options, controller?.signal)));
          await observeAnswer(newest.data, endpoint, place.session, controller);
          return newest.data;
        };
        const data = await ask(request, false);
        const first = newest!;
        const turn = { ...place, wire: endpoint.recall, maxRecalls, ask };
        if (isStream(data)) {
          ({ controller } = data as { readonly controller?: AbortController });
          // The object remains the client's own. Its iterator continues through all answers.
          if (clientRequest.offering) interceptReads(data, (events) => streamedAnswers(events, turn));
          holdStream(data, place.flight);
        } else if (clientRequest.offering) {
          const whole = await recalledAnswer(data, turn);
          return { ...newest!, data: whole };
        }
        return first;
      },
      ownAnswer: (words): Sent => {
        const whole = endpoint.ownAnswer(words, body);
        return { data: body.stream === true ? streamOf(endpoint.events(whole)) : whole };
      },
    },
    sendUnchanged,
    // With an aborted signal, a client sends nothing and rejects with its own error.
    sendUnchanged,
  );
}

/**
 * Reports the usage, which is in the whole answer or in some events of a stream. If the caller aborts a further stream,
 * this aborts `controller`, the first stream's controller, which the client's library checks.
 */
async function observeAnswer(
  data: unknown,
  endpoint: Endpoint,
  session: Session,
  controller: AbortController | undefined,
): Promise<void> {
  if (isStream(data))
    return interceptReads(data, async function* (events) {
      yield* reportingUsage(session, endpoint, events, (event) => (isFields(event) ? event : undefined));
      const own = (data as { readonly controller?: AbortController }).controller;
      if (own?.signal.aborted) controller?.abort();
    });
  if (isFields(data)) await reportUsage(session, endpoint.usageReader()(data));
}
