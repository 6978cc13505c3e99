import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint, Fault } from '../../endpoints/index.js';
import { SpillwayError } from '../../errors/index.js';
import {
  canRecall,
  compactedAsAsked,
  NO_STEP,
  Recaller,
  report,
  withoutPrefill,
  withoutRecall,
} from '../../endpoints/index.js';
import type { Flight, Prepared, Session } from '../../session/index.js';
import { inputOf } from '../../tokens/index.js';
import { parseJson } from '../../transcript/index.js';
import { fitCacheMarks, isFields, jsonText, type Fields } from '../../wire/index.js';
import { markStablePrefix } from './cache-mark.js';
import { jsonAnswer, streamAnswer, type HttpAnswer } from './http-answer.js';
import { opened } from './opening.js';
import { Refused } from './refused.js';
import { requestBytes, type SentRequest } from './request-bytes.js';
import { eventsOf, written, type StreamEvent } from './sse.js';
import { ask, wholeOf, type UpstreamAnswer } from './upstream.js';

/** Errors of providers are short; what is longer is none. */
const MOST_ERROR_BYTES = 1_048_576;

interface TurnParts extends SentRequest {
  readonly endpoint: Endpoint;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly withheld: ReadonlySet<string>;
  readonly commands: boolean;
  /** Most recalls that are answered within the call. */
  readonly recalls: number;
  /** Upstreams that take no `stream_options`. */
  readonly plain: Set<string>;
  readonly signal: AbortSignal;
  /** Settled when the client has its answer, or has gone away. */
  readonly over: Promise<unknown>;
}

/** One request of a client, within its session. */
export class Turn {
  readonly #parts: TurnParts;
  readonly #session: Session;
  readonly #flight: Flight;
  readonly #prefill: readonly unknown[];
  readonly #history: Fields;
  /** The request with the recall tool in it; undefined where it is not offered. */
  readonly #offered: Fields | undefined;
  /** Whether the client is to see the usage that was asked for here. */
  readonly #hidesUsage: boolean;
  #recalls = false;
  /** What the upstream said last, where it refused. */
  refused: Refused | undefined;
  /** Whether the upstream was asked. */
  wasSent = false;

  constructor(parts: TurnParts, session: Session, flight: Flight) {
    const { endpoint, body, recalls } = parts;
    this.#parts = parts;
    this.#session = session;
    this.#flight = flight;
    const { history, prefill } =
      endpoint.format === 'anthropic' ? withoutPrefill(body) : { history: body[endpoint.field], prefill: [] };
    this.#prefill = prefill;
    // Words in the model's mouth have to come last: no recall can stand behind them.
    this.#offered = recalls > 0 && prefill.length === 0 ? endpoint.recall.offer(body) : undefined;
    this.#history = { ...(this.#offered ?? body), [endpoint.field]: history };
    this.#hidesUsage = endpoint.format === 'openai-chat' && body.stream === true && !asksUsage(body);
  }

  /** Takes in what is new, sends what fits, and once more where it was too long. Rejects with `Refused`. */
  async answer(): Promise<HttpAnswer> {
    const { commands, over } = this.#parts;
    const { command } = await this.#session.follow(this.#history, { commands });
    if (command === 'compact') return this.#compacted();
    this.#flight.until(over);
    return this.#ask((answer) => this.#read(answer));
  }

