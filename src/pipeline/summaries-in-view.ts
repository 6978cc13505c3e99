import { isDigest } from '../text/digest/index.js';
import type { TranscriptView, ViewExchange } from '../spi/index.js';
import { textOf, type Message } from '../transcript/index.js';

/** A text that stands in a view for a span: a digest, or what a model wrote. */
export interface SummaryInView {
  readonly exchange: ViewExchange;
  /** Its index in `exchange.messages`: the others are pins inside its span. */
  readonly at: number;
  /** Its own, without those pins. */
  readonly tokens: number;
  /** Messages of the log that it stands for. */
  readonly length: number;
  /** What the model that wrote it was given, in tokens; absent for a digest. */
  readonly room?: number;
}

/** All of them, in order. */
export function summariesInView({ exchanges }: TranscriptView): SummaryInView[] {
  return exchanges.flatMap((exchange): SummaryInView[] => {
    const { kind, protection, messages, from, to } = exchange;
    if (kind !== 'replacement' || protection) return [];
    const at = messages.findIndex(({ message }) => isWritten(message) || isDrawn(message));
    if (at < 0) return [];
    const { message, size } = messages[at]!;
    const { tokens } = size;
    const room = isWritten(message) ? { room: message.room ?? tokens } : {};
    return [{ exchange, at, tokens, length: to - from + 1, ...room }];
  });
}

/** What all of them take together, with what is carried beside them. */
export function standingTokens(view: TranscriptView): number {
  return summariesInView(view).reduce((sum, { exchange }) => sum + exchange.tokens, 0);
}

/** Pins are messages of the log, and none of these. */
const isWritten = ({ generation, origin }: Message): boolean =>
  generation !== undefined && origin === 'synthetic';

const isDrawn = ({ label, parts }: Message): boolean =>
  (label === 'summary' || label === 'notice') && isDigest(parts.map(textOf).join('\n'));
