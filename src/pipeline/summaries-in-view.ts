import { isDigest } from '../text/digest/index.js';
import type { TranscriptView, ViewExchange } from '../spi/index.js';
import { textOf, type Message } from '../transcript/index.js';

/** A text in the view that replaces a span: a digest, or a model's summary. */
export interface SummaryInView {
  readonly exchange: ViewExchange;
  /** Index of the text in `exchange.messages`; the other messages are carried next to it. */
  readonly at: number;
  /** Tokens of the text alone, without the other messages. */
  readonly tokens: number;
  /** Number of log messages that the text replaces. */
  readonly length: number;
  /** Tokens that the model was allowed for the text; absent for a digest. */
  readonly room?: number;
}

/** All summaries of a view, in order. */
export function summariesInView({ exchanges }: TranscriptView): SummaryInView[] {
  return exchanges.flatMap((exchange): SummaryInView[] => {
    const { kind, protection, messages, from, to } = exchange;
    if (kind !== 'replacement' || protection) return [];
    const at = messages.findIndex(({ message }) => isModelSummary(message) || isDigestMessage(message));
    if (at < 0) return [];
    const { message, size } = messages[at]!;
    const { tokens } = size;
    const room = isModelSummary(message) ? { room: message.room ?? tokens } : {};
    return [{ exchange, at, tokens, length: to - from + 1, ...room }];
  });
}

/** Tokens of all summaries together, including the messages that are carried next to them. */
export function summaryTokens(view: TranscriptView): number {
  return summariesInView(view).reduce((sum, { exchange }) => sum + exchange.tokens, 0);
}

/** A pin in view is a message of the log, never a summary of ours. */
const isModelSummary = ({ generation, origin }: Message): boolean =>
  generation !== undefined && origin === 'synthetic';

const isDigestMessage = ({ label, parts }: Message): boolean =>
  (label === 'summary' || label === 'notice') && isDigest(parts.map(textOf).join('\n'));
