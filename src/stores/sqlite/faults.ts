import { SpillwayError } from '../../errors/index.js';

/** SQLite's primary codes by number, as far as they are told apart here. */
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

/** libsql names no extended code that is younger than its list: the low byte is the primary one. */
function codeOf(error: unknown): string {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  const unnamed = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code);
  return unnamed ? (PRIMARY[Number(unnamed[1]) & 0xff] ?? code) : code;
}

const messageOf = (error: unknown): string => String((error as Error | null)?.message ?? error);

/** Another process holds the file. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(codeOf(error));
}

/** No room on the disk, or within the bound that was set. */
export function isFull(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_FULL');
}

/** The file, or what SQLite keeps beside it, could not be opened. */
export function isUnopenable(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_CANTOPEN');
}

export function isMissingTable(error: unknown): boolean {
  return messageOf(error).startsWith('no such table');
}

export function isTaken(error: unknown): boolean {
  return messageOf(error).endsWith(' already exists');
}

export function isIdTaken(error: unknown): boolean {
  return (
    codeOf(error).startsWith('SQLITE_CONSTRAINT') && messageOf(error).includes('spillway_message.id_key')
  );
}

/** What SQLite threw, in the words of somebody who has to mend it. */
export function faultOf(store: string, error: unknown): SpillwayError {
  const code = codeOf(error);
  const found = messageOf(error);
  const base = { subject: store, found, cause: error };
  if (isBusy(error)) {
    const remedy = 'Another process holds the file: wait for it, or stop it.';
    return new SpillwayError('STORE_FAILED', { ...base, remedy, retryable: true });
  }
  if (isFull(error)) {
    const remedy = 'Make room on the disk; nothing was changed.';
    return new SpillwayError('STORE_FULL', { ...base, remedy, retryable: true });
  }
  if (/^SQLITE_(READONLY|PERM|AUTH)/.test(code)) {
    const remedy = 'Let this user write to the file and to its folder.';
    return new SpillwayError('STORE_DENIED', { ...base, remedy });
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    const remedy = 'Restore it from a copy, or save what is left with `sqlite3 FILE .recover`.';
    return new SpillwayError('STORE_DAMAGED', { ...base, remedy });
  }
  if (/^SQLITE_(CANTOPEN|IOERR)/.test(code)) {
    const remedy = 'Look at the disk and at what else uses the file.';
    return new SpillwayError('STORE_FAILED', { ...base, remedy, retryable: true });
  }
  return new SpillwayError('STORE_FAILED', { ...base, remedy: 'Nothing was changed; the cause says more.' });
}
