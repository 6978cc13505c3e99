import type Libsql from 'libsql';
import type { ThreadHead } from '../../spi/index.js';
import type { Database, Move, Note, Rows, Target, Value, Writer } from '../sql/index.js';

/** Clocks may go back; what was done last stays what was done last. */
const TOUCH = 'update spillway_thread set updated_at = max(updated_at, ?)';
const KEY = 'session_key = ? and path_key = ?';
const MOVE = `${TOUCH}, messages = ?, entries = ? where ${KEY} and messages = ? and entries = ? returning id`;
const NOTE = `${TOUCH} where ${KEY} returning id`;
const BEGIN = `insert into spillway_thread
  (session_key, path_key, session_id, agent_path, messages, entries, created_at, updated_at)
  values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (session_key, path_key) do nothing returning id`;

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

  move({ thread, expected, head, now, rows }: Move): Promise<ThreadHead | undefined> {
    const { sessionKey, pathKey } = thread;
    return this.#transaction(() => {
      const from = [expected.messages, expected.entries];
      const isFirst = expected.messages === 0 && expected.entries === 0;
      const id =
        (isFirst ? this.#begin({ thread, head, now }) : undefined) ??
        this.#one(MOVE, [now, head.messages, head.entries, sessionKey, pathKey, ...from]);
      if (id === undefined) return undefined;
      this.#insert(rows(id));
      return head;
    });
  }

  async note({ thread, now, rows }: Note): Promise<void> {
    await this.#transaction(() => {
      const id =
        this.#one(NOTE, [now, thread.sessionKey, thread.pathKey]) ??
        this.#begin({ thread, head: { messages: 0, entries: 0 }, now })!;
      this.#insert(rows(id));
      return true;
    });
  }

  /** Lets go of what would hold the file open. */
  close(): void {
    this.#statements.clear();
  }

  /** Undefined where the thread is there already. */
  #begin({ thread, head, now }: Pick<Move, 'thread' | 'head' | 'now'>): number | undefined {
    const { sessionKey, pathKey, sessionId, agentPath } = thread;
    const { messages, entries } = head;
    return this.#one(BEGIN, [sessionKey, pathKey, sessionId, agentPath, messages, entries, now, now]);
  }

  #insert(all: readonly Rows[]): void {
    for (const { target, rows } of all) {
      const statement = this.#statement(insertInto(target));
      for (const row of rows) statement.run(row as Value[]);
    }
  }

  #one(sql: string, values: readonly Value[]): number | undefined {
    return (this.#statement(sql).get(values as Value[]) as { id: number } | undefined)?.id;
  }

  #statement(sql: string): Libsql.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  /** Takes everything back where `work` gives undefined, or throws. */
  #transaction<T>(work: () => T | undefined): Promise<T | undefined> {
    return this.#db.connection().execute(async () => {
      this.#check();
      this.#database.exec('begin immediate');
      try {
        const done = work();
        this.#database.exec(done === undefined ? 'rollback' : 'commit');
        return done;
      } catch (error) {
        this.#statements.clear();
        // After some faults (a full disk) SQLite has rolled back by itself, and would complain.
        if (this.#database.inTransaction) this.#database.exec('rollback');
        throw error;
      }
    });
  }
}

const inserts = new WeakMap<Target, string>();

function insertInto(target: Target): string {
  let sql = inserts.get(target);
  if (sql === undefined) {
    const { name, columns, conflict } = target;
    const names = columns.map(([column]) => column).join(', ');
    const places = columns.map(() => '?').join(', ');
    sql = `insert into ${name} (${names}) values (${places})${conflict ? ` on conflict ${conflict}` : ''}`;
    inserts.set(target, sql);
  }
  return sql;
}
