import { SpillwayError } from '../errors/index.js';
import type { ThreadHead, ThreadWrite } from '../spi/index.js';

/** Closed by its owner: asking again cannot help. */
export function closedFault(store: string): SpillwayError {
  return new SpillwayError('STORE_FAILED', {
    subject: store,
    found: 'a store that was closed',
    remedy: 'Open it again.',
  });
}

/** What was read is not what was written. `found` never quotes it: it may be anything. */
export function damaged(subject: string, found: string, cause?: unknown): SpillwayError {
  return new SpillwayError('STORE_DAMAGED', {
    subject,
    found,
    remedy: 'Restore it from a copy, or save what is left (for SQLite: `sqlite3 FILE .recover`).',
    cause,
  });
}

/** Throws where the messages of a write would not stand behind the log's end, or two of them share an id. */
export function checkWrite(expected: ThreadHead, { messages = [] }: ThreadWrite): void {
  const wrong = messages.findIndex(({ seq }, i) => seq !== expected.messages + i);
  if (wrong >= 0) {
    throw new SpillwayError('STORE_FAILED', {
      subject: 'seq of a message to store',
      found: messages[wrong]!.seq,
      allowed: String(expected.messages + wrong),
      remedy: 'Write messages in the order of the log, behind its end.',
    });
  }
  const ids = new Set<string>();
  for (const { id } of messages) {
    if (ids.has(id)) throw idTaken(id);
    ids.add(id);
  }
}

export function idTaken(id: string | undefined, cause?: unknown): SpillwayError {
  return new SpillwayError('MESSAGE_ID_TAKEN', {
    subject: 'message id',
    ...(id !== undefined && { found: id }),
    remedy: 'Give every message of a thread its own id.',
    cause,
  });
}

/** The head after a write that was made on `expected`. */
export function headAfter(expected: ThreadHead, write: ThreadWrite): ThreadHead {
  return {
    messages: expected.messages + (write.messages?.length ?? 0),
    entries: expected.entries + (write.entries?.length ?? 0),
  };
}
