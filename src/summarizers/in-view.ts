import type { IsPinned, LogMessage, ReadonlyLog } from '../transcript/index.js';
import { attribute, escaped, middleCut } from './quote.js';

/** A task is named in fewer; what is longer is shown by head and tail. In characters. */
const SHOWN_CHARS = 1_500;

/** Of the summarizer's window, what stays in view takes at most this. */
const WINDOW_SHARE = 0.03;

export interface InViewRequest {
  readonly log: ReadonlyLog;
  readonly isPinned: IsPinned;
  readonly redact: (text: string) => string;
  readonly count: (text: string) => number;
  /** Of the summarizer, in tokens. */
  readonly window: number;
}

/** Messages that the reader of the record sees beside it, quoted: the first user message, where it is pinned. */
export function inViewOf({ log, isPinned, redact, count, window }: InViewRequest): string[] {
  const first = log.firstUser;
  if (!first || !isPinned(first)) return [];
  const words = wordsOf(first);
  if (words === '') return [];
  const quoted = `<message id="${attribute(first.id)}" role="user" from="${first.origin}">\n${escaped(middleCut(redact(words), SHOWN_CHARS))}\n</message>`;
  return count(quoted) <= WINDOW_SHARE * window ? [quoted] : [];
}

function wordsOf({ parts }: LogMessage): string {
  return parts
    .flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text] : []))
    .join('\n');
}
