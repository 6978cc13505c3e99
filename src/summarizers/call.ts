import { setMaxListeners } from 'node:events';
import { COUNT } from '../errors/index.js';
import { SummarizerError, type Summarizer, type SummaryAnswer, type SummaryRequest } from '../spi/index.js';
import { oneLine } from '../text/reading/index.js';
import type { PriceOf } from '../tokens/index.js';
import type { CallUsage, ModelCall } from '../transcript/index.js';
import { BreakerOpen, type Breakers } from './breaker.js';
import { judgeAnswer } from './gate.js';

/** The gate did not let an answer through. */
export class Refused extends Error {}

/** The answer is in another language than the request asks for. */
export class InOtherLanguage extends Refused {}

/** Why a signal aborts. */
class Late extends Error {}
class Cancelled extends Error {}

interface Failure {
  readonly outcome: Exclude<ModelCall['outcome'], 'filled'>;
  /** Our own words, or those of a summarizer's author: an endpoint's own error text reaches no record or transcript. */
  readonly reason: string;
}

/** The longest reason from a summarizer's author; in characters. */
const MAX_REASON_CHARS = 200;

/** An error as the record reports it. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refused) return { outcome: 'refused', reason: `the answer ${error.message}` };
  if (error instanceof Late) return { outcome: 'late', reason: 'the deadline passed' };
  if (error instanceof Cancelled) return { outcome: 'cancelled', reason: 'cancelled by the caller' };
  if (error instanceof BreakerOpen || error instanceof SummarizerError)
    return { outcome: 'failed', reason: oneLine(error.message, MAX_REASON_CHARS) };
  return { outcome: 'failed', reason: 'the summarizer threw' };
}

/** Whether a summarizer reports this cause for an error. */
export const isFault = (error: unknown, fault: SummarizerError['fault']): boolean =>
  error instanceof SummarizerError && error.fault === fault;

/** The promise's result, or the signal's reason as soon as it aborts; the promise's later result is ignored. */
export function settledOrAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Runs `work` with its own signal, which aborts with the outer signal or at the deadline, with the matching reason. */
export async function underDeadline<Result>(
  deadlineMs: number | undefined,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController();
  // Every call of a run listens to one signal; node reports more than ten listeners as a leak.
  setMaxListeners(0, own.signal);
  const timer = deadlineMs === undefined ? undefined : setTimeout(() => own.abort(new Late()), deadlineMs);
  const cancel = (): void => own.abort(outer!.reason instanceof Late ? outer!.reason : new Cancelled());
  if (outer?.aborted) cancel();
  outer?.addEventListener('abort', cancel, { once: true });
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', cancel);
  }
}

/** Runs a limited number of works at the same time; the others wait in order. */
export type Turnstile = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function turnstile(atOnce: number): Turnstile {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

export interface CallParts {
  readonly summarizer: Summarizer;
  readonly breakers: Breakers;
  readonly deadlineMs: number;
  readonly count: (text: string) => number;
  readonly timer: () => number;
  readonly priceOf: PriceOf;
  /** Called after every call that was made. */
  readonly onCall: (call: ModelCall) => void;
}

interface CallRequest {
  readonly request: SummaryRequest;
  readonly sourceTokens: number;
  /** Whether the answer must be in the request's language. */
  readonly checksLanguage?: boolean;
  readonly signal: AbortSignal;
  /** The call's description for the record. */
  readonly labels: Pick<ModelCall, 'prompt' | 'handle' | 'chunk' | 'attempt'>;
}

export interface AcceptedAnswer {
  readonly text: string;
  readonly model: string;
  /** Whether the text was longer than allowed and was cut. */
  readonly isCut: boolean;
}

/** One call, through its breaker and the gate, recorded with any outcome. Rejects if the call gives no text. */
export async function callOnce(
  { summarizer, breakers, deadlineMs, count, timer, priceOf, onCall }: CallParts,
  { request, sourceTokens, checksLanguage = false, signal, labels }: CallRequest,
): Promise<AcceptedAnswer> {
  const started = timer();
  let usage: CallUsage | undefined;
  let model: string | undefined;
  let repairs: readonly string[] = [];
  const record = (outcome: ModelCall['outcome'], reason?: string): void =>
    onCall({
      summarizer: summarizer.name,
      endpoint: summarizer.endpoint,
      ...labels,
      outcome,
      ...(model !== undefined && { model }),
      ...(reason !== undefined && { reason }),
      ...(usage && { usage }),
      cost: usage && model !== undefined ? priceOf(model, usage) : null,
      durationMs: timer() - started,
    });

  const call = async (): Promise<AcceptedAnswer> => {
    // An async function, so that a summarizer that throws synchronously rejects.
    const asked = (async () => summarizer.summarize(request, signal))();
    const answer = await settledOrAborted(asked, signal);
    usage = usageOf(answer?.usage);
    model = typeof answer?.model === 'string' ? answer.model : summarizer.name;
    const { maxTokens, prompt, instruction, source, language } = request;
    const verdict = judgeAnswer({
      answer,
      maxTokens,
      sourceTokens,
      count,
      language: checksLanguage ? language : undefined,
      sent: { prompts: [prompt, instruction], source },
    });
    if (!verdict.ok) throw new (verdict.isInOtherLanguage ? InOtherLanguage : Refused)(verdict.reason);
    repairs = verdict.repairs;
    return { text: verdict.text, model, isCut: verdict.isCut };
  };
  // A call that had less than half the deadline had no fair chance, so its lateness does not count.
  const isEndpointFault = (error: unknown): boolean => {
    if (error instanceof Cancelled) return false;
    if (error instanceof Late) return timer() - started >= deadlineMs / 2;
    return !(error instanceof SummarizerError) || error.fault === 'endpoint';
  };
  try {
    const bought = await breakers.run(summarizer.endpoint, labels.prompt, call, isEndpointFault);
    record('filled', repairs.length > 0 ? repairs.join('; ') : undefined);
    return bought;
  } catch (error) {
    if (error instanceof BreakerOpen) throw error; // no call was made
    const { outcome, reason } = failureOf(error);
    record(outcome, reason);
    throw error;
  }
}

/** The usage of an answer; a value that is no count of tokens counts as 0. */
function usageOf(usage: SummaryAnswer['usage']): CallUsage | undefined {
  if (!usage) return undefined;
  const natural = (count: number | undefined): number => (COUNT.is(count) ? count! : 0);
  return {
    inputTokens: natural(usage.inputTokens),
    cacheReadTokens: natural(usage.cacheReadTokens),
    cacheWriteTokens: natural(usage.cacheWriteTokens),
    outputTokens: natural(usage.outputTokens),
  };
}
