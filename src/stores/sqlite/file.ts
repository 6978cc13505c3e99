import { closeSync, openSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'libsql';
import { SpillwayError } from '../../errors/index.js';
import { isFull } from './faults.js';

/** What stands in the way of a file that SQLite could not open: its own message is a number. */
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

/** Asks with the folder: opening and closing the file would take away the locks this process has on it. */
function isOutOfHandles(folder: string): boolean {
  try {
    closeSync(openSync(folder, 'r'));
    return false;
  } catch (error) {
    return /^E[MN]FILE$/.test(String((error as NodeJS.ErrnoException).code));
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Sessions hold what users said: nobody else is to read them. */
const OWNER_ONLY = 0o600;

/**
 * Makes the file where there is none, for its owner alone; SQLite gives the files beside it the same rights. A file that
 * is there keeps its own. Only a new one is opened here: closing another would take away the locks this process has on it.
 * A link to a file that is not there makes that file.
 */
export function makeFile(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })) return;
    closeSync(openSync(path, 'a', OWNER_ONLY));
  } catch {
    // It cannot be made: opening it says why.
  }
}

/** When a commit is on the disk: before it is answered, or with a later one. */
export type Synchronous = 'full' | 'normal';

/** Beyond this the write-ahead log is cut back after a large write. */
const MAX_IDLE_WAL_BYTES = 64 * 1024 * 1024;

/**
 * A commit is on the disk when it returns, unless `synchronous` is `normal`: the newest ones are then lost with the power,
 * and with nothing else. Readers never wait for a writer.
 */
export function prepareFile(
  database: Database.Database,
  { maxBytes, synchronous = 'full' }: { readonly maxBytes?: number; readonly synchronous?: Synchronous },
): void {
  // Waiting is done outside, where it does not stop the process.
  database.exec('pragma busy_timeout = 0');
  // First: it reads the header, so that what is no database is found here.
  database.exec('pragma journal_mode = wal');
  database.exec(`pragma synchronous = ${synchronous}`);
  database.exec(`pragma journal_size_limit = ${MAX_IDLE_WAL_BYTES}`);
  if (maxBytes === undefined) return;
  const { page_size: pageBytes } = database.prepare('pragma page_size').get([]) as { page_size: number };
  database.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / pageBytes))}`);
}

/**
 * Throws where the file may not be written: SQLite opens such a file for reading and tells at the first write. Asks SQLite
 * itself, since opening and closing the file here would take away the locks that this process has on it. Where there is no
 * room the file may be written all the same, and be read.
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

/** Brings what stands in the log beside the file into the file, as far as it can. */
export function bringIn(database: Database.Database): void {
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // No room, or somebody else is at it: all of it stands in the log, and is read from there.
  }
}

/** What SQLite keeps beside an open file: what was committed last, and who reads how far. It stays as long as one has the file open. */
const BESIDE = ['-wal', '-shm'] as const;

/**
 * Asks before a write whether the file still stands where it was opened, and the files beside it. SQLite would go on writing
 * to one that was moved or deleted, which nobody will open again. Reading it does no harm. `rescue` brings what stands in a
 * log that was deleted into the file.
 */
export function checkPlaceOf(store: string, path: string, rescue: () => void): () => void {
  // SQLite puts them beside the file that a link names.
  const file = realpathSync(path);
  const opened = statSync(file);
  const beside = new Map<string, Stats>();
  return () => {
    // The link itself, which may lead elsewhere by now.
    const main = placeNow(path, opened);
    if (main !== undefined) throw movedAway(store, main);
    for (const end of BESIDE) {
      const known = beside.get(end) ?? statSync(file + end, { throwIfNoEntry: false });
      if (!known) continue;
      beside.set(end, known);
      const found = placeNow(file + end, known);
      if (found === undefined) continue;
      if (found === GONE) rescue();
      throw movedAway(store, `${found}: the ${end} beside it`);
    }
  };
}

const GONE = 'no file any more';

/** What stands in the place of a file; undefined where it is the very one. */
function placeNow(path: string, { ino, dev }: Stats): string | undefined {
  const now = statSync(path, { throwIfNoEntry: false });
  if (!now) return GONE;
  return now.ino === ino && now.dev === dev ? undefined : 'another file than the one that was opened';
}

function movedAway(store: string, found: string): SpillwayError {
  return new SpillwayError('STORE_FAILED', {
    subject: store,
    found,
    remedy:
      'Put the file back, with the -wal and -shm beside it, or open the store again; nothing was changed.',
    retryable: true,
  });
}
