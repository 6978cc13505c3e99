import type Libsql from 'libsql';
import { remembered } from '../../spi/index.js';
import type { Database, Rows, Statement, Target, Value, Writer } from '../sql/index.js';

/**
 * Begins, fills and commits a transaction without interruption by other code of the process. `db` provides the turn on
 * the only connection. `check` throws if the file may no longer be written to.
 */
export function sqliteWriter(
  database: Libsql.Database,
  db: Database,
  check: () => void,
): Writer & { close(): void } {
  /** Statements by their SQL. A failed statement is dropped, because libsql does not reset it. */
  const statements = new Map<string, Libsql.Statement>();
  const prepared = (sql: string): Libsql.Statement => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  };
  const firstOf = (tries: readonly Statement[]): number | undefined => {
    for (const { sql, values } of tries) {
      const found = prepared(`${sql} returning id`).get(values as Value[]) as ThreadId | undefined;
      if (found) return found.id;
    }
    return undefined;
  };
  const insert = (all: readonly Rows[]): void => {
    for (const { target, rows } of all) {
      const statement = prepared(insertInto(target));
      for (const row of rows) statement.run(row as Value[]);
    }
  };
  return {
    write: ({ tries, rows }) =>
      db.connection().execute(async () => {
        check();
        database.exec('begin immediate');
        try {
          const id = firstOf(tries);
          if (id !== undefined) insert(rows(id));
          database.exec(id === undefined ? 'rollback' : 'commit');
          return id !== undefined;
        } catch (error) {
          statements.clear();
          // After some errors (a full disk) SQLite has already rolled back, and would report an error.
          if (database.inTransaction) database.exec('rollback');
          throw error;
        }
      }),
    /** Releases the statements, which would keep the file open. */
    close: () => statements.clear(),
  };
}

interface ThreadId {
  readonly id: number;
}

const insertInto = remembered(({ name, columns, conflict }: Target): string => {
  const names = columns.map(([column]) => column).join(', ');
  const places = columns.map(() => '?').join(', ');
  return `insert into ${name} (${names}) values (${places})${conflict ? ` on conflict ${conflict}` : ''}`;
});
