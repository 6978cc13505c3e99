import { resolve } from 'node:path';
import type Libsql from 'libsql';
import { Kysely } from 'kysely';
import { orMissing } from '../../errors/index.js';
import { type SessionStore, remembered } from '../../spi/index.js';
import {
  openSql,
  type Database,
  type SqlOptions,
  type Tables,
  type Rows,
  type Statement,
  type Target,
  type Value,
  type Writer,
} from '../sql/index.js';
import { patiently } from '../patience.js';
import { collectStatements, immediateSqlite } from './driver.js';
import { dialectOf, isBusy, isUnopenable } from './faults.js';
import {
  bringIn,
  checkPlaceOf,
  checkWritable,
  makeFile,
  openFault,
  prepareFile,
  type Synchronous,
} from './file.js';
import { textsAsBytes } from './texts.js';

const IN_MEMORY = ':memory:';

export interface SqliteOptions extends SqlOptions {
  /** How large the file may grow. */
  readonly maxBytes?: number;
  readonly synchronous?: Synchronous;
}

/** Opens a file, or makes it; `:memory:` is one that nobody else sees. */
export async function openSqlite(path: string, options: SqliteOptions): Promise<SessionStore> {
  const inMemory = path === IN_MEMORY;
  const file = inMemory ? path : resolve(path);
  const name = `sqlite:${file}`;
  const dialect = dialectOf(name);
  const { default: driver } = await import('libsql').catch(orMissing(`store ${name}`));
  const database = open(driver, name, file);
  try {
    await patiently(async () => prepareFile(database, options), isBusy, options.patienceMs);
    await patiently(async () => checkWritable(database), isBusy, options.patienceMs);
  } catch (error) {
    database.close();
    await collectStatements();
    throw isUnopenable(error) ? openFault(name, file, error) : dialect.faultOf(error);
  }
  const check = inMemory ? () => undefined : checkPlaceOf(name, file, () => bringIn(database));
  const db: Database = new Kysely<Tables>({
    dialect: immediateSqlite({
      database,
      check,
      closing: () => writer.close(),
      closed: async () => void (inMemory || (await collectStatements())),
    }),
    plugins: [textsAsBytes(name)],
  });
  const writer = sqliteWriter(database, db, check);
  return openSql({ ...options, name, db, dialect, writer });
}

function open(Driver: typeof Libsql, name: string, file: string): Libsql.Database {
  if (file !== IN_MEMORY) makeFile(file);
  try {
    return new Driver(file);
  } catch (error) {
    throw openFault(name, file, error);
  }
}

/**
 * Begins, fills and commits a transaction in one go: nothing of the process comes in between. `db`: whose turn on the one
 * connection it takes. `check`: throws where the file may not be written to any more.
 */
function sqliteWriter(
  database: Libsql.Database,
  db: Database,
  check: () => void,
): Writer & { close(): void } {
  /** By their SQL. One that failed is dropped: libsql does not reset it. */
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
          // After some faults (a full disk) SQLite has rolled back by itself, and would complain.
          if (database.inTransaction) database.exec('rollback');
          throw error;
        }
      }),
    /** Lets go of what would hold the file open. */
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
