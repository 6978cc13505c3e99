import type { Trigger } from '../transcript/index.js';
import type { Reading } from '../tokens/index.js';
import type { PressureEvent } from '../pressure/index.js';
import { isSignatureRefusal, jsonText, readOverflowOf } from '../formats/index.js';
import {
  doubtOf,
  isPlausible,
  isSame,
  limitBelow,
  limitOf,
  limitsIn,
  type ProvenLimits,
  type RefusedRequest,
} from './learned-limits.js';
import type { RunReport } from './prepared.js';
import type { Pieces } from './wiring.js';

/** The result of the reaction to a refusal. */
export interface OverflowVerdict {
  /** False: the error is about something else. */
  readonly overflow: boolean;
  /** True: the view is smaller now, or without the refused signatures, and the call may be made again. */
  readonly retry: boolean;
  readonly reason: string;
  /** Limits that were learned from the refusal; absent if nothing new was learned. */
  readonly learned?: ProvenLimits;
  /** The run that followed; absent if there was none. */
  readonly run?: RunReport;
}

/** The sizes of the newest request, to compare with a refusal. */
export interface SentRequest {
  readonly reading: Reading;
  /** Most input tokens that were reported so far for its model. */
  readonly accepted: number;
}

/** Reacts to a request that was too long: once per request, and not again until the log has grown. */
export class Reaction {
  /** Tokens ever appended at the newest refusal. A larger figure means that the request is a later one. */
  #triedAt: number | undefined;
  #refusals = 0;
  /** Number of refusals that named no limit. */
  #limitless = 0;
  constructor(
    private readonly pieces: Pick<
      Pieces,
      | 'audit'
      | 'commits'
      | 'format'
      | 'gauge'
      | 'persistence'
      | 'policies'
      | 'requests'
      | 'runs'
      | 'settings'
      | 'stream'
      | 'thread'
    >,
  ) {}

  /** Notes that the provider accepted a call. */
  onAccepted(): void {
    this.#triedAt = undefined;
  }

