import { SpillwayError } from '../errors/index.js';
import { PIPELINE_STEPS } from '../pipeline/index.js';
import { inputOf, UNCALIBRATED, type Reading, type Usage } from '../tokens/index.js';
import { appendedAt, type Message, type ViewMessage } from '../transcript/index.js';
import { CallBook, countMessages, type CallRecord } from './calls.js';
import type { Prepared, RunReport } from './prepared.js';
import { newestCompaction, withoutMarkers } from './own-messages.js';
import type { SentRequest } from './reaction.js';
import type { Pieces } from './wiring.js';
import { TrimmingWatch } from './upstream-trimming.js';

/** Content that a hook of the host adds to one request. It is not in the log, and compaction ignores it. */
export interface Injection {
  /** Name of the hook; the error for too much content contains it. */
  readonly hook: string;
  readonly content: string;
  /** Most tokens that this hook may take; if absent, the whole reserve. */
  readonly maxTokens?: number;
}

/** Options of one request. */
export interface PrepareOptions {
  readonly signal?: AbortSignal;
  /** Model of this call and later ones, if it changes: the request is compacted to its limits before the call. */
  readonly model?: string;
  /** Content that hooks add to this request, after the newest user message; `reserve.injection` keeps room for it. */
  readonly inject?: readonly Injection[];
  /** Most tokens of the answer (`max_tokens`). They are kept free if they are more than the reserve. */
  readonly maxOutputTokens?: number;
}

type MeasuredInjections = readonly Omit<ViewMessage, 'from' | 'to'>[];

/** Writes the requests of one session, and records what each of them contained. */
export class Requests {
  readonly #book: CallBook;
  #lastSent: { readonly reading: Reading; readonly generation: number } | undefined;
  /** Most input tokens that were reported for each model. */
  readonly #accepted = new Map<string | null, number>();
  readonly #watch = new TrimmingWatch();
  /** The content that hooks added to the last request, and its place. */
  #lastInjections: PlacedInjections | undefined;
  /** Length of the front of the last view that is known to hold no markers; only the rest is checked again. */
  #unmarkedLength = 0;

  constructor(
    private readonly pieces: Pick<
      Pieces,
      | 'clock'
      | 'follower'
      | 'gauge'
      | 'measureDraft'
      | 'opened'
      | 'persistence'
      | 'settings'
      | 'stream'
      | 'thread'
      | 'timer'
    >,
  ) {
    this.#book = new CallBook(pieces.opened?.calls);
  }

  get calls(): readonly CallRecord[] {
    return this.#book.calls;
  }

  /** The newest call of this process. Usage that a provider reports here belongs to a request of this process. */
  get newest(): CallRecord | undefined {
    return this.#book.newest;
  }

  /** Numbers the following calls after this one. */
  countFrom(call: number): void {
    this.#book.countFrom(call);
  }

  /** Reads what other processes stored of the session since, and the calls of all processes. */
  async load(): Promise<void> {
    const { persistence } = this.pieces;
    // A failed store may be available again, and this may be the last use of the session.
    await persistence.record([]).catch(() => undefined);
    // Read first, because each call refers to messages and events that were stored before it.
    const calls = await persistence.calls();
    await persistence.catchUp();
    this.#book.takeStored(calls);
  }

