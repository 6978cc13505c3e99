import type Libsql from 'libsql';
import { SqliteAdapter, SqliteDialect, SqliteDriver, type SqliteDatabase } from 'kysely';

/**
 * A transaction takes the write lock at its start: one that read first could otherwise not be finished. Its commands are
 * executed, not prepared: libsql does not reset a prepared statement that failed, and a `begin` that met a lock would
 * hold what it has seen of the file, so that later reads were old.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Libsql.Database;
  readonly #check: () => void;
  readonly #onClose: () => void;

  constructor(database: Libsql.Database, check: () => void, onClose: () => void) {
    super({ database: database as unknown as SqliteDatabase });
    this.#database = database;
    this.#check = check;
    this.#onClose = onClose;
  }

  override async beginTransaction(): Promise<void> {
    this.#check();
    this.#database.exec('begin immediate');
  }

  override async commitTransaction(): Promise<void> {
    this.#database.exec('commit');
  }

  /**
   * Brings what stands in the log beside the file into the file: whoever closed it may copy it by itself. libsql would
   * leave it there while statements of it wait for the garbage collector.
   */
  override async destroy(): Promise<void> {
    this.#onClose();
    try {
      this.#check();
      this.#database.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // Moved away, or no room: all of it stands in the log, and is read from there.
    }
    await super.destroy();
  }

  /** After some faults (a full disk) SQLite has rolled back by itself, and would complain. */
  override async rollbackTransaction(): Promise<void> {
    if (this.#database.inTransaction) this.#database.exec('rollback');
  }
}

/** SQLite does take back DDL; Kysely leaves it to its user to know. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export class ImmediateSqlite extends SqliteDialect {
  readonly #database: Libsql.Database;
  readonly #check: () => void;
  readonly #onClose: () => void;

  /** `check`: throws where the file may not be written to any more. `onClose`: before the file is closed. */
  constructor(database: Libsql.Database, check: () => void, onClose: () => void) {
    super({ database: database as unknown as SqliteDatabase });
    this.#database = database;
    this.#check = check;
    this.#onClose = onClose;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#database, this.#check, this.#onClose);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}
