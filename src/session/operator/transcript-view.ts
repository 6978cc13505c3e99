import type { EditMark, Message } from '../../transcript/index.js';
import type { Disposition } from './explain.js';
import type { Thread } from '../thread.js';

/** One message as an operator sees it. */
export interface TranscriptEntry {
  readonly message: Message;
  /** `summary`: stands for others. `rolled-back`: no longer part of the log. */
  readonly status: Disposition['status'] | 'summary' | 'rolled-back';
  readonly by?: EditMark;
}

/**
 * The view in its order; with superseded messages, each stands before what took its place, and what was rolled back
 * comes last. A message that stands changed is shown as it was written where superseded ones are shown, else as sent.
 */
export function transcriptOf(
  { log, projection }: Thread,
  dispositions: readonly Disposition[],
  includeSuperseded: boolean,
): readonly TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  let next = 0;
  const originalsUpTo = (end: number): void => {
    for (; next < end; next++) {
      const { status, by } = dispositions[next]!;
      if (status === 'superseded') entries.push({ message: log.at(next), status, ...(by && { by }) });
    }
  };
  for (const shown of projection.view) {
    if (includeSuperseded) originalsUpTo(shown.source ? shown.from : shown.to + 1);
    if (shown.source) {
      const { status, by } = dispositions[shown.from]!;
      const message = includeSuperseded ? shown.source : shown.message;
      entries.push({ message, status, ...(by && { by }) });
    } else entries.push({ message: shown.message, status: 'summary', ...(shown.made && { by: shown.made }) });
  }
  if (!includeSuperseded) return entries;
  originalsUpTo(log.length);
  for (const { message } of log.left) entries.push({ message, status: 'rolled-back' });
  return entries;
}
