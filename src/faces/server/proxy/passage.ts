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

/** Receives the proxy's events, for metrics. */
export interface ProxyNotes {
  /** A request was passed on without compaction, because the compaction failed. */
  passedBy(code: string): void;
  /** A refused request could not be sent again, because reducing it failed. */
  failedAfterRefusal(code: string): void;
}

/** The parts that all requests share. */
export interface Proxy {
  readonly service: Service;
  readonly access: Access;
  readonly notes: ProxyNotes;
  readonly places: Places;
  readonly plain: PlainUpstreams;
}

/** A request with its whole history, which the proxy may compact. */
interface Whole {
  readonly raw: Buffer;
  readonly body: Fields;
  readonly messages: readonly unknown[];
  /** The client's name for its session. */
  readonly named: string | undefined;
}

/** The treatment of a request: it is compacted, or refused with this message, or otherwise passed on unchanged. */
interface Way {
  readonly whole?: Whole;
  readonly refusal?: string;
}

/** The header with the client's name for its session. */
const SESSION_HEADER = 'x-spillway-session';
const NO_NAME = `${SESSION_HEADER} is no name of a session: 1 to 128 letters, digits, _, - and dots, but not . or .. alone.`;

/** One request of a client to a model, to the upstream and back: `decide`, then `answer`, and `onError` on an error. */
export class Passage {
  readonly #signal: AbortSignal;
  /** The current turn. */
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
    // A history that the provider keeps cannot be compacted here.
    const isKept = body.previous_response_id || body.conversation || isFields(body.thread);
    if (isKept || !(Array.isArray(input) || typeof input === 'string')) return {};
    const said = headers[SESSION_HEADER];
    const named = said === undefined ? undefined : nameIn(caller, String(said));
    if (named !== undefined && !SESSION_NAME.test(named)) return { refusal: NO_NAME };
    const messages = Array.isArray(input) ? input : [{ role: 'user', content: input }];
    return { whole: { raw, body, messages, named } };
  }

  /** Handles the request within the session that its history continues. */
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
      // Set even if the request fails, because a question about the failure has to name the session.
      void this.reply.headers(sessionHeader(session.id));
      const answer = await inTurn(session, messages, async (place) => {
        signal.throwIfAborted();
        notes.of(place.session);
        this.#turn = new Turn({ ...sent, commands, forks, recalls }, place.session, place.flight);
        return this.#turn.answer();
      });
      if (answer) return answer;
      // The previous turn gave the session another history.
      without.add(session.id);
    }
  }

  /** An internal fault does not keep a request from its upstream. An upstream's fault is passed on to the client. */
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
    // The operator requires approval first, so the request must not be sent without it.
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
