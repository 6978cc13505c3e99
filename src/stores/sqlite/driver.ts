import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type Libsql from 'libsql';
import {
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Dialect,
  type SqliteDatabase,
} from 'kysely';

interface OpenFile {
  readonly database: Libsql.Database;
  /** Throws where the file may not be written to any more. */
  readonly check: () => void;
  readonly closing: () => void;
  readonly closed: () => Promise<void>;
}

/**
 * A transaction takes the write lock at its start: one that read first could otherwise not be finished. Its commands are
 * executed, not prepared: libsql does not reset a prepared statement that failed, and a `begin` that met a lock would
 * hold what it has seen of the file, so that later reads were old.
 */
class ImmediateDriver extends SqliteDriver {
  constructor(private readonly file: OpenFile) {
    super({ database: file.database as unknown as SqliteDatabase });
  }

  override async beginTransaction(): Promise<void> {
    this.file.check();
    this.file.database.exec('begin immediate');
  }

  override async commitTransaction(): Promise<void> {
    this.file.database.exec('commit');
  }

  /**
   * Brings what stands in the log beside the file into the file, and lets go of both: whoever closed it may copy it by
   * itself.
   */
  override async destroy(): Promise<void> {
    this.file.closing();
    try {
      this.file.check();
      this.file.database.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // Moved away, or no room: all of it stands in the log, and is read from there.
    }
    await super.destroy();
    await this.file.closed();
  }

  /** After some faults (a full disk) SQLite has rolled back by itself, and would complain. */
  override async rollbackTransaction(): Promise<void> {
    if (this.file.database.inTransaction) this.file.database.exec('rollback');
  }
}

/** SQLite does take back DDL; Kysely leaves it to its user to know. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely's way to the one connection of a file. */
export const immediateSqlite = (file: OpenFile): Dialect => ({
  createDriver: () => new ImmediateDriver(file),
  createAdapter: () => new TransactionalAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});

let soon: Promise<void> | undefined;

/**
 * Has the statements of a closed database collected. libsql closes the file with the last of them, and has no other way to
 * let go of one: until a collection that may never come the file stays open, which keeps it from being moved or deleted
 * on some systems, and a process that opens and closes stores runs out of descriptors. Takes about a millisecond for ten
 * megabytes of heap, so databases that are closed together share one. Where the engine offers no collection, nothing happens.
 */
export function collectStatements(): Promise<void> {
  return (soon ??= collectSoon());
}

async function collectSoon(): Promise<void> {
  await nextTurn();
  soon = undefined; // what is closed from here on waits for another
  try {
    collector()();
  } catch {
    return;
  }
  // What was collected is let go of in a task of its own.
  await nextTurn();
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let found: (() => void) | undefined;

function collector(): () => void {
  if (typeof globalThis.gc === 'function') return globalThis.gc;
  if (found) return found;
  setFlagsFromString('--expose-gc');
  found = runInNewContext('gc') as () => void;
  // Nobody else is to find it.
  setFlagsFromString('--no-expose-gc');
  return found;
}
