import type pg from 'pg';
import type { ThreadHead } from '../../spi/index.js';
import type { Move, Note, Rows, ThreadRow, Value, Writer } from '../sql/index.js';
import { committing, isLost, UnknownOutcome } from './faults.js';

/** Rows and characters that one statement holds; more are sent in several, which bounds what each side buffers. */
const MAX_ROWS = 200;
const MAX_CHARS = 4_000_000;
/** Rows up to which a statement is worth being kept by the server: the usual appends and commits. */
const MAX_KEPT_ROWS = 12;
/** Threads whose numbers are remembered: more than a process works on at once. */
const MAX_KNOWN = 10_000;

const KEY = 'session_key = $1 and path_key = $2';
/** Clocks may go back; what was done last stays what was done last. A second writer waits here for the first one's end. */
const MOVE = `update spillway_thread set updated_at = greatest(updated_at, $3::double precision),
  messages = $4::bigint, entries = $5::bigint where ${KEY} and messages = $6::bigint and entries = $7::bigint`;
const NOTE = `update spillway_thread set updated_at = greatest(updated_at, $3::double precision) where ${KEY}`;
const BEGIN = `insert into spillway_thread
  (session_key, path_key, session_id, agent_path, messages, entries, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (session_key, path_key) do nothing returning id`;

/** One statement that changes the row of a thread, and the values it begins with. */
interface Change {
  readonly name: string;
  readonly sql: string;
  readonly values: readonly Value[];
}

/**
 * Sends a whole write as one statement, which is a transaction by itself: one round trip, one commit. A thread that this
 * process has not written to yet, and a write of many rows, take a transaction of several.
 */
export class PostgresWriter implements Writer {
  readonly #pool: pg.Pool;
  /** The numbers of threads: what rows begin with. */
  readonly #known = new Map<string, number>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async move({ thread, expected, head, now, rows }: Move): Promise<ThreadHead | undefined> {
    const { sessionKey, pathKey } = thread;
    const change: Change = {
      name: 'move',
      sql: MOVE,
      values: [sessionKey, pathKey, now, head.messages, head.entries, expected.messages, expected.entries],
    };
    const isFirst = expected.messages === 0 && expected.entries === 0;
    const found = await this.#write(thread, change, rows, async (client) => {
      const begun = isFirst ? await begin(client, thread, head, now) : undefined;
      return begun ?? (await one(client, `${MOVE} returning id`, change.values));
    });
    return found ? head : undefined;
  }

  async note({ thread, now, rows }: Note): Promise<void> {
    const change: Change = { name: 'note', sql: NOTE, values: [thread.sessionKey, thread.pathKey, now] };
    const start = { messages: 0, entries: 0 };
    const touch = (client: pg.PoolClient) => one(client, `${NOTE} returning id`, change.values);
    const first = async (client: pg.PoolClient) =>
      (await touch(client)) ?? (await begin(client, thread, start, now)) ?? (await touch(client));
    const isThere = await this.#write(thread, change, rows, first);
    // Its number is another than this process knows: the database was put back from a copy.
    if (!isThere) await this.note({ thread, now, rows });
  }

  /** False where the change met no row: nothing is written then. */
  async #write(
    thread: ThreadRow,
    change: Change,
    rowsOf: (threadId: number) => readonly Rows[],
    first: (client: pg.PoolClient) => Promise<number | undefined>,
  ): Promise<boolean> {
    const key = `${thread.sessionKey}\0${thread.pathKey}`;
    const known = this.#known.get(key);
    const rows = known === undefined ? undefined : rowsOf(known);
    if (known !== undefined && rows && isSmall(rows)) {
      const done = await this.#connected((client) => atOnce(client, change, known, rows));
      if (!done) this.#known.delete(key);
      return done;
    }
    return this.#connected((client) =>
      transaction(client, async () => {
        const id = await first(client);
        if (id === undefined) return false;
        for (const batch of batchesOf(rowsOf(id))) {
          const values: Value[] = [];
          await client.query(insertInto(batch, values), values);
        }
        this.#remember(key, id);
        return true;
      }),
    );
  }

  #remember(key: string, id: number): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, id);
  }

  async #connected<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let fault: unknown;
    try {
      return await work(client);
    } catch (error) {
      fault = error;
      throw error;
    } finally {
      const lost = fault instanceof UnknownOutcome || isLost(fault);
      client.release(lost ? (fault as Error) : undefined);
    }
  }
}

