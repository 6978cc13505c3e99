import { setImmediate } from 'node:timers/promises';
import type {
  EventQuery,
  Json,
  LedgerEntry,
  StoredArtifact,
  StoredEvent,
  StoredThread,
  ThreadInfo,
  ThreadKey,
  UsageEntry,
} from '../../spi/index.js';
import { parseJson, type LogMessage } from '../../transcript/index.js';
import { withBytes, keyOf, readText, writeText } from '../bytes.js';
import { damaged } from '../fault.js';
import { summed, USAGE_SUMS } from '../usage.js';
import { columnOf } from './rows.js';
import type { Database } from './tables.js';

/** Reads one row by its key, and its checkpoint, however long the thread is. */
export async function load(db: Database, key: ThreadKey): Promise<StoredThread | undefined> {
  const row = await oneThread(db, key)
    .leftJoin('spillway_checkpoint as checkpoint', 'checkpoint.thread_id', 'spillway_thread.id')
    .select(['spillway_thread.messages', 'spillway_thread.entries', 'checkpoint.body'])
    .select(['checkpoint.messages as atMessages', 'checkpoint.entries as atEntries'])
    .executeTakeFirst();
  if (!row) return undefined;
  const head = { messages: row.messages, entries: row.entries };
  if (row.body === null) return { head };
  const checkpointAt = { messages: row.atMessages!, entries: row.atEntries! };
  return { head, checkpoint: parsed(row.body, 'a checkpoint'), checkpointAt };
}

export async function messages(
  db: Database,
  key: ThreadKey,
  from: number,
  to?: number,
): Promise<readonly LogMessage[]> {
  const rows = await rowsOf(db, 'spillway_message', key, from, to).select('body').execute();
  return rows.map(({ body }) => messageOf(body));
}

export async function entries(
  db: Database,
  key: ThreadKey,
  from: number,
  to?: number,
): Promise<readonly LedgerEntry[]> {
  const rows = await rowsOf(db, 'spillway_entry', key, from, to).select(['kind', 'at', 'body']).execute();
  return rows.map(({ kind, at, body }) => ({ kind: readText(kind), at, body: parsed(body, 'an entry') }));
}

/** In the order in which they were noted; the clock does not matter. */
export async function events(
  db: Database,
  key: ThreadKey,
  query: EventQuery = {},
): Promise<readonly StoredEvent[]> {
  let select = db.selectFrom('spillway_event').select('body').where('thread_id', '=', idOf(db, key));
  if (query.kinds?.length === 0) return [];
  if (query.kinds) select = select.where('kind', 'in', query.kinds.map(writeText));
  if (query.ref !== undefined) select = select.where('ref_key', '=', keyOf(query.ref));
  select = select.orderBy('id', query.newestFirst ? 'desc' : 'asc');
  if (query.limit !== undefined) select = select.limit(integer(query.limit));
  const rows = await select.execute();
  return rows.map(({ body }) => {
    const event = parsed<Partial<StoredEvent> | null>(body, 'an event');
    if (typeof event?.kind === 'string') return event as StoredEvent;
    throw damaged('an event of the store', 'a body that is no event');
  });
}

export async function usage(
  db: Database,
  { sessionId, agentPath }: Partial<ThreadKey> = {},
): Promise<readonly UsageEntry[]> {
  let select = db
    .selectFrom('spillway_usage')
    .innerJoin('spillway_thread', 'spillway_thread.id', 'spillway_usage.thread_id')
    .select(({ fn, cast }) => {
      const sums = USAGE_SUMS.map((name) => {
        const column = `spillway_usage.${columnOf(name)}` as 'spillway_usage.calls';
        return cast<number>(fn.sum(column), 'double precision').as(name);
      });
      return ['line', 'model', ...sums] as const;
    })
    .groupBy(['line', 'model']);
  if (sessionId !== undefined) select = select.where('session_key', '=', keyOf(sessionId));
  if (agentPath !== undefined) select = select.where('path_key', '=', keyOf(agentPath));
  const rows = await select.execute();
  return summed(
    rows.map((row) => ({ ...row, line: row.line as UsageEntry['line'], model: readText(row.model) })),
  );
}

/** Threads that are read at once: SQLite takes 30 ms for them and blocks the process meanwhile. */
const PAGE_ROWS = 5_000;

