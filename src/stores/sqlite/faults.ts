import { faultIn, type KnownFault } from '../fault.js';
import type { Dialect } from '../sql/index.js';

/** SQLite's primary codes by number, as far as this module distinguishes them. */
const PRIMARY: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

/** The name of an error's code. libsql does not name recent extended codes: the low byte is the primary code. */
function codeOf(error: unknown): string {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  const unnamed = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code);
  return unnamed ? (PRIMARY[Number(unnamed[1]) & 0xff] ?? code) : code;
}

const messageOf = (error: unknown): string => String((error as Error | null)?.message ?? error);

const BUSY = /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/;
const FULL = /^SQLITE_FULL/;

/** Another process has locked the file. */
export const isBusy = (error: unknown): boolean => BUSY.test(codeOf(error));
/** No room on the disk, or within the configured limit. */
export const isFull = (error: unknown): boolean => FULL.test(codeOf(error));
/** The file, or one of SQLite's files next to it, could not be opened. */
export const isUnopenable = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_CANTOPEN');

const UNREADABLE = 'Look at the disk and at what else uses the file.';
const DAMAGED = 'Restore it from a copy, or save what is left with `sqlite3 FILE .recover`.';
const FAULTS: readonly KnownFault[] = [
  [BUSY, 'STORE_FAILED', 'Another process holds the file: wait for it, or stop it.', 'retryable'],
  [FULL, 'STORE_FULL', 'Make room on the disk; nothing was changed.', 'retryable'],
  [/^SQLITE_(?:READONLY|PERM|AUTH)/, 'STORE_DENIED', 'Let this user write to the file and to its folder.'],
  [/^SQLITE_(?:CORRUPT|NOTADB)/, 'STORE_DAMAGED', DAMAGED],
  [/^SQLITE_(?:CANTOPEN|IOERR)/, 'STORE_FAILED', UNREADABLE, 'retryable'],
];

/** SQLite's errors, with a remedy for the operator. */
export const dialectOf = (store: string): Dialect => ({
  kind: 'sqlite',
  faultOf: (error) => faultIn(FAULTS, codeOf(error), { store, found: messageOf(error), cause: error }),
  isTransient: isBusy,
  isMissingTable: (error) => messageOf(error).startsWith('no such table'),
  isTaken: (error) => / already exists$|^duplicate column name/.test(messageOf(error)),
  isIdTaken: (error) => breaks(error, 'spillway_message.id_key'),
  isEventTaken: (error) => breaks(error, 'spillway_event.event_key'),
});

const breaks = (error: unknown, column: string): boolean =>
  codeOf(error).startsWith('SQLITE_CONSTRAINT') && messageOf(error).includes(column);