  /** Sends what fits, and once more where it was too long. Each request of the turn leaves as much room to answer. */
  #ask<T>(read: (answer: UpstreamAnswer) => T | Promise<T>, further?: Further): Promise<T> {
    const { endpoint, body, signal } = this.#parts;
    const maxOutputTokens = endpoint.maxOutputTokens(body);
    return this.#flight.again(
      (prepared) => this.#post(continued(prepared, further), further?.isLast === true).then(read),
      {
        signal,
        ...(typeof body.model === 'string' && { model: body.model }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      },
    );
  }

  async #compacted(): Promise<HttpAnswer> {
    const { endpoint, body, signal } = this.#parts;
    const whole = endpoint.say(await compactedAsAsked(this.#session, signal), body);
    return body.stream === true ? streamAnswer(endpoint.events(whole), endpoint.done) : jsonAnswer(whole);
  }

  /** Sends a prepared request. Rejects with `Refused` where the upstream does not answer it. */
  async #post(prepared: Prepared, isLast: boolean): Promise<UpstreamAnswer> {
    const { url, headers, withheld, plain, signal } = this.#parts;
    const asksUsage = this.#hidesUsage && !plain.has(url);
    const body = requestBytes(this.#bodyOf(prepared, isLast), this.#parts, asksUsage);
    this.wasSent = true;
    const answer = await ask({ method: 'POST', url, headers, withheld, body, signal });
    if (answer.status >= 200 && answer.status < 300) return answer;
    const refused = new Refused(answer.status, answer.headers, await wholeOf(answer.body, MOST_ERROR_BYTES));
    if (asksUsage && answer.status < 500 && refused.bytes.includes('stream_options')) {
      plain.add(url);
      return this.#post(prepared, isLast);
    }
    throw (this.refused = refused);
  }

  #bodyOf({ messages, beside, view }: Prepared, isLast: boolean): Fields {
    const { endpoint, body } = this.#parts;
    this.#recalls ||= this.#offered !== undefined && canRecall(view);
    const given = !this.#recalls
      ? body
      : isLast
        ? withoutRecall(endpoint.recall, body, this.#offered!)
        : this.#offered!;
    const own = this.#session.untrimmed<Fields>({
      ...given,
      ...beside,
      [endpoint.field]: messages.length === 0 ? given[endpoint.field] : messages,
    });
    if (endpoint.format !== 'anthropic') return own;
    const marked = markStablePrefix(own, view);
    return fitCacheMarks({
      ...marked,
      messages: [...(marked.messages as readonly unknown[]), ...this.#prefill],
    });
  }

  async #read(answer: UpstreamAnswer): Promise<HttpAnswer> {
    const { status, headers } = answer;
    const session = { 'x-spillway-session': encodeURIComponent(this.#session.id) };
    const { 'content-length': _, ...kept } = headers;
    if (isStream(answer)) {
      const events = await this.#opened(answer);
      const body = this.#recalls ? this.#recalling(events) : this.#passing(events);
      return { status, headers: { ...kept, ...session }, body };
    }
    const bytes = await wholeOf(answer.body);
    return { status, headers: { ...kept, ...session }, body: await this.#whole(bytes) };
  }

  async #opened(answer: UpstreamAnswer): Promise<AsyncGenerator<StreamEvent>> {
    try {
      return await opened(eventsOf(answer.body), answer.headers);
    } catch (error) {
      if (error instanceof Refused) this.refused = error;
      throw error;
    }
  }

  /** The bytes as they come; what they say of usage is heard on the way. */
  async *#passing(events: AsyncIterable<StreamEvent>): AsyncGenerator<Buffer> {
    const used = this.#parts.endpoint.usageReader();
    for await (const { bytes, fields } of events) {
      if (fields) await this.#heard(used(fields));
      if (!(fields && this.#hidesUsage && isUsageAlone(fields))) yield bytes;
    }
  }

  /** The events of all answers within the call, as one stream without the tool. */
  async *#recalling(first: AsyncIterable<StreamEvent>): AsyncGenerator<Buffer> {
    const { endpoint, recalls } = this.#parts;
    const recaller = new Recaller(this.#session, endpoint.recall, recalls);
    const stream = endpoint.recall.stream();
    const shown = (event: Fields): Buffer | undefined =>
      this.#hidesUsage && isUsageAlone(event) ? undefined : Buffer.from(written(event));
    let isDone = false;
    for (let events = first; ;) {
      const used = endpoint.usageReader();
      for await (const { bytes, fields } of events) {
        isDone = !fields && endpoint.done !== undefined && bytes.includes(endpoint.done.trim());
        if (!fields) continue;
        await this.#heard(used(fields));
        for (const event of stream.take(fields)) yield shown(event) ?? Buffer.alloc(0);
      }
      const next = await recaller.answer(stream.endAnswer());
      if (next === 'done') break;
      try {
        events = await this.#ask((answer) => this.#opened(answer), { recaller, isLast: next === 'last' });
      } catch (error) {
        // The client has read the head of a good answer: what went wrong can only be told within it.
        if (this.#parts.signal.aborted) throw error;
        for (const event of stream.take(endpoint.fault(faultOf(error)))) yield Buffer.from(written(event));
        return;
      }
      stream.goOn();
    }
    for (const event of stream.finish()) yield shown(event) ?? Buffer.alloc(0);
    if (isDone) yield Buffer.from(endpoint.done!);
  }

  /** One answer, its bytes as they came where the model recalled nothing. */
  async #whole(first: Buffer): Promise<Buffer> {
    const { endpoint, recalls } = this.#parts;
    const { recall: wire } = endpoint;
    const recaller = new Recaller(this.#session, wire, recalls);
    const answers: Fields[] = [];
    for (let bytes = first; ;) {
      const answer = fieldsOf(bytes);
      if (!answer) return bytes;
      answers.push(answer);
      await this.#heard(endpoint.usageReader()(answer));
      const step = this.#recalls ? wire.step(answer) : NO_STEP;
      const next = await recaller.answer(step);
      if (next === 'done' && answers.length === 1 && step.calls.length === 0) return bytes;
      if (next === 'done') return Buffer.from(jsonText(wire.visible(answers)));
      bytes = await this.#ask((again) => wholeOf(again.body), { recaller, isLast: next === 'last' });
    }
  }

  async #heard(usage: ReturnType<ReturnType<Endpoint['usageReader']>>): Promise<void> {
    if (usage && inputOf(usage) > 0) await report(this.#session, usage);
  }
}

/** A request of this turn that goes on from earlier answers. */
interface Further {
  readonly recaller: Recaller;
  /** The tool is offered no more. */
  readonly isLast: boolean;
}

const continued = (prepared: Prepared, further: Further | undefined): Prepared =>
  further ? { ...prepared, messages: further.recaller.whole(prepared.messages) } : prepared;

/** What a failure says of itself: the provider's own words where it refused. */
function faultOf(error: unknown): Fault {
  if (error instanceof SpillwayError) return { code: error.code, message: error.message };
  if (!(error instanceof Refused)) return { message: 'The provider could not be asked.' };
  const { error: said = error.error } = isFields(error.error) ? error.error : {};
  if (!isFields(said)) return { message: String(said) };
  const { type, code, message } = said;
  return { type, code, message: String(message) };
}

const isStream = ({ headers }: UpstreamAnswer): boolean =>
  String(headers['content-type'] ?? '').includes('text/event-stream');

const asksUsage = ({ stream_options: options }: Fields): boolean =>
  isFields(options) && options.include_usage === true;

/** The chunk that only tells usage: who did not ask for it does not expect it. */
const isUsageAlone = ({ choices, usage }: Fields): boolean =>
  Array.isArray(choices) && choices.length === 0 && isFields(usage);

function fieldsOf(bytes: Buffer): Fields | undefined {
  try {
    const value = parseJson(bytes.toString('utf8'));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