/** All threads, newest first: read by number, not by time, so that a thread with a write meanwhile is not missed. */
async function inPages<Row extends { readonly id: number; readonly updated_at: number }>(
  read: (last: number) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows = [...(await read(0))];
  for (let page: readonly Row[] = rows; page.length > 0 && page.length % PAGE_ROWS === 0;) {
    await setImmediate();
    page = await read(page.at(-1)!.id);
    rows.push(...page);
  }
  return rows.sort((a, b) => b.updated_at - a.updated_at || b.id - a.id);
}

/** The thread with the newest write comes first. */
export async function threads(
  db: Database,
  of: { readonly sessionId?: string; readonly limit?: number } = {},
): Promise<readonly ThreadInfo[]> {
  let select = db
    .selectFrom('spillway_thread')
    .select(['id', 'session_id', 'agent_path', 'messages', 'entries', 'created_at', 'updated_at']);
  if (of.sessionId !== undefined) select = select.where('session_key', '=', keyOf(of.sessionId));
  const rows =
    of.limit === undefined
      ? await inPages(async (last) => select.where('id', '>', last).orderBy('id').limit(PAGE_ROWS).execute())
      : await select.orderBy('updated_at', 'desc').orderBy('id', 'desc').limit(integer(of.limit)).execute();
  return rows.map((row) => ({
    sessionId: readText(row.session_id),
    agentPath: readText(row.agent_path),
    head: { messages: row.messages, entries: row.entries },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

export async function artifact(db: Database, key: string): Promise<StoredArtifact | undefined> {
  const row = await db
    .selectFrom('spillway_artifact')
    .select('body')
    .where('key', '=', keyOf(key))
    .executeTakeFirst();
  return row && parsed(row.body, 'an artifact');
}

export async function value(db: Database, scope: string, name: string): Promise<Json | undefined> {
  const row = await valuesIn(db, scope).where('name_key', '=', keyOf(name)).executeTakeFirst();
  return row && parsed(row.body, valueOf(scope, name));
}

export async function values(db: Database, scope: string): Promise<Readonly<Record<string, Json>>> {
  const rows = await valuesIn(db, scope).orderBy('name_key').execute();
  const named = rows.map(({ name, body }) => [readText(name), body] as const);
  return Object.fromEntries(named.map(([name, body]) => [name, parsed<Json>(body, valueOf(scope, name))]));
}

const valuesIn = (db: Database, scope: string) =>
  db.selectFrom('spillway_value').select(['name', 'body']).where('scope_key', '=', keyOf(scope));

const valueOf = (scope: string, name: string): string => `the value "${name}" of ${scope}`;

/** Throws `STORE_DAMAGED` if the body of `what` is no JSON. */
function parsed<T>(body: string, what: string): T {
  try {
    return parseJson(body) as T;
  } catch (cause) {
    throw damaged(`${what} in the store`, 'a body that is no JSON', cause);
  }
}

/** A message whose fields are checked, so that its readers can rely on them. */
function messageOf(body: string): LogMessage {
  const message = bytesIn(parsed<Partial<LogMessage> | null>(body, 'a message'));
  const { id, seq, role, parts, size } = message ?? {};
  const isComplete =
    typeof id === 'string' &&
    typeof seq === 'number' &&
    typeof role === 'string' &&
    Array.isArray(parts) &&
    parts.every((part) => typeof part?.type === 'string') &&
    typeof size?.tokens === 'number' &&
    Array.isArray(size.parts);
  if (!isComplete) throw damaged('a message of the store', 'a body that is no message');
  return message as LogMessage;
}

function bytesIn<T>(message: T): T {
  try {
    return withBytes(message);
  } catch (cause) {
    throw damaged('a message of the store', 'bytes without a place', cause);
  }
}

/** A limit that databases accept: neither negative nor fractional. */
function integer(limit: number): number {
  return Math.min(Math.max(0, Math.trunc(limit) || 0), Number.MAX_SAFE_INTEGER);
}

function oneThread(db: Database, key: ThreadKey) {
  return db
    .selectFrom('spillway_thread')
    .where('session_key', '=', keyOf(key.sessionId))
    .where('path_key', '=', keyOf(key.agentPath));
}

const idOf = (db: Database, key: ThreadKey) => oneThread(db, key).select('id');

function rowsOf(
  db: Database,
  table: 'spillway_message' | 'spillway_entry',
  key: ThreadKey,
  from: number,
  to: number | undefined,
) {
  const rows = db
    .selectFrom(table as 'spillway_entry')
    .where('thread_id', '=', idOf(db, key))
    .where('seq', '>=', from)
    .orderBy('seq');
  return to === undefined ? rows : rows.where('seq', '<', to);
}
