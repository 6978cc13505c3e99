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
  /** Throws if the file may no longer be written to. */
  readonly check: () => void;
  readonly closing: () => void;
  readonly closed: () => Promise<void>;
}

/**
 * A transaction takes the write lock at its start, because a transaction that read first might be unable to write. Its
 * commands are executed, not prepared: libsql does not reset a failed prepared statement, and a `begin` that met a lock
 * would keep its view of the file, so that later reads were stale.
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

  /** Copies the write-ahead log into the file and closes both, so that the file alone can be copied afterwards. */
  override async destroy(): Promise<void> {
    this.file.closing();
    try {
      this.file.check();
      this.file.database.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // The file was moved, or the disk is full: all data remains in the log, and is read from there.
    }
    await super.destroy();
    await this.file.closed();
  }

  /** After some errors (a full disk) SQLite has already rolled back, and would report an error. */
  override async rollbackTransaction(): Promise<void> {
    if (this.file.database.inTransaction) this.file.database.exec('rollback');
  }
}

/** SQLite can roll back DDL; Kysely does not assume so by default. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely's dialect for the only connection of a file. */
export const immediateSqlite = (file: OpenFile): Dialect => ({
  createDriver: () => new ImmediateDriver(file),
  createAdapter: () => new TransactionalAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});

let pendingCollection: Promise<void> | undefined;

/**
 * Has the statements of a closed database garbage-collected. libsql closes the file with the last statement, and has no
 * other way to release one. Without a collection the file stays open, cannot be moved or deleted on some systems, and a
 * process that opens and closes stores runs out of descriptors. Takes about a millisecond for ten megabytes of heap, so
 * databases that are closed together share one collection. Does nothing if the engine offers no collection.
 */
export function collectStatements(): Promise<void> {
  return (pendingCollection ??= collectSoon());
}

async function collectSoon(): Promise<void> {
  await nextTurn();
  pendingCollection = undefined; // databases closed from here on need another collection
  try {
    collector()();
  } catch {
    return;
  }
  // Collected statements are released in a separate task.
  await nextTurn();
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let exposedGc: (() => void) | undefined;

function collector(): () => void {
  if (typeof globalThis.gc === 'function') return globalThis.gc;
  if (exposedGc) return exposedGc;
  setFlagsFromString('--expose-gc');
  exposedGc = runInNewContext('gc') as () => void;
  // No other code is to see `gc`.
  setFlagsFromString('--no-expose-gc');
  return exposedGc;
}
