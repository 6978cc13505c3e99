import type { FastifyBaseLogger } from 'fastify';
import {
  canRecall,
  ClientRequest,
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
import { asksUsage, isUsageAlone, mayMeanUsage, type PlainUpstreams } from './asked-usage.js';
import { jsonAnswer, streamAnswer, type HttpAnswer } from './http-answer.js';
import { failureIn, faultOf, nameIn, opened, Refused } from './opening.js';
import { requestBytes, type SentRequest } from './request-bytes.js';
import { eventsOf, isDone, written, type StreamEvent } from './sse.js';
import { ask, wholeOf, type UpstreamAnswer, type UpstreamRequest } from './upstream.js';

interface TurnParts extends SentRequest, Omit<UpstreamRequest, 'method' | 'body'> {
  readonly endpoint: Endpoint;
  readonly commands: boolean;
  /** If true, a history that departs from the log is another conversation, and the session is not rewound. */
  readonly forks: boolean;
  /** Most recalls that are answered within the call. */
  readonly recalls: number;
  readonly caller: Caller;
  readonly plain: PlainUpstreams;
  /** Settled when the client has its answer or has disconnected. */
  readonly over: Promise<unknown>;
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
  #recalls = false;
  /** The last body that was sent to the upstream. */
  #sent: Buffer | undefined;
  /** The original bytes of the line that ended the newest stream. */
  #done: Buffer | undefined;
  /** The newest refusal of the upstream. */
  refused: Refused | undefined;
  /** Whether a request was sent to the upstream. */
  wasSent = false;

  constructor(parts: TurnParts, session: Session, flight: Flight) {
    const { endpoint, body, recalls } = parts;
    this.#parts = parts;
    this.#place = { session, flight };
    this.#request = new ClientRequest(endpoint, body, recalls);
    this.#hidesUsage = endpoint.format === 'openai-chat' && body.stream === true && !asksUsage(body);
  }

  /**
   * Appends the new messages, sends what fits, and compacts and resends a request that was too long. Resolves to
   * undefined, with nothing changed, if the history belongs to another session. Rejects with `Refused`.
   */
  answer(): Promise<HttpAnswer | undefined> {
    const { endpoint, body, commands, forks, signal, over } = this.#parts;
    return takeTurn<HttpAnswer>(this.#place, {
      body: this.#request.followedBody,
      commands,
      forks,
      signal,
      model: typeof body.model === 'string' ? body.model : undefined,
      maxOutputTokens: endpoint.maxOutputTokens(body),
      onRetry: () => this.#retries(),
      send: async (prepared, place) => {
        this.#place = place;
        place.flight.until(over);
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
  #retries(): void {
    const { notes, log } = this.#parts;
    notes.retries += 1;
    notes.isCompacted = true;
    log.warn({ ...notes.place }, 'retried');
  }

  #refuses(refused: Refused): Refused {
    const { notes, log } = this.#parts;
    log.warn({ status: refused.status, ...notes.asked }, 'refused');
    refused.sent = this.#sent;
    return (this.refused = refused);
  }

  /** Sends a prepared request. Rejects with `Refused` if the upstream refuses it. */
  async #post(prepared: Prepared, isLast: boolean): Promise<UpstreamAnswer> {
    const { url, caller, plain, notes, log } = this.#parts;
    if (prepared.run.kind === 'committed') notes.isCompacted = true;
    this.#recalls ||= this.#request.offering !== undefined && canRecall(prepared.view);
    const own = this.#request.bodyOf(this.#place.session, prepared, { offersRecall: this.#recalls, isLast });
    this.wasSent = true;
    const withUsage = this.#hidesUsage && !plain.has(caller, url);
    const answer = await this.#send(own, withUsage);
    if (!(answer instanceof Refused)) return answer;
    if (!withUsage || !mayMeanUsage(answer.status, answer.bytes)) throw this.#refuses(answer);
    const without = await this.#send(own, false);
    if (without instanceof Refused) throw this.#refuses(without);
    plain.add(caller, url);
    log.warn({ ...notes.asked }, 'usage untold');
    return without;
  }

  async #send(own: Fields, withUsage: boolean): Promise<UpstreamAnswer | Refused> {
    const body = (this.#sent = requestBytes(own, this.#parts, withUsage));
    const answer = await ask({ ...this.#parts, method: 'POST', body });
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return answer;
    return new Refused(status, headers, await wholeOf(answer.body));
  }

  async #read(answer: UpstreamAnswer, place: TurnPlace): Promise<HttpAnswer> {
    const { endpoint, recalls } = this.#parts;
    const { status } = answer;
    const { 'content-length': _, ...headers } = answer.headers;
    const turn = { ...place, wire: endpoint.recall, maxRecalls: recalls };
    if (isStream(answer, this.#parts.body)) {
      const events = await this.#opened(answer);
      return { status, headers, body: this.#recalls ? this.#recalling(events, turn) : this.#passing(events) };
    }
    const first = await this.#whole(answer);
    if (!this.#recalls) return { status, headers, body: first.bytes };
    const ask = async (prepared: Prepared, isLast: boolean): Promise<WholeAnswer> =>
      this.#whole(await this.#post(prepared, isLast));
    const { last, visible } = await lastAnswer(first, { ...turn, ask }, ({ fields }) => fields);
    // Without recalls, the bytes are the upstream's own.
    return { status, headers, body: visible ? Buffer.from(jsonText(visible)) : last.bytes };
  }

  async #opened(answer: UpstreamAnswer): Promise<AsyncGenerator<StreamEvent>> {
    try {
      return this.#watched(await opened(eventsOf(answer.body), answer.headers));
    } catch (error) {
      if (error instanceof Refused) this.#refuses(error);
      throw error;
    }
  }

  /** Notes failures within a stream, which a good status does not exclude. */
  async *#watched(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
    const { notes, log } = this.#parts;
    for await (const event of events) {
      const failure = event.fields && failureIn(event.fields);
      if (isFields(failure)) {
        notes.failsWithin();
        log.warn({ ...notes.asked, error: nameIn(failure) }, 'failed within');
      }
      yield event;
    }
  }

  /** Passes on the bytes of a stream, and reports the usage in it. */
  async *#passing(events: AsyncIterable<StreamEvent>): AsyncGenerator<Buffer> {
    for await (const { bytes, fields } of this.#reported(events))
      if (!(fields && this.#hidesUsage && isUsageAlone(fields))) yield bytes;
  }

  /** The events of all answers within the call, as one stream without the tool. */
  async *#recalling(
    first: AsyncIterable<StreamEvent>,
    turn: Omit<RecallTurn<unknown>, 'ask'>,
  ): AsyncGenerator<Buffer> {
    const { endpoint, signal } = this.#parts;
    const ask = async (prepared: Prepared, isLast: boolean): Promise<AsyncIterable<Fields | string>> =>
      this.#said(await this.#opened(await this.#post(prepared, isLast)));
    const failed = (error: unknown): Fields | undefined => {
      // The client has read the head of a good answer, so a failure can only be reported as an event.
      if (signal.aborted) return undefined;
      this.#done = undefined;
      return endpoint.fault(faultOf(error));
    };
    for await (const event of streamedAnswers(this.#said(first), { ...turn, ask }, failed))
      if (typeof event === 'string') yield Buffer.from(event, 'latin1');
      else if (!(this.#hidesUsage && isUsageAlone(event as Fields)))
        yield Buffer.from(written(event as Fields));
    if (this.#done) yield this.#done;
  }

  /** The parsed events. Anything else (a comment, an error in plain text) comes as its bytes. */
  async *#said(events: AsyncIterable<StreamEvent>): AsyncGenerator<Fields | string> {
    this.#done = undefined;
    for await (const event of this.#reported(events))
      if (isDone(event)) this.#done = event.bytes;
      else yield event.fields ?? event.bytes.toString('latin1');
  }

  async #whole({ body }: UpstreamAnswer): Promise<WholeAnswer> {
    const bytes = await wholeOf(body);
    const said = jsonIn(bytes.toString('utf8'));
    const fields = isFields(said) ? said : undefined;
    if (fields) await reportUsage(this.#place.session, this.#parts.endpoint.usageReader()(fields));
    return { bytes, fields };
  }

  #reported(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
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
