import type { FastifyBaseLogger } from 'fastify';
import {
  canRecall,
  ClientRequest,
  eventText,
  lastAnswer,
  reportUsage,
  reportingUsage,
  streamedAnswers,
  takeTurn,
  type Endpoint,
  type RecallTurn,
  type TurnPlace,
} from '../../endpoints/index.js';
import type { Flight, Prepared, Session } from '../../../session/index.js';
import { isFields, jsonIn, jsonText, type Fields } from '../../../formats/index.js';
import type { Caller } from '../access.js';
import { asksUsage, isUsageOnly, mayRefuseUsage, type NoUsageUpstreams } from './usage-option.js';
import { jsonAnswer, streamAnswer, type HttpAnswer } from './http-answer.js';
import { failureIn, faultOf, errorNameIn, awaitOpening, Refusal } from './opening.js';
import { requestBytes, type SentRequest } from './request-bytes.js';
import { eventsOf, isDone, type StreamEvent } from './sse.js';
import { forward, bytesOf, type UpstreamAnswer, type UpstreamRequest } from './upstream.js';

interface TurnParts extends SentRequest, Omit<UpstreamRequest, 'method' | 'body'> {
  readonly endpoint: Endpoint;
  readonly commands: boolean;
  /** If true, a history that departs from the log is another conversation, and the session is not rewound. */
  readonly forks: boolean;
  /** Most recalls that are answered within the call. */
  readonly maxRecalls: number;
  readonly caller: Caller;
  readonly noUsage: NoUsageUpstreams;
  /** Settled when the client has its answer or has disconnected. */
  readonly closed: Promise<unknown>;
  readonly log: FastifyBaseLogger;
}

/** One request of a client, within its session. */
export class Turn {
  readonly #parts: TurnParts;
  /** The session, or a side session if the turn had to leave it. */
  #place: TurnPlace;
  readonly #request: ClientRequest;
  /** Whether to hide usage that the client did not request. */
  readonly #hidesUsage: boolean;
  #canRecall = false;
  /** The last body that was sent to the upstream. */
  #sent: Buffer | undefined;
  /** The original bytes of the line that ended the newest stream. */
  #doneBytes: Buffer | undefined;
  /** The newest refusal of the upstream. */
  refusal: Refusal | undefined;
  /** Whether a request was sent to the upstream. */
  wasSent = false;

  constructor(parts: TurnParts, session: Session, flight: Flight) {
    const { endpoint, body, maxRecalls } = parts;
    this.#parts = parts;
    this.#place = { session, flight };
    this.#request = new ClientRequest(endpoint, body, maxRecalls);
    this.#hidesUsage = endpoint.format === 'openai-chat' && body.stream === true && !asksUsage(body);
  }

