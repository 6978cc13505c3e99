import { idTaken, SpillwayError, type ErrorCode } from '../errors/index.js';
import type { ThreadHead, ThreadWrite } from '../spi/index.js';

/** A driver's codes with the error, the remedy for the operator, and whether a retry may help. */
export type KnownFault = readonly [codes: RegExp, code: ErrorCode, remedy: string, again?: 'retryable'];

/** The error for a driver's code: the first match in `known`; `found` is the driver's message. */
export function faultIn(
  known: readonly KnownFault[],
  code: string,
  { store, found, cause }: { readonly store: string; readonly found: string; readonly cause: unknown },
): SpillwayError {
  const [, storeCode, remedy, again] = known.find(([codes]) => codes.test(code)) ?? [];
  return new SpillwayError(storeCode ?? 'STORE_FAILED', {
    subject: store,
    found,
    cause,
    remedy: remedy ?? 'Nothing was changed; the cause says more.',
    retryable: again === 'retryable',
  });
}

/** The error of a store that its owner closed: a retry cannot help. */
export function closedFault(store: string): SpillwayError {
  return new SpillwayError('STORE_FAILED', {
    subject: store,
    found: 'a store that was closed',
    remedy: 'Open it again.',
  });
}

/** The error for stored content that differs from what was written. `found` never quotes the content. */
export function damaged(subject: string, found: string, cause?: unknown): SpillwayError {
  return new SpillwayError('STORE_DAMAGED', {
    subject,
    found,
    remedy: 'Restore it from a copy, or save what is left (for SQLite: `sqlite3 FILE .recover`).',
    cause,
  });
}

/** Throws if the messages of a write do not continue the log at its end, or if two of them share an id. */
export function checkWrite(expected: ThreadHead, { messages = [] }: ThreadWrite): void {
  const ids = new Set<string>();
  for (const [i, { seq, id }] of messages.entries()) {
    if (seq !== expected.messages + i)
      throw new SpillwayError('STORE_FAILED', {
        subject: 'seq of a message to store',
        found: seq,
        allowed: String(expected.messages + i),
        remedy: 'Write messages in the order of the log, after its end.',
      });
    if (ids.has(id)) throw idTaken(id);
    ids.add(id);
  }
}

/** An event with this id is already stored: the note came late, and must not count again. */
export function alreadyStored(store: string, cause?: unknown): SpillwayError {
  return new SpillwayError('STORE_FAILED', {
    subject: store,
    found: 'an event that is stored already',
    remedy: 'Look it up by its id before you report it again. Nothing was changed.',
    facts: { outcome: 'unknown' },
    retryable: true,
    cause,
  });
}

/** The head after a write on top of `expected`. */
export function headAfter(expected: ThreadHead, write: ThreadWrite): ThreadHead {
  return {
    messages: expected.messages + (write.messages?.length ?? 0),
    entries: expected.entries + (write.entries?.length ?? 0),
  };
}

/**
 * A URL that may be shown: without user, password and options. A password may contain signs that its owner did not
 * encode, so everything up to the last @ is removed, or all of it if an option may also contain an @.
 */
export function safeUrl(url: string): string {
  const start = /^[a-z][a-z\d+.-]*:(\/\/)?/i.exec(url)?.[0] ?? '';
  const rest = url.slice(start.length);
  const options = rest.search(/[?#]/);
  const lastAt = rest.lastIndexOf('@');
  if (options >= 0 && lastAt > options) return `${start}...`;
  return start + rest.slice(lastAt + 1, options < 0 ? undefined : options);
}
