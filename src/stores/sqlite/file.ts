import { closeSync, openSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'libsql';
import { SpillwayError } from '../../errors/index.js';
import { isFull } from './faults.js';

/** The reason why SQLite could not open a file: SQLite's own message is only a number. */
export function openFault(store: string, path: string, error: unknown): SpillwayError {
  const fault = (code: 'STORE_FAILED' | 'STORE_DENIED', found: string, remedy: string): SpillwayError =>
    new SpillwayError(code, { subject: store, found, remedy, cause: error });
  const folder = dirname(path);
  if (!isFolder(folder)) return fault('STORE_FAILED', `no folder ${folder}`, 'Create it, or name another.');
  if (isFolder(path)) return fault('STORE_FAILED', 'a folder', 'Name a file in it.');
  const found = String((error as Error).message);
  if (isOutOfHandles(folder))
    return fault('STORE_FAILED', 'too many files open', 'Close some, or let this process open more.');
  return fault('STORE_DENIED', found, 'Let this user read and write the file and its folder.');
}

/** Tests by the folder, because closing the file would release the locks that this process has on it. */
function isOutOfHandles(folder: string): boolean {
  try {
    closeSync(openSync(folder, 'r'));
    return false;
  } catch (error) {
    return /^E[MN]FILE$/.test(String((error as NodeJS.ErrnoException).code));
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Sessions contain what users wrote, so no other user may read them. */
const OWNER_ONLY = 0o600;

/**
 * Creates the file if it does not exist, for its owner alone; SQLite gives the files next to it the same rights. An
 * existing file keeps its rights. Only a new file is opened here, because closing an existing one would release the
 * locks that this process has on it. If a link leads to a missing file, that file is created.
 */
export function makeFile(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })) return;
    closeSync(openSync(path, 'a', OWNER_ONLY));
  } catch {
    // It cannot be created: opening it reports why.
  }
}

/** When a commit is on the disk: before the call resolves, or with a later commit. */
export type Synchronous = 'full' | 'normal';

/** The write-ahead log is cut to this size after a large write. */
const MAX_IDLE_WAL_BYTES = 64 * 1024 * 1024;

/**
 * A commit is on the disk when it returns, unless `synchronous` is `normal`: a power cut, and nothing else, then loses
 * the newest commits. Readers never wait for a writer.
 */
export function prepareFile(
  database: Database.Database,
  { maxBytes, synchronous = 'full' }: { readonly maxBytes?: number; readonly synchronous?: Synchronous },
): void {
  // `retryWhile` waits instead, which does not block the process.
  database.exec('pragma busy_timeout = 0');
  // This comes first, because it reads the header and so detects a file that is no database.
  database.exec('pragma journal_mode = wal');
  database.exec(`pragma synchronous = ${synchronous}`);
  database.exec(`pragma journal_size_limit = ${MAX_IDLE_WAL_BYTES}`);
  if (maxBytes === undefined) return;
  const { page_size: pageBytes } = database.prepare('pragma page_size').get([]) as { page_size: number };
  database.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / pageBytes))}`);
}

/**
 * Throws if the file may not be written: SQLite opens such a file for reading and reports the error at the first write.
 * Asks SQLite itself, because closing the file here would release the locks that this process has on it. If only room
 * is missing, the file is accepted and can be read.
 */
export function checkWritable(database: Database.Database): void {
  database.exec('begin immediate');
  try {
    database.exec('create table spillway_try (a)');
  } catch (error) {
    if (!isFull(error)) throw error;
  } finally {
    if (database.inTransaction) database.exec('rollback');
  }
}

/** Copies the write-ahead log into the file, as far as possible. */
export function checkpointLog(database: Database.Database): void {
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // No room, or another process does the same: all data remains in the log, and is read from there.
  }
}

/**
 * SQLite's files next to an open file: the newest commits, and readers' positions. They exist while the file is open.
 */
const SIDE_FILES = ['-wal', '-shm'] as const;

/**
 * Checks before a write whether the file and the files next to it are still the ones that were opened. SQLite would
 * continue to write to a moved or deleted file, which no process will open again; reading it does no harm. `rescue`
 * copies the content of a deleted log into the file.
 */
export function checkPlaceOf(store: string, path: string, rescue: () => void): () => void {
  // SQLite puts these files next to the target of a link.
  const file = realpathSync(path);
  const opened = statSync(file);
  const sideFiles = new Map<string, Stats>();
  return () => {
    // The link itself, which may lead to another file by now.
    const main = changeOf(path, opened);
    if (main !== undefined) throw movedAway(store, main);
    for (const end of SIDE_FILES) {
      const known = sideFiles.get(end) ?? statSync(file + end, { throwIfNoEntry: false });
      if (!known) continue;
      sideFiles.set(end, known);
      const found = changeOf(file + end, known);
      if (found === undefined) continue;
      if (found === MISSING) rescue();
      throw movedAway(store, `${found}: the ${end} next to it`);
    }
  };
}

const MISSING = 'no file any more';

/** A description of what has replaced a file; undefined if the file is the very same. */
function changeOf(path: string, { ino, dev }: Stats): string | undefined {
  const now = statSync(path, { throwIfNoEntry: false });
  if (!now) return MISSING;
  return now.ino === ino && now.dev === dev ? undefined : 'another file than the one that was opened';
}

function movedAway(store: string, found: string): SpillwayError {
  return new SpillwayError('STORE_FAILED', {
    subject: store,
    found,
    remedy:
      'Put the file back, together with its -wal and -shm files, or open the store again. Nothing was changed.',
    retryable: true,
  });
}
