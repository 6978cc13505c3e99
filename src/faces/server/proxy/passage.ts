import type { FastifyReply, FastifyRequest } from 'fastify';
import { inTurn, type Endpoint } from '../../endpoints/index.js';
import { isFields, type Fields } from '../../../formats/index.js';
import { sessionNameIn, SESSION_NAME, type Access } from '../access.js';
import { disconnectSignal, whenClosed } from '../disconnect.js';
import { codesOf } from '../request-log.js';
import type { Service } from '../service.js';
import type { NoUsageUpstreams } from './usage-option.js';
import { bodyIn, isEncoded } from './body-limits.js';
import { faultAnswer, send, sessionHeader, type HttpAnswer } from './http-answer.js';
import { Refusal } from './opening.js';
import type { SessionFinder } from './session-finder.js';
import { passThrough, withheldOf } from './pass-through.js';
import { Turn } from './turn.js';

/** Receives the proxy's events, for metrics. */
export interface ProxyNotes {
  /** A request was passed on without compaction, because the compaction failed. */
  countPassedBy(code: string): void;
  /** A refused request could not be sent again, because reducing it failed. */
  countFailedAfterRefusal(code: string): void;
}

/** The parts that all requests share. */
export interface Proxy {
  readonly service: Service;
  readonly access: Access;
  readonly notes: ProxyNotes;
  readonly finder: SessionFinder;
  readonly noUsage: NoUsageUpstreams;
}

/** A request with its whole history, which the proxy may compact. */
interface WholeRequest {
  readonly raw: Buffer;
  readonly body: Fields;
  readonly messages: readonly unknown[];
  /** The client's name for its session. */
  readonly name: string | undefined;
}

/** The treatment of a request: it is compacted, or refused with this message, or otherwise passed on unchanged. */
interface Decision {
  readonly whole?: WholeRequest;
  readonly refusal?: string;
}

/** The header with the client's name for its session. */
const SESSION_HEADER = 'x-spillway-session';
const BAD_NAME = `${SESSION_HEADER} is no name of a session: 1 to 128 letters, digits, _, - and dots, but not . or .. alone.`;

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
    this.#signal = disconnectSignal(reply);
  }

  async pass(): Promise<FastifyReply> {
    const { whole, refusal } = await this.#decide();
    if (refusal !== undefined) return send(this.reply, faultAnswer(400, 'INPUT_FORMAT', refusal));
    if (!whole) return this.#passThrough();
    try {
      return await send(this.reply, await this.#answer(whole));
    } catch (error) {
      return this.#onError(error);
    }
  }

  async #decide(): Promise<Decision> {
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
    const name = said === undefined ? undefined : sessionNameIn(caller, String(said));
    if (name !== undefined && !SESSION_NAME.test(name)) return { refusal: BAD_NAME };
    const messages = Array.isArray(input) ? input : [{ role: 'user', content: input }];
    return { whole: { raw, body, messages, name } };
  }

  /** Handles the request within the session that its history continues. */
  async #answer({ raw, body, messages, name }: WholeRequest): Promise<HttpAnswer> {
    const { endpoint, url } = this;
    const { headers, caller, notes, log } = this.request;
    const { service, access, finder, noUsage } = this.proxy;
    const { commands, recall: maxRecalls } = service.settings.server;
    const withheld = withheldOf(access, this.request);
    const closed = whenClosed(this.reply);
    const [signal, forks] = [this.#signal, name === undefined];
    const sent = { endpoint, url, headers, withheld, raw, body, caller, noUsage, signal, closed, notes, log };
    const excluded = new Set<string>();
    for (;;) {
      const { format } = endpoint;
      const session = await finder.sessionOf({ caller, format, headers, name, body, messages, excluded });
      notes.setSession(session);
      // Set even if the request fails, because a question about the failure has to name the session.
      void this.reply.headers(sessionHeader(session.id));
      const answer = await inTurn(session, messages, async (place) => {
        signal.throwIfAborted();
        notes.setSession(place.session);
        this.#turn = new Turn({ ...sent, commands, forks, maxRecalls }, place.session, place.flight);
        return this.#turn.answer();
      });
      if (answer) return answer;
      // The previous turn gave the session another history.
      excluded.add(session.id);
    }
  }

  /** An internal fault does not keep a request from its upstream. An upstream's fault is passed on to the client. */
  async #onError(error: unknown): Promise<FastifyReply> {
    const { reply, request } = this;
    const { notes } = request;
    if (error instanceof Refusal) return send(reply, refusalAnswer(error));
    if (reply.raw.destroyed) throw error;
    const { code } = codesOf(error);
    const { refusal, wasSent } = this.#turn ?? {};
    if (refusal) {
      this.proxy.notes.countFailedAfterRefusal(code);
      const facts = { ...codesOf(error), status: refusal.status, ...notes.place };
      request.log.error(facts, 'failed after a refusal');
      return send(reply, refusalAnswer(refusal));
    }
    if (wasSent) throw error;
    // The operator requires approval first, so the request must not be sent without it.
    if (code === 'COMPACTION_PENDING') {
      const words = `${(error as Error).message} The session is ${notes.session}.`;
      return send(reply, faultAnswer(409, code, words));
    }
    this.#notePassedBy(code, { ...codesOf(error), ...notes.place });
    return this.#passThrough();
  }

  #notePassedBy(code: string, facts: object): void {
    this.proxy.notes.countPassedBy(code);
    this.request.log.warn(facts, 'passed by');
  }

  #passThrough(): Promise<FastifyReply> {
    return passThrough(this.proxy.access, this.request, this.reply, this.url, { signal: this.#signal });
  }
}

const NO_OBJECT = 'The body is no JSON object.';

const refusalAnswer = ({ status, headers, bytes }: Refusal): HttpAnswer => {
  const { 'content-length': _, ...kept } = headers;
  return { status, headers: kept, body: bytes };
};
