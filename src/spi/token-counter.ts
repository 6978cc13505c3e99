import type { Message, MessageSize } from '../transcript/index.js';

/** Counts text for one model family. Must be pure, total (never throw) and linear in the text. */
export interface TokenCounter {
  /** e.g. `o200k_base`, `heuristic` */
  readonly name: string;
  /** Whether counts are the provider's own (a public tokenizer) or an estimate. */
  readonly exact: boolean;
  /** Tokens of a text; 0 for the empty text. */
  count(text: string): number;
}

/** Measures whole messages: text, calls, results, files, and the overhead a provider adds per message. */
export type MeasureMessage = (message: Message) => MessageSize;
