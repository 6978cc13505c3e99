import { idTaken, SpillwayError, type ErrorCode } from '../errors/index.js';
import type { ThreadHead, ThreadWrite } from '../spi/index.js';

/** What codes of a driver mean to somebody who has to mend it, and whether asking again may help. */
export type KnownFault = readonly [codes: RegExp, code: ErrorCode, remedy: string, again?: 'retryable'];

/** The first of `known` that a driver's code is one of; `found` is what the driver said. */
export function faultIn(
  known: readonly KnownFault[],
  code: string,
  { store, found, cause }: { readonly store: string; readonly found: string; readonly cause: unknown },
): SpillwayError {
  const [, meant, remedy, again] = known.find(([codes]) => codes.test(code)) ?? [];
  return new SpillwayError(meant ?? 'STORE_FAILED', {
    subject: store,
    found,
    cause,
    remedy: remedy ?? 'Nothing was changed; the cause says more.',
    retryable: again === 'retryable',
  });
}

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
  const ids = new Set<string>();
  for (const [i, { seq, id }] of messages.entries()) {
    if (seq !== expected.messages + i)
      throw new SpillwayError('STORE_FAILED', {
        subject: 'seq of a message to store',
        found: seq,
        allowed: String(expected.messages + i),
        remedy: 'Write messages in the order of the log, behind its end.',
      });
    if (ids.has(id)) throw idTaken(id);
    ids.add(id);
  }
}

/** An event of that name stands already: what was told with it came late, and may count nothing again. */
export function toldAlready(store: string, cause?: unknown): SpillwayError {
  return new SpillwayError('STORE_FAILED', {
    subject: store,
    found: 'an event that is stored already',
    remedy: 'Ask for it by its id before it is told again; nothing was changed.',
    facts: { outcome: 'unknown' },
    retryable: true,
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

/**
 * A URL as it may be shown: without user, password and options. A password may hold signs that its owner did not encode,
 * so everything up to the last @ goes, and all of it where an option may hold an @ too.
 */
export function safeUrl(url: string): string {
  const start = /^[a-z][a-z\d+.-]*:(\/\/)?/i.exec(url)?.[0] ?? '';
  const rest = url.slice(start.length);
  const options = rest.search(/[?#]/);
  const lastAt = rest.lastIndexOf('@');
  if (options >= 0 && lastAt > options) return `${start}...`;
  return start + rest.slice(lastAt + 1, options < 0 ? undefined : options);
}
