import type pg from 'pg';
import type { Change, Rows, Statement, Value, Writer } from '../sql/index.js';
import { runCommit, isLost, UnknownOutcome } from './faults.js';

/** The most rows and characters in one statement; larger writes use several, which limits what each side buffers. */
const MAX_ROWS = 200;
const MAX_CHARS = 4_000_000;
/** The most rows of a statement that the server keeps prepared: the usual appends and commits. */
const MAX_KEPT_ROWS = 12;
/** The most threads whose numbers are remembered: more than a process works on at once. */
const MAX_KNOWN_THREADS = 10_000;

/**
 * Sends a whole write as one statement, which is its own transaction: one round trip, one commit. The first write to a
 * thread in this process, and a write of many rows, use a transaction of several statements.
 */
export function postgresWriter(pool: pg.Pool): Writer {
  /** The number of each thread, with which its rows begin. */
  const numbers = new Map<string, number>();
  return {
    async write(change) {
      const known = numbers.get(change.key);
      const rows = known === undefined ? undefined : change.rows(known);
      if (known !== undefined && rows && isSmall(rows)) {
        if (await withClient(pool, (client) => inOneStatement(client, change, known, rows))) return true;
        // The head differs; or the thread has another number because the database was restored from a copy.
        numbers.delete(change.key);
      }
      const id = await withClient(pool, (client) => transaction(client, change));
      if (numbers.size >= MAX_KNOWN_THREADS) numbers.clear();
      if (id !== undefined) numbers.set(change.key, id);
      return id !== undefined;
    },
  };
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
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

/** The change and its rows as one statement. Each part of the statement sees the database as it was before. */
async function inOneStatement(
  client: pg.PoolClient,
  { name: changeName, update }: Change,
  threadId: number,
  all: readonly Rows[],
): Promise<boolean> {
  const values = [...update.values];
  const threadParam = values.push(threadId);
  const parts = all.map(
    (rows, i) => `part${i} as (${insertInto(rows, values, 'where exists (select 1 from moved)')})`,
  );
  const moved = `moved as (${update.sql} and id = $${threadParam} returning id)`;
  const text = `with ${[moved, ...parts].join(', ')} select id from moved`;
  const count = all.reduce((sum, { rows }) => sum + rows.length, 0);
  const shape = all.map(({ target, rows }) => `${target.name.slice('spillway_'.length)}${rows.length}`);
  const name = `spillway/${changeName}/${shape.join('/')}`;
  const query = { text, values, ...(count <= MAX_KEPT_ROWS && { name }) };
  const { rows } = await runCommit(() => client.query(query));
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

/** The thread's number; undefined if the change matched no row, in which case nothing is written. */
async function transaction(client: pg.PoolClient, { tries, rows }: Change): Promise<number | undefined> {
  await client.query('begin');
  let id: number | undefined;
  try {
    id = await firstOf(client, tries);
    for (const batch of id === undefined ? [] : batchesOf(rows(id))) {
      const values: Value[] = [];
      await client.query(insertInto(batch, values), values);
    }
  } catch (error) {
    // A lost connection has already rolled back; the first error is the one to report.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
  await (id === undefined ? client.query('rollback') : runCommit(() => client.query('commit')));
  return id;
}

async function firstOf(client: pg.PoolClient, tries: readonly Statement[]): Promise<number | undefined> {
  for (const { sql, values } of tries) {
    const { rows } = await client.query<{ id: number }>(`${sql} returning id`, [...values]);
    if (rows[0]) return rows[0].id;
  }
  return undefined;
}

function isSmall(all: readonly Rows[]): boolean {
  const rows = all.flatMap((one) => one.rows);
  return rows.length <= MAX_ROWS && rows.reduce((sum, row) => sum + charsOf(row), 0) <= MAX_CHARS;
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
