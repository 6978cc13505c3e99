import type { FastifyReply, FastifyRequest } from 'fastify';
import { inTurn, type Endpoint } from '../../endpoints/index.js';
import { isFields, type Fields } from '../../../formats/index.js';
import { nameIn, SESSION_NAME, type Access } from '../access.js';
import { goneOf, overOf } from '../gone.js';
import { codesOf } from '../request-log.js';
import type { Service } from '../service.js';
import type { PlainUpstreams } from './asked-usage.js';
import { bodyIn, isEncoded } from './body-limits.js';
import { faultAnswer, give, sessionHeader, type HttpAnswer } from './http-answer.js';
import { Refused } from './opening.js';
import type { Places } from './place.js';
import { straight, withheldOf } from './straight.js';
import { Turn } from './turn.js';

/** What the proxy tells of itself, for metrics. */
export interface ProxyNotes {
  /** A request went on without compaction, since that failed. */
  passedBy(code: string): void;
  /** A request that was refused could not be sent again, since what was to make it smaller failed. */
  failedAfterRefusal(code: string): void;
}

/** What all requests share. */
export interface Proxy {
  readonly service: Service;
  readonly access: Access;
  readonly notes: ProxyNotes;
  readonly places: Places;
  readonly plain: PlainUpstreams;
}

/** A request that holds its whole history, which is ours to compact. */
interface Whole {
  readonly raw: Buffer;
  readonly body: Fields;
  readonly messages: readonly unknown[];
  /** What the client calls its session. */
  readonly named: string | undefined;
}

/** What is done with a request: it is compacted, or refused with these words; with neither it goes on as it is. */
interface Way {
  readonly whole?: Whole;
  readonly refusal?: string;
}

/** What a client calls its session, where it says so. */
const SESSION_HEADER = 'x-spillway-session';
const NO_NAME = `${SESSION_HEADER} is no name of a session: 1 to 128 letters, digits, _, - and dots, but not . or .. alone.`;

/** One request of a client to a model, on its way to the upstream and back: `decide`, then `answer`, or what `onError` makes of it. */
export class Passage {
  readonly #signal: AbortSignal;
  /** The one under way. */
  #turn: Turn | undefined;

  constructor(
    private readonly proxy: Proxy,
    private readonly endpoint: Endpoint,
    private readonly url: string,
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {
    this.#signal = goneOf(reply);
  }

  async pass(): Promise<FastifyReply> {
    const { whole, refusal } = await this.#decide();
    if (refusal !== undefined) return give(this.reply, faultAnswer(400, 'INPUT_FORMAT', refusal));
    if (!whole) return this.#straight();
    try {
      return await give(this.reply, await this.#answer(whole));
    } catch (error) {
      return this.#onError(error);
    }
  }

  async #decide(): Promise<Way> {
    const { headers, body: raw, notes, caller } = this.request;
    if (!Buffer.isBuffer(raw)) return { refusal: NO_OBJECT };
    if (isEncoded(headers, raw)) {
      this.#notePassedBy('INPUT_FORMAT', { code: 'INPUT_FORMAT', found: 'an encoded body' });
      return {};
    }
    const body = await bodyIn(raw);
    if (!body) return { refusal: NO_OBJECT };
    if (typeof body.model === 'string') notes.model = body.model;
    const input = body[this.endpoint.recall.field];
    // What the provider keeps of a history is not ours to compact.
    const isKept = body.previous_response_id || body.conversation || isFields(body.thread);
    if (isKept || !(Array.isArray(input) || typeof input === 'string')) return {};
    const said = headers[SESSION_HEADER];
    const named = said === undefined ? undefined : nameIn(caller, String(said));
    if (named !== undefined && !SESSION_NAME.test(named)) return { refusal: NO_NAME };
    const messages = Array.isArray(input) ? input : [{ role: 'user', content: input }];
    return { whole: { raw, body, messages, named } };
  }

  /** Asks within the session that the history goes on from. */
  async #answer({ raw, body, messages, named }: Whole): Promise<HttpAnswer> {
    const { endpoint, url } = this;
    const { headers, caller, notes, log } = this.request;
    const { service, access, places, plain } = this.proxy;
    const { commands, recall: recalls } = service.settings.server;
    const withheld = withheldOf(access, this.request);
    const over = overOf(this.reply);
    const [signal, forks] = [this.#signal, named === undefined];
    const sent = { endpoint, url, headers, withheld, raw, body, caller, plain, signal, over, notes, log };
    const without = new Set<string>();
    for (;;) {
      const { format } = endpoint;
      const session = await places.sessionOf({ caller, format, headers, named, body, messages, without });
      notes.of(session);
      // Whatever comes of it: who asks why it was refused has to name the session.
      void this.reply.headers(sessionHeader(session.id));
      const answer = await inTurn(session, messages, async (place) => {
        signal.throwIfAborted();
        notes.of(place.session);
        this.#turn = new Turn({ ...sent, commands, forks, recalls }, place.session, place.flight);
        return this.#turn.answer();
      });
      if (answer) return answer;
      // The turn before this one went another way.
      without.add(session.id);
    }
  }

  /** A fault of ours keeps no request from its upstream; one of the upstream is the client's to see. */
  async #onError(error: unknown): Promise<FastifyReply> {
    const { reply, request } = this;
    const { notes } = request;
    if (error instanceof Refused) return give(reply, asGiven(error));
    if (reply.raw.destroyed) throw error;
    const { code } = codesOf(error);
    const { refused, wasSent } = this.#turn ?? {};
    if (refused) {
      this.proxy.notes.failedAfterRefusal(code);
      const facts = { ...codesOf(error), status: refused.status, ...notes.place };
      request.log.error(facts, 'failed after a refusal');
      return give(reply, asGiven(refused));
    }
    if (wasSent) throw error;
    // An operator wants to be asked first: sending it after all would not be that.
    if (code === 'COMPACTION_PENDING') {
      const words = `${(error as Error).message} The session is ${notes.session}.`;
      return give(reply, faultAnswer(409, code, words));
    }
    this.#notePassedBy(code, { ...codesOf(error), ...notes.place });
    return this.#straight();
  }

  #notePassedBy(code: string, facts: object): void {
    this.proxy.notes.passedBy(code);
    this.request.log.warn(facts, 'passed by');
  }

  #straight(): Promise<FastifyReply> {
    return straight(this.proxy.access, this.request, this.reply, this.url, { signal: this.#signal });
  }
}

const NO_OBJECT = 'The body is no JSON object.';

const asGiven = ({ status, headers, bytes }: Refused): HttpAnswer => {
  const { 'content-length': _, ...kept } = headers;
  return { status, headers: kept, body: bytes };
};
