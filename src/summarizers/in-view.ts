import { speechesOf } from '../reading/index.js';
import type { IsPinned, ReadonlyLog } from '../transcript/index.js';
import type { Detail } from './detail.js';
import { quoteMessage } from './quote-message.js';

/** A task is named in fewer characters; what is longer is shown by head and tail. */
const SHOWN: Detail = { proseChars: 1_500, writtenChars: 600, resultChars: 300 };

/** Of the summarizer's window, what stays in view takes at most this. */
const WINDOW_SHARE = 0.03;

export interface InViewRequest {
  readonly log: ReadonlyLog;
  readonly isPinned: IsPinned;
  readonly question: string;
  readonly redact: (text: string) => string;
  readonly count: (text: string) => number;
  /** Of the summarizer, in tokens. */
  readonly window: number;
}

/** Messages that the reader of the record sees beside it, quoted: the first user message, where it is pinned. */
export function inViewOf({ log, isPinned, question, redact, count, window }: InViewRequest): string[] {
  const first = log.firstUser;
  if (!first || !isPinned(first)) return [];
  const rules = { question, redact, callOf: () => undefined, isRepeated: () => false };
  const quoted = quoteMessage(first, SHOWN, { ...rules, speechesOf: (message) => speechesOf(message) });
  return quoted !== '' && count(quoted) <= WINDOW_SHARE * window ? [quoted] : [];
}
