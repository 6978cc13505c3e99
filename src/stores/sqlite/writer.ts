import type Libsql from 'libsql';
import { remembered } from '../../spi/index.js';
import type { Change, Database, Rows, Statement, Target, Value, Writer } from '../sql/index.js';

/** Begins, fills and commits a transaction in one go: nothing of the process comes in between. */
export class SqliteWriter implements Writer {
  readonly #database: Libsql.Database;
  readonly #db: Database;
  readonly #check: () => void;
  /** By their SQL. One that failed is dropped: libsql does not reset it. */
  readonly #statements = new Map<string, Libsql.Statement>();

  /** `db`: whose turn on the one connection it takes. `check`: throws where the file may not be written to any more. */
  constructor(database: Libsql.Database, db: Database, check: () => void) {
    this.#database = database;
    this.#db = db;
    this.#check = check;
  }

  write({ tries, rows }: Change): Promise<boolean> {
    return this.#db.connection().execute(async () => {
      this.#check();
      this.#database.exec('begin immediate');
      try {
        const id = this.#firstOf(tries);
        if (id !== undefined) this.#insert(rows(id));
        this.#database.exec(id === undefined ? 'rollback' : 'commit');
        return id !== undefined;
      } catch (error) {
        this.#statements.clear();
        // After some faults (a full disk) SQLite has rolled back by itself, and would complain.
        if (this.#database.inTransaction) this.#database.exec('rollback');
        throw error;
      }
    });
  }

  /** Lets go of what would hold the file open. */
  close(): void {
    this.#statements.clear();
  }

  #firstOf(tries: readonly Statement[]): number | undefined {
    for (const { sql, values } of tries) {
      const found = this.#statement(`${sql} returning id`).get(values as Value[]) as ThreadId | undefined;
      if (found) return found.id;
    }
    return undefined;
  }

  #insert(all: readonly Rows[]): void {
    for (const { target, rows } of all) {
      const statement = this.#statement(insertInto(target));
      for (const row of rows) statement.run(row as Value[]);
    }
  }

  #statement(sql: string): Libsql.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

interface ThreadId {
  readonly id: number;
}

const insertInto = remembered(({ name, columns, conflict }: Target): string => {
  const names = columns.map(([column]) => column).join(', ');
  const places = columns.map(() => '?').join(', ');
  return `insert into ${name} (${names}) values (${places})${conflict ? ` on conflict ${conflict}` : ''}`;
});
