import type { Summarizer, SummaryAnswer, SummaryRequest } from '../spi/index.js';
import type { PriceOf } from '../tokens/index.js';
import type { CallUsage, ModelCall } from '../transcript/index.js';
import { BreakerOpen, type Breakers } from './breaker.js';
import { settledOrAborted } from './each.js';
import { countsForBreaker, failureOf, InOtherLanguage, Refused } from './fault.js';
import { judgeAnswer } from './gate.js';

export interface CallParts {
  readonly summarizer: Summarizer;
  readonly breakers: Breakers;
  readonly deadlineMs: number;
  readonly count: (text: string) => number;
  readonly timer: () => number;
  readonly priceOf: PriceOf;
  /** Told of every call that was made, as soon as it is over. */
  readonly onCall: (call: ModelCall) => void;
}

interface CallRequest {
  readonly request: SummaryRequest;
  readonly sourceTokens: number;
  /** The answer is to be in the request's language. */
  readonly checksLanguage?: boolean;
  readonly signal: AbortSignal;
  /** What the record says of it. */
  readonly about: Pick<ModelCall, 'prompt' | 'handle' | 'chunk' | 'attempt'>;
}

export interface Bought {
  readonly text: string;
  readonly model: string;
  /** It said more than it may, and ends early. */
  readonly isCut: boolean;
}

/** One call, through its breaker and the gate, on record whatever comes of it. Rejects where no text came of it. */
export async function callOnce(
  parts: CallParts,
  { request, sourceTokens, checksLanguage = false, signal, about }: CallRequest,
): Promise<Bought> {
  const { summarizer, breakers, deadlineMs, count, timer, priceOf, onCall } = parts;
  const started = timer();
  let usage: CallUsage | undefined;
  let model: string | undefined;
  let repairs: readonly string[] = [];
  const record = (outcome: ModelCall['outcome'], reason?: string): void =>
    onCall({
      summarizer: summarizer.name,
      endpoint: summarizer.endpoint,
      ...about,
      outcome,
      ...(model !== undefined && { model }),
      ...(reason !== undefined && { reason }),
      ...(usage && { usage }),
      cost: usage && model !== undefined ? priceOf(model, usage) : null,
      durationMs: timer() - started,
    });

  const call = async (): Promise<Bought> => {
    // In an async function, so that a summarizer that throws at once rejects.
    const asked = (async () => summarizer.summarize(request, signal))();
    const answer = await settledOrAborted(asked, signal);
    usage = usageOf(answer?.usage);
    model = typeof answer?.model === 'string' ? answer.model : summarizer.name;
    const { maxTokens, prompt, instruction, source } = request;
    const sent = { prompts: [prompt, instruction], source };
    const language = checksLanguage ? request.language : undefined;
    const verdict = judgeAnswer({ answer, maxTokens, sourceTokens, count, language, sent });
    if (!verdict.ok) throw new (verdict.isInOtherLanguage ? InOtherLanguage : Refused)(verdict.reason);
    repairs = verdict.repairs;
    return { text: verdict.text, model, isCut: verdict.isCut };
  };
  try {
    const breaker = breakers.for(summarizer.endpoint, about.prompt);
    const bought = await breaker.run(call, (error) => countsForBreaker(error, timer() - started, deadlineMs));
    record('filled', repairs.length > 0 ? repairs.join('; ') : undefined);
    return bought;
  } catch (error) {
    if (error instanceof BreakerOpen) throw error; // no call was made
    const { outcome, reason } = failureOf(error);
    record(outcome, reason);
    throw error;
  }
}

/** A count that is none of a natural number is not known, and counts nothing. */
function usageOf(usage: SummaryAnswer['usage']): CallUsage | undefined {
  if (!usage) return undefined;
  const natural = (count: number | undefined): number =>
    typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : 0;
  return {
    inputTokens: natural(usage.inputTokens),
    cacheReadTokens: natural(usage.cacheReadTokens),
    cacheWriteTokens: natural(usage.cacheWriteTokens),
    outputTokens: natural(usage.outputTokens),
  };
}