  get lastSent(): SentRequest | undefined {
    const reading = this.#lastSent?.reading;
    return reading && { reading, accepted: this.#accepted.get(this.pieces.gauge.model) ?? 0 };
  }

  /** Throws `INJECTION_TOO_LARGE` with the hook that exceeds its limit, or the part of the reserve that others left. */
  injections(inject: readonly Injection[]): MeasuredInjections {
    const { reserve } = this.pieces.settings;
    let left = reserve.injection;
    return inject.map(({ hook, content, maxTokens = Infinity }) => {
      const message: Message = {
        id: `injected:${hook}`,
        role: 'user',
        origin: 'synthetic',
        label: 'injected',
        parts: [{ type: 'text', text: content }],
      };
      const size = this.pieces.measureDraft(message);
      const allowed = Math.min(maxTokens, left);
      // Negated, so that a limit of NaN allows nothing.
      if (!(size.tokens <= allowed)) {
        throw new SpillwayError('INJECTION_TOO_LARGE', {
          subject: `hook ${hook}`,
          found: `${size.tokens} tokens`,
          allowed: `${allowed} tokens of reserve.injection ${reserve.injection}`,
          remedy: 'Make the hook inject less, or raise reserve.injection.',
          facts: { hook, tokens: size.tokens, allowed },
        });
      }
      left -= size.tokens;
      return { message, size, made: { stage: PIPELINE_STEPS.addedByHook, reason: `hook ${hook}` } };
    });
  }

  /**
   * The log position after which the next request differs from the last because of content that hooks add: it changed,
   * moved or is gone. Undefined if all of it is the same.
   */
  movedFrom(injected: MeasuredInjections): number | undefined {
    const before = this.#lastInjections;
    const next = placeInjections(this.pieces.thread.projection.view, injected);
    if (before?.content === next?.content && before?.after === next?.after) return undefined;
    return Math.min(before?.after ?? Infinity, next?.after ?? Infinity);
  }

  /** Writes the next request. `started`: the timer when it was requested. */
  write(run: RunReport, injected: MeasuredInjections, started: number): Prepared {
    const { gauge, clock, timer, stream, follower, thread } = this.pieces;
    const { projection, log, ledger } = thread;
    const reading = gauge.read(projection);
    const plain = withoutMarkers(projection.view, Math.min(this.#unmarkedLength, projection.changedFrom));
    const [before, placed] = [this.#lastInjections, placeInjections(plain, injected)];
    const changed = plain === projection.view ? projection.changedFrom : 0;
    const from = Math.min(changed, before?.index ?? Infinity, placed?.index ?? Infinity);
    const view = placed ? withInjected(plain, placed.index, injected) : plain;
    const unchangedPrefixTokens = projection.tokensBefore(Math.min(from, projection.view.length));
    const { messages, beside = {}, notices } = follower.serialise(view);
    this.#lastInjections = placed;
    projection.settle();
    this.#unmarkedLength = plain === projection.view ? plain.length : 0;
    this.#lastSent = { reading, generation: gauge.generation };
    const record = newestCompaction(ledger);
    const call = this.#book.add({
      at: clock(),
      appended: appendedAt(log.length, ledger.left),
      events: ledger.version,
      model: gauge.model,
      ...(record && { record: record.id }),
      ...countMessages(view, log),
      tokens: reading.tokens,
      pressure: reading.pressure,
      unchangedPrefixTokens,
    });
    const { tokens, pressure } = reading;
    const figures = { call: call.call, unchangedPrefixTokens };
    const durationMs = timer() - started;
    stream.emitToEngine({ kind: 'prepared', ...figures, tokens, pressure, run: run.kind, durationMs });
    return { ...figures, messages: [...messages], beside, notices, view: [...view], reading, run };
  }

  /** Takes in reported usage. `reading`: that of the request; undefined if the view was rewritten since. */
  observe(usage: Usage) {
    const { gauge } = this.pieces;
    const current = this.#lastSent?.generation === gauge.generation ? this.#lastSent.reading : undefined;
    if (usage.isSum)
      return { reading: current, call: this.#book.addUsage(usage, gauge.calibration), notices: [] };
    const { notices, isFlat } = this.#lastSent
      ? this.#watch.observe(usage, { ...this.#lastSent, estimate: gauge.estimateOf(this.#lastSent.reading) })
      : { notices: [], isFlat: false };
    const isCut = notices.some(({ kind }) => kind === 'trimmed-upstream');
    // Usage of a request that was cut on the way says nothing about token counts. What it may have taught is forgotten.
    if (isCut && gauge.calibration.ratio < 1) gauge.restore(UNCALIBRATED);
    else if (current && !isCut && !isFlat) gauge.observe(usage, current);
    this.#accepted.set(gauge.model, Math.max(this.#accepted.get(gauge.model) ?? 0, inputOf(usage) || 0));
    const call = this.#book.addUsage(usage, gauge.calibration);
    return { reading: current, call, notices };
  }
}

interface PlacedInjections {
  readonly content: string;
  /** Index in the request. */
  readonly index: number;
  /** Log position that the content follows. */
  readonly after: number;
}

/** Injections follow the newest words of the user; without such words they are at the end. */
function placeInjections(
  shown: readonly ViewMessage[],
  injected: MeasuredInjections,
): PlacedInjections | undefined {
  if (injected.length === 0) return undefined;
  const view = withoutMarkers(shown);
  const newest = view.findLastIndex(({ source }) => source?.role === 'user' && source.origin !== 'synthetic');
  const index = newest < 0 ? view.length : newest + 1;
  const content = JSON.stringify(injected.map(({ message }) => message.parts));
  return { content, index, after: view[index - 1]?.to ?? -1 };
}

function withInjected(
  view: readonly ViewMessage[],
  place: number,
  injected: MeasuredInjections,
): ViewMessage[] {
  const before = view.slice(0, place);
  const at = before.at(-1)?.to ?? 0;
  return [...before, ...injected.map((one) => ({ ...one, from: at, to: at })), ...view.slice(place)];
}
