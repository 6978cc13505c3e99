import type { Usage } from '../tokens/index.js';

/** A request to a summarizer: one text of limited length about quoted source. Never with tools. */
export interface SummaryRequest {
  /** System text: the role of the summarizer and the kind of text. */
  readonly prompt: string;
  /** The instruction for this source. */
  readonly instruction: string;
  /** The transcript, quoted as data with its speakers; a list of consecutive pieces. */
  readonly source: readonly string[];
  /** Most tokens of the answer. */
  readonly maxTokens: number;
  /** Language of the text, by its English name (`German`) or described in words. */
  readonly language?: string;
  /** The summary so far, if this source continues an earlier piece. */
  readonly previous?: string;
  /** The agent's own plan at the end of the whole source; only with its last piece. Quoted, as the source is. */
  readonly todos?: string;
  /** Messages that remain in view next to the summary, so that it need not repeat them. Quoted, as the source is. */
  readonly inView?: readonly string[];
  /**
   * The newest messages, which follow the whole source and stay in view; only with its last piece. The summary must not
   * call open what they settle. Quoted, as the source is.
   */
  readonly newest?: readonly string[];
  /** Facts from operator and plugins, one per line: the current branch, the current goal. Quoted, as the source is. */
  readonly extraLines?: readonly string[];
}

/** The request for extra lines. */
export interface LinesRequest {
  /** When it aborts, the session no longer waits. */
  readonly signal: AbortSignal;
}

/** Lines for every request, or a function, called each time slots are filled. If it throws, there are no lines. */
export type SummaryLines =
  readonly string[] | ((request: LinesRequest) => readonly string[] | Promise<readonly string[]>);

/** A summarizer's answer, with what the gate checks before the text enters a transcript. */
export interface SummaryAnswer {
  readonly text: string;
  /** The provider's value: `stop`, `length`, `content-filter`, `tool-calls`, `error`, … */
  readonly finishReason: string;
  readonly usage?: Usage;
  /** The model that answered. */
  readonly model?: string;
  /** Number of tool calls, although the request offered no tools. */
  readonly toolCalls?: number;
  /** The model's reasoning outside of the text. */
  readonly reasoning?: string;
}

/** Writes better text for a slot than the deterministic text. The gate and breaker handle errors, lies and hangs. */
export interface Summarizer {
  readonly name: string;
  /** Name of the unit that fails as a whole and shares one breaker. For a model, its address and name. */
  readonly endpoint: string;
  /** Tokens that its model reads and writes in one call; 128,000 if absent. */
  readonly window?: number;
  /** Most tokens that its model writes in one answer; absent if unknown. */
  readonly outputLimit?: number;
  /** Must stop when the signal aborts. */
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer>;
}

/** Why a call of a summarizer failed, if the summarizer knows. Any other exception counts as `endpoint`. */
export type SummarizerFault =
  /** The endpoint failed: its breaker counts it. */
  | 'endpoint'
  /** The source was too long for the model: a shorter one may work. */
  | 'too-long'
  /** Wrong key, wrong address, unknown model: another try fails too. */
  | 'caller';

/**
 * Thrown by a summarizer that knows the cause: `fault` decides whether its breaker counts the failure and whether a
 * shorter source is tried.
 */
export class SummarizerError extends Error {
  readonly fault: SummarizerFault;

  constructor(fault: SummarizerFault, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'SummarizerError';
    this.fault = fault;
  }
}