  /**
   * Appends the new messages, sends what fits, and compacts and resends a request that was too long. Resolves to
   * undefined, with nothing changed, if the history belongs to another session. Rejects with `Refusal`.
   */
  answer(): Promise<HttpAnswer | undefined> {
    const { endpoint, body, commands, forks, signal, closed } = this.#parts;
    return takeTurn<HttpAnswer>(this.#place, {
      body: this.#request.followedBody,
      commands,
      forks,
      signal,
      model: typeof body.model === 'string' ? body.model : undefined,
      maxOutputTokens: endpoint.maxOutputTokens(body),
      onRetry: () => this.#noteRetry(),
      send: async (prepared, place) => {
        this.#place = place;
        place.flight.until(closed);
        return this.#read(await this.#post(prepared, false), place);
      },
      ownAnswer: (words) => {
        const whole = endpoint.ownAnswer(words, body);
        if (body.stream !== true) return jsonAnswer(whole);
        return streamAnswer(endpoint.events(whole), endpoint.doneLine);
      },
    });
  }

  /** Notes that the refused request was compacted and is sent again. */
  #noteRetry(): void {
    const { notes, log } = this.#parts;
    notes.retries += 1;
    notes.isCompacted = true;
    log.warn({ ...notes.place }, 'retried');
  }

  #noteRefusal(refusal: Refusal): Refusal {
    const { notes, log } = this.#parts;
    log.warn({ status: refusal.status, ...notes.upstreamPlace }, 'refused');
    refusal.sentBody = this.#sent;
    return (this.refusal = refusal);
  }

  /** Sends a prepared request. Rejects with `Refusal` if the upstream refuses it. */
  async #post(prepared: Prepared, isLast: boolean): Promise<UpstreamAnswer> {
    const { url, caller, noUsage, notes, log } = this.#parts;
    if (prepared.run.kind === 'committed') notes.isCompacted = true;
    this.#canRecall ||= this.#request.offering !== undefined && canRecall(prepared.view);
    const own = this.#request.bodyOf(this.#place.session, prepared, { withRecall: this.#canRecall, isLast });
    this.wasSent = true;
    const withUsage = this.#hidesUsage && !noUsage.has(caller, url);
    const answer = await this.#send(own, withUsage);
    if (!(answer instanceof Refusal)) return answer;
    if (!withUsage || !mayRefuseUsage(answer.status, answer.bytes)) throw this.#noteRefusal(answer);
    const without = await this.#send(own, false);
    if (without instanceof Refusal) throw this.#noteRefusal(without);
    noUsage.add(caller, url);
    log.warn({ ...notes.upstreamPlace }, 'usage untold');
    return without;
  }

  async #send(own: Fields, withUsage: boolean): Promise<UpstreamAnswer | Refusal> {
    const body = (this.#sent = requestBytes(own, this.#parts, withUsage));
    const answer = await forward({ ...this.#parts, method: 'POST', body });
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return answer;
    return new Refusal(status, headers, await bytesOf(answer.body));
  }

  async #read(answer: UpstreamAnswer, place: TurnPlace): Promise<HttpAnswer> {
    const { endpoint, maxRecalls } = this.#parts;
    const { status } = answer;
    const { 'content-length': _, ...headers } = answer.headers;
    const turn = { ...place, wire: endpoint.recall, maxRecalls };
    if (isStream(answer, this.#parts.body)) {
      const events = await this.#openStream(answer);
      return { status, headers, body: this.#canRecall ? this.#joinAll(events, turn) : this.#passOn(events) };
    }
    const first = await this.#readWhole(answer);
    if (!this.#canRecall) return { status, headers, body: first.bytes };
    const ask = async (prepared: Prepared, isLast: boolean): Promise<WholeAnswer> =>
      this.#readWhole(await this.#post(prepared, isLast));
    const { last, visible } = await lastAnswer(first, { ...turn, ask }, ({ fields }) => fields);
    // Without recalls, the bytes are the upstream's own.
    return { status, headers, body: visible ? Buffer.from(jsonText(visible)) : last.bytes };
  }

  async #openStream(answer: UpstreamAnswer): Promise<AsyncGenerator<StreamEvent>> {
    try {
      return this.#noteFailures(await awaitOpening(eventsOf(answer.body), answer.headers));
    } catch (error) {
      if (error instanceof Refusal) this.#noteRefusal(error);
      throw error;
    }
  }

  /** Notes failures within a stream, which a good status does not exclude. */
  async *#noteFailures(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
    const { notes, log } = this.#parts;
    for await (const event of events) {
      const failure = event.fields && failureIn(event.fields);
      if (isFields(failure)) {
        notes.noteFailure();
        log.warn({ ...notes.upstreamPlace, error: errorNameIn(failure) }, 'failed within');
      }
      yield event;
    }
  }

  /** Passes on the bytes of a stream, and reports the usage in it. */
  async *#passOn(events: AsyncIterable<StreamEvent>): AsyncGenerator<Buffer> {
    for await (const { bytes, fields } of this.#reportingUsage(events))
      if (!(fields && this.#hidesUsage && isUsageOnly(fields))) yield bytes;
  }

  /** The events of all answers within the call, as one stream without the tool. */
  async *#joinAll(
    first: AsyncIterable<StreamEvent>,
    turn: Omit<RecallTurn<unknown>, 'ask'>,
  ): AsyncGenerator<Buffer> {
    const { endpoint, signal } = this.#parts;
    const ask = async (prepared: Prepared, isLast: boolean): Promise<AsyncIterable<Fields | string>> =>
      this.#parsedEvents(await this.#openStream(await this.#post(prepared, isLast)));
    const faultEvent = (error: unknown): Fields | undefined => {
      // The client has read the head of a good answer, so a failure can only be reported as an event.
      if (signal.aborted) return undefined;
      this.#doneBytes = undefined;
      return endpoint.fault(faultOf(error));
    };
    for await (const event of streamedAnswers(this.#parsedEvents(first), { ...turn, ask }, faultEvent))
      if (typeof event === 'string') yield Buffer.from(event, 'latin1');
      else if (!(this.#hidesUsage && isUsageOnly(event as Fields)))
        yield Buffer.from(eventText(event as Fields));
    if (this.#doneBytes) yield this.#doneBytes;
  }

  /** The parsed events. Anything else (a comment, an error in plain text) comes as its bytes. */
  async *#parsedEvents(events: AsyncIterable<StreamEvent>): AsyncGenerator<Fields | string> {
    this.#doneBytes = undefined;
    for await (const event of this.#reportingUsage(events))
      if (isDone(event)) this.#doneBytes = event.bytes;
      else yield event.fields ?? event.bytes.toString('latin1');
  }

  async #readWhole({ body }: UpstreamAnswer): Promise<WholeAnswer> {
    const bytes = await bytesOf(body);
    const said = jsonIn(bytes.toString('utf8'));
    const fields = isFields(said) ? said : undefined;
    if (fields) await reportUsage(this.#place.session, this.#parts.endpoint.usageReader()(fields));
    return { bytes, fields };
  }

  #reportingUsage(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
    return reportingUsage(this.#place.session, this.#parts.endpoint, events, ({ fields }) => fields);
  }
}

interface WholeAnswer {
  readonly bytes: Buffer;
  readonly fields: Fields | undefined;
}

/** Some servers send no content type for a stream, or that of plain text. */
const isStream = ({ headers: { 'content-type': type = '' } }: UpstreamAnswer, { stream }: Fields): boolean =>
  String(type).includes('text/event-stream') || (stream === true && !String(type).includes('json'));
