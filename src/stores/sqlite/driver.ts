import type Libsql from 'libsql';
import { SqliteAdapter, SqliteDialect, SqliteDriver, type SqliteDatabase } from 'kysely';

/** What else is to be done when the file is closed. */
export interface CloseHooks {
  /** Before. */
  closing(): void;
  /** After. */
  closed(): Promise<void>;
}

/**
 * A transaction takes the write lock at its start: one that read first could otherwise not be finished. Its commands are
 * executed, not prepared: libsql does not reset a prepared statement that failed, and a `begin` that met a lock would
 * hold what it has seen of the file, so that later reads were old.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Libsql.Database;
  readonly #check: () => void;
  readonly #hooks: CloseHooks;

  constructor(database: Libsql.Database, check: () => void, hooks: CloseHooks) {
    super({ database: database as unknown as SqliteDatabase });
    this.#database = database;
    this.#check = check;
    this.#hooks = hooks;
  }

  override async beginTransaction(): Promise<void> {
    this.#check();
    this.#database.exec('begin immediate');
  }

  override async commitTransaction(): Promise<void> {
    this.#database.exec('commit');
  }

  /**
   * Brings what stands in the log beside the file into the file, and lets go of both: whoever closed it may copy it by
   * itself.
   */
  override async destroy(): Promise<void> {
    this.#hooks.closing();
    try {
      this.#check();
      this.#database.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // Moved away, or no room: all of it stands in the log, and is read from there.
    }
    await super.destroy();
    await this.#hooks.closed();
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
  readonly #hooks: CloseHooks;

  /** `check`: throws where the file may not be written to any more. */
  constructor(database: Libsql.Database, check: () => void, hooks: CloseHooks) {
    super({ database: database as unknown as SqliteDatabase });
    this.#database = database;
    this.#check = check;
    this.#hooks = hooks;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#database, this.#check, this.#hooks);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}