/** The change and its rows as one statement. Each of its parts sees the database as it was before. */
async function atOnce(
  client: pg.PoolClient,
  change: Change,
  threadId: number,
  all: readonly Rows[],
): Promise<boolean> {
  const values = [...change.values];
  const own = values.push(threadId);
  const parts = all.map(
    (rows, i) => `part${i} as (${insertInto(rows, values, 'where exists (select 1 from moved)')})`,
  );
  const moved = `moved as (${change.sql} and id = $${own} returning id)`;
  const text = `with ${[moved, ...parts].join(', ')} select id from moved`;
  const count = all.reduce((sum, { rows }) => sum + rows.length, 0);
  const shape = all.map(({ target, rows }) => `${target.name.slice('spillway_'.length)}${rows.length}`);
  const name = `spillway/${change.name}/${shape.join('/')}`;
  const query = { text, values, ...(count <= MAX_KEPT_ROWS && { name }) };
  const { rows } = await committing(() => client.query(query));
  return rows.length > 0;
}

function insertInto({ target, rows }: Rows, values: Value[], condition = ''): string {
  const { name, columns, conflict } = target;
  const names = columns.map(([column]) => column).join(', ');
  const tuples = rows.map((row) => {
    const places = row.map((value, i) => `$${values.push(value)}::${columns[i]![1]}`);
    return `(${places.join(', ')})`;
  });
  const onConflict = conflict ? ` on conflict ${conflict}` : '';
  return `insert into ${name} (${names}) select * from (values ${tuples.join(', ')}) as given ${condition}${onConflict}`;
}

async function transaction(client: pg.PoolClient, work: () => Promise<boolean>): Promise<boolean> {
  await client.query('begin');
  try {
    const done = await work();
    if (!done) {
      await client.query('rollback');
      return false;
    }
  } catch (error) {
    // A connection that is gone has rolled back already; the first fault is the one to report.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
  await committing(() => client.query('commit'));
  return true;
}

/** Undefined where the thread is there already. */
function begin(
  client: pg.PoolClient,
  { sessionKey, pathKey, sessionId, agentPath }: ThreadRow,
  { messages, entries }: ThreadHead,
  now: number,
): Promise<number | undefined> {
  return one(client, BEGIN, [sessionKey, pathKey, sessionId, agentPath, messages, entries, now]);
}

async function one(
  client: pg.PoolClient,
  sql: string,
  values: readonly Value[],
): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>(sql, [...values]);
  return rows[0]?.id;
}

function isSmall(all: readonly Rows[]): boolean {
  let rows = 0;
  let chars = 0;
  for (const one of all) {
    rows += one.rows.length;
    for (const row of one.rows) chars += charsOf(row);
  }
  return rows <= MAX_ROWS && chars <= MAX_CHARS;
}

function* batchesOf(all: readonly Rows[]): Generator<Rows> {
  for (const { target, rows } of all) {
    let batch: (readonly Value[])[] = [];
    let chars = 0;
    for (const row of rows) {
      const more = charsOf(row);
      if (batch.length > 0 && (batch.length >= MAX_ROWS || chars + more > MAX_CHARS)) {
        yield { target, rows: batch };
        batch = [];
        chars = 0;
      }
      batch.push(row);
      chars += more;
    }
    yield { target, rows: batch };
  }
}

function charsOf(row: readonly Value[]): number {
  return row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}