  /** Runs a step that mends a refused request. A failure is emitted, because the caller may see only the refusal. */
  async repair<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      const code = (error as { readonly code?: unknown } | null | undefined)?.code ?? 'INTERNAL';
      const message = `The provider refused a request as too long, and it could not be made smaller: ${String(code)}. It is not sent again.`;
      this.pieces.stream.emit({ kind: 'warning', code: 'failed-after-refusal', message });
      throw error;
    }
  }

  async handle(error: unknown, signal: AbortSignal | undefined): Promise<OverflowVerdict> {
    const sent = this.pieces.requests.lastSent;
    const verdict = await this.#reactTo(error, sent, signal);
    if (verdict.overflow && (++this.#refusals > 1 || !verdict.retry)) this.#warn(verdict, sent);
    return verdict;
  }

  /** Warns about repeated or unmended refusals, which need a change of settings. A single mended refusal is no news. */
  #warn({ retry, reason }: OverflowVerdict, sent: SentRequest | undefined): void {
    const { gauge, stream } = this.pieces;
    const { window, usable, reserve } = gauge.budget;
    const held = sent ? ` The request held about ${sent.reading.tokens} tokens;` : '';
    const then = retry ? 'it is sent once more' : 'it is not sent again';
    stream.emit({
      kind: 'warning',
      code: 'refused-again',
      message: `The provider refused a request as too long (${this.#refusals} in this session; ${reason}; ${then}).${held} ${gauge.model ?? 'the model'} is believed to take ${usable} of ${window} tokens, ${reserve.output} kept for the answer. Set the real window (\`window\`, or \`models\`), ask for a smaller answer (\`max_tokens\`, \`maxOutputTokens\`), or send fewer tools.`,
    });
  }

  async #reactTo(
    error: unknown,
    sent: SentRequest | undefined,
    signal: AbortSignal | undefined,
  ): Promise<OverflowVerdict> {
    const { gauge, policies, audit, runs, thread } = this.pieces;
    const refusal = readOverflowOf(error, {
      own: this.pieces.format.provider?.overflows,
      request: () => jsonText(thread.projection.view.map(({ message }) => message.parts)),
    });
    if (!refusal) return this.#stripSignatures(error);
    const { overflow, doubt: mistrust } = refusal;
    const fits = mistrust === undefined;
    const request = sent && refusedRequest(sent);
    const doubt = mistrust ?? doubtOf(overflow, request);
    audit.add('overflow', undefined, { ...overflow, model: gauge.model, ...(doubt && { doubt }) });
    const { input = overflow.requested } = overflow;
    if (fits && sent && request && input !== undefined && isPlausible(overflow, request))
      gauge.observe({ inputTokens: input }, sent.reading, true);
    const before = gauge.learned;
    // If the request itself set the size of the answer, the refusal teaches nothing about it.
    const { output: reserved } = gauge.asked === undefined ? overflow : {};
    if (doubt === undefined)
      gauge.learn(limitsIn({ ...overflow, ...(reserved !== undefined && { reserved }) }));
    if (fits && request && limitOf(overflow) === undefined) {
      const peer = await this.pieces.persistence.peerLimit(gauge.model, request);
      // A single such refusal may have another cause, unless another thread was told a limit that the request exceeds.
      if (++this.#limitless > 1 || peer) gauge.learn(peer ?? limitBelow(request));
    }
    if (this.#triedAt === thread.appendedTokens) {
      const reason = 'refused again after it had been compacted';
      return { overflow: true, retry: false, reason, ...(await this.#publishLimits(before)) };
    }
    this.#triedAt = thread.appendedTokens;
    const size = thread.projection.size.tokens;
    const { pressure } = gauge.read(thread.projection);
    const trigger: Trigger = { kind: 'overflow', detail: 'the provider refused the request as too long' };
    // A refused request was full even if its reading is lower: the target is a share of that reading.
    const target = policies.current.target * Math.min(1, pressure);
    const run = await runs.compact(trigger, { target, refused: true, signal });
    if (run.kind === 'unreachable') this.#restoreLimits(before);
    const learned = await this.#publishLimits(before);
    const after = thread.projection.size.tokens;
    const gained = run.kind === 'committed' && after < size;
    const reason = gained ? `compacted from ${size} to ${after} tokens` : `nothing was gained: ${run.reason}`;
    return { overflow: true, retry: gained, reason, run, ...learned };
  }

  /**
   * Removes all signed reasoning if the provider refuses a signature: it would refuse each request that contains one.
   * A fork may bring reasoning signed over compactions that it lacks; a client may have changed earlier messages.
   */
  #stripSignatures(error: unknown): OverflowVerdict {
    if (!isSignatureRefusal(error) || !this.pieces.commits.stripRefused())
      return { overflow: false, retry: false, reason: 'the error is about something else' };
    const reason = 'signed reasoning was taken out: the provider refuses a signature of it';
    const message =
      'The provider refused a signature on reasoning. All signed reasoning of the session so far was taken out, and the request is sent once more.';
    this.pieces.stream.emit({ kind: 'warning', code: 'signature-refused', message });
    return { overflow: false, retry: true, reason };
  }

  /** Takes over the limits that a side session learned of a model. */
  onSideEvent(event: PressureEvent): void {
    if (event.kind !== 'limit-learned') return;
    this.pieces.gauge.learn(event.limits, event.model);
    void this.pieces.persistence.storeLimits(event.model, event.limits);
  }

  /** Restores the earlier limits: a limit below the floor would end the session, so the provider decides instead. */
  #restoreLimits(before: ProvenLimits): void {
    const { gauge } = this.pieces;
    gauge.forget();
    if (Object.keys(before).length > 0) gauge.learn(before);
  }

  /** Stores the learned limits, and emits them. */
  async #publishLimits(before: ProvenLimits): Promise<Pick<OverflowVerdict, 'learned'>> {
    const { gauge, audit, settings } = this.pieces;
    const [{ learned, model }, { window: statedWindow }] = [gauge, settings];
    if (isSame(before, learned)) return {};
    await this.pieces.persistence.storeLimits(model, learned);
    const isUnder =
      statedWindow !== null && (learned.contextWindow ?? learned.inputLimit ?? Infinity) < statedWindow;
    const budget = gauge.budget.tokens;
    audit.add('limit-learned', undefined, { model, ...learned, budget, statedWindow });
    this.pieces.stream.emit({ kind: 'limit-learned', model, limits: learned, budget });
    if (isUnder)
      this.pieces.stream.emit({
        kind: 'warning',
        code: 'limit-below-window',
        message: `The provider takes less than the window of ${statedWindow} tokens that the settings state: ${sentence(learned)}. Requests are kept below that; state the right window, or forget it with session.operator.forgetLimits() or spillway limits --forget.`,
      });
    return { learned };
  }
}

function refusedRequest({ reading, accepted }: SentRequest): RefusedRequest {
  const { reserve, window, usable } = reading.budget;
  const output = reserve.output || Math.max(0, Number.isFinite(window) ? window - usable : 0);
  return { tokens: reading.tokens, output, accepted };
}

const sentence = ({ contextWindow, inputLimit }: ProvenLimits): string =>
  [
    ...(contextWindow === undefined ? [] : [`a window of ${contextWindow}`]),
    ...(inputLimit === undefined ? [] : [`${inputLimit} of input`]),
  ].join(' and ');
