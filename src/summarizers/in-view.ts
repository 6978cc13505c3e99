import { speechesOf } from '../reading/index.js';
import type { IsPinned, LogMessage, ReadonlyLog } from '../transcript/index.js';
import type { Detail } from './detail.js';
import { quoteMessage } from './quote-message.js';

/** A task is named in fewer characters; what is longer is shown by head and tail. */
const SHOWN: Detail = { proseChars: 1_500, writtenChars: 600, resultChars: 300 };

/** Of the summarizer's window, what stays in view takes at most this. */
const WINDOW_SHARE = 0.03;

interface InViewRequest {
  readonly log: ReadonlyLog;
  /** Position of the first message of the span. */
  readonly from: number;
  readonly isPinned: IsPinned;
  readonly question: string;
  readonly redact: (text: string) => string;
  readonly count: (text: string) => number;
  /** Of the summarizer, in tokens. */
  readonly window: number;
}

/**
 * Messages that the reader of the record sees beside it, quoted: the first user message, where it is pinned, and that
 * of the user which the span begins behind, for it says what the span is about.
 */
export function inViewOf({ log, from, isPinned, question, redact, count, window }: InViewRequest): string[] {
  const rules = { question, redact, callOf: () => undefined, isRepeated: () => false };
  const quoted = (message: LogMessage): string =>
    quoteMessage(message, SHOWN, { ...rules, speechesOf: (one) => speechesOf(one) });
  const first = log.firstUser;
  const before = from > log.exchanges[0]!.seqs[0]! ? log.at(from - 1) : undefined;
  const asked = before?.role === 'user' && before !== first ? before : undefined;
  return [...(first && isPinned(first) ? [first] : []), ...(asked ? [asked] : [])]
    .map(quoted)
    .filter((text) => text !== '' && count(text) <= WINDOW_SHARE * window);
}
