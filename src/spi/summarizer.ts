import type { Usage } from '../tokens/index.js';

/** What is asked of a summarizer: one text, at most so long, about quoted source. Never a tool. */
export interface SummaryRequest {
  /** System text: who the summarizer is and what it writes. */
  readonly prompt: string;
  /** What to do with this source. */
  readonly instruction: string;
  /** Transcript quoted as data, with who said what; one piece after the other. */
  readonly source: readonly string[];
  /** Most tokens of the answer. */
  readonly maxTokens: number;
  /** Language to write in, by its English name (`German`), or in words that say which. */
  readonly language?: string;
  /** The summary so far, where this source continues an earlier piece. */
  readonly previous?: string;
  /** The agent's own plan as it stood at the end of the whole source; only with its last piece. Quoted, as the source is. */
  readonly todos?: string;
  /** Messages that the summary's reader sees beside it, so that it need not repeat them. Quoted, as the source is. */
  readonly inView?: readonly string[];
  /**
   * The newest messages, which come after the whole source and stay in view; only with its last piece. What they settle,
   * the summary does not call open. Quoted, as the source is.
   */
  readonly newest?: readonly string[];
  /** What the operator and plugins add, a fact a line: the current branch, the current goal. Quoted, as the source is. */
  readonly extraLines?: readonly string[];
}

/** What lines to add are asked for. */
export interface LinesRequest {
  /** Stops being waited for when it aborts. */
  readonly signal: AbortSignal;
}

/** Lines for every request of a summarizer, or what gives them each time that slots are filled. May throw: then there are none. */
export type SummaryLines =
  readonly string[] | ((request: LinesRequest) => readonly string[] | Promise<readonly string[]>);

/** What a summarizer came back with, and what of it the gate judges before it stands in any transcript. */
export interface SummaryAnswer {
  readonly text: string;
  /** As the provider said it: `stop`, `length`, `content-filter`, `tool-calls`, `error`, … */
  readonly finishReason: string;
  readonly usage?: Usage;
  /** The model that answered. */
  readonly model?: string;
  /** Calls of tools that it made although it was offered none. */
  readonly toolCalls?: number;
  /** What it thought aloud apart from the text. */
  readonly reasoning?: string;
}

/** Writes better text for a slot than the deterministic one. May throw, lie and never settle: the gate and the breaker are for that. */
export interface Summarizer {
  readonly name: string;
  /** What fails together: one breaker guards it. For a model, its address and name. */
  readonly endpoint: string;
  /** Tokens its model reads and writes in one call; 128,000 where absent. */
  readonly window?: number;
  /** Most tokens its model writes in one answer; where absent nobody knows. */
  readonly outputLimit?: number;
  /** Must stop when the signal aborts. */
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer>;
}

/** Why a call of a summarizer failed, where it knows. Anything else that it throws counts as `endpoint`. */
export type SummarizerFault =
  /** The endpoint failed: it counts for its breaker. */
  | 'endpoint'
  /** The source was longer than the model reads: shorter may do. */
  | 'too-long'
  /** Wrong key, wrong address, unknown model: trying again changes nothing. */
  | 'caller';

/**
 * Thrown by a summarizer that knows why it failed: `fault` decides whether its breaker counts it and whether less is
 * tried.
 */
export class SummarizerError extends Error {
  readonly fault: SummarizerFault;

  constructor(fault: SummarizerFault, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'SummarizerError';
    this.fault = fault;
  }
}
