import type { StoredEvent, ThreadHead, ThreadKey, ThreadWrite, UsageEntry } from '../../spi/index.js';
import { writeJson } from '../../transcript/index.js';
import { messageText, keyOf, writeText } from '../bytes.js';
import { headAfter } from '../fault.js';
import { summed, USAGE_SUMS } from '../usage.js';
import { SHAPES } from './tables.js';

export type Value = string | number | bigint | null;

/** A table as writers fill it; the types are PostgreSQL's. */
export interface Target {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
  /** The SQL after `on conflict`, if a row may already exist. */
  readonly conflict?: string;
}

/** Rows to insert, each a value for every column of its target. */
export interface Rows {
  readonly target: Target;
  readonly rows: readonly (readonly Value[])[];
}

/** SQL that both databases accept, with the values of `$1`, `$2` and so on. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** A change in a thread. */
export interface Change {
  readonly name: 'move' | 'note';
  /** The thread's key; no two threads share one. */
  readonly key: string;
  /** Changes the row of an existing thread. */
  readonly update: Statement;
  /** Statements that are tried in order until one matches the thread's row, or creates it. */
  readonly tries: readonly Statement[];
  /** The rows that are written with the change, in order, for the thread's number. */
  rows(threadId: number): readonly Rows[];
}

/**
 * Writes to a thread: all or nothing, in as few trips to the database as possible. Statements are written by hand,
 * because building them for every append costs more than SQLite needs to run them.
 */
export interface Writer {
  /** False if no statement of the change matched a row, in which case nothing is written. */
  write(change: Change): Promise<boolean>;
}

/** Clocks may go back, but `updated_at` never decreases. A second writer waits here until the first one ends. */
const TOUCH = 'update spillway_thread set updated_at = case when updated_at > $1 then updated_at else $1 end';
const MOVE = `${TOUCH}, messages = $2, entries = $3
  where session_key = $4 and path_key = $5 and messages = $6 and entries = $7`;
const NOTE = `${TOUCH} where session_key = $2 and path_key = $3`;
const BEGIN = `insert into spillway_thread
  (session_key, path_key, session_id, agent_path, messages, entries, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (session_key, path_key) do nothing`;

const targetOf = (name: keyof typeof SHAPES, conflict?: string): Target => ({
  name,
  columns: Object.entries(SHAPES[name].columns).map(([column, type]) => [
    column,
    type.replace(' or null', ''),
  ]),
  ...(conflict !== undefined && { conflict }),
});

/** The column of an entry's field: `inputTokens` is in `input_tokens`. */
export const columnOf = (field: string): string =>
  field.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`);

const assignments = (columns: readonly string[], from: (column: string) => string): string =>
  columns.map((column) => `${column} = ${from(column)}`).join(', ');

const MESSAGES = targetOf('spillway_message');
const ENTRIES = targetOf('spillway_entry');
const EVENTS = targetOf('spillway_event');
const CHECKPOINTS = targetOf(
  'spillway_checkpoint',
  `(thread_id) do update set ${assignments(['messages', 'entries', 'body'], (column) => `excluded.${column}`)}`,
);
const USAGE = targetOf(
  'spillway_usage',
  `(thread_id, line, model) do update set ${assignments(USAGE_SUMS.map(columnOf), (sum) => `spillway_usage.${sum} + excluded.${sum}`)}`,
);

/** A write as one compare-and-swap of the thread's head. */
export function moveOf(key: ThreadKey, expected: ThreadHead, write: ThreadWrite, now: number): Change {
  const head = headAfter(expected, write);
  const { messages = [], entries = [], events = [], usage = [] } = write;
  // The texts are made once, because a write that has to wait is tried again.
  const messageRows = messages.map((message) => [message.seq, keyOf(message.id), messageText(message)]);
  const entryRows = entries.map(({ kind, at, body }, i) => [
    expected.entries + i,
    writeText(kind),
    at,
    writeJson(body)!,
  ]);
  const checkpoint = write.checkpoint === undefined ? undefined : writeJson(write.checkpoint)!;
  const checkpointRows = checkpoint === undefined ? [] : [[head.messages, head.entries, checkpoint]];
  const rows = withThreadId([
    { target: MESSAGES, rows: messageRows },
    { target: ENTRIES, rows: entryRows },
    { target: CHECKPOINTS, rows: checkpointRows },
    ...noteRows(events, usage),
  ]);
  const keys = [keyOf(key.sessionId), keyOf(key.agentPath)];
  const counts = [head.messages, head.entries];
  const values = [now, ...counts, ...keys, expected.messages, expected.entries];
  const update = { sql: MOVE, values };
  const isFirst = expected.messages === 0 && expected.entries === 0;
  const tries = isFirst ? [beginStatement(key, head, now), update] : [update];
  return { name: 'move', key: keys.join('\0'), update, tries, rows };
}

/** Events and usage of a thread, with any head. */
export function noteOf(
  key: ThreadKey,
  events: readonly StoredEvent[],
  usage: readonly UsageEntry[],
  now: number,
): Change {
  const keys = [keyOf(key.sessionId), keyOf(key.agentPath)];
  const update = { sql: NOTE, values: [now, ...keys] };
  const begin = beginStatement(key, { messages: 0, entries: 0 }, now);
  // Another process may create the thread between the first and the second statement.
  const tries = [update, begin, update];
  return { name: 'note', key: keys.join('\0'), update, tries, rows: withThreadId(noteRows(events, usage)) };
}

/** Creates the thread; does nothing if it exists. */
function beginStatement({ sessionId, agentPath }: ThreadKey, head: ThreadHead, now: number): Statement {
  const ids = [keyOf(sessionId), keyOf(agentPath), writeText(sessionId), writeText(agentPath)];
  return { sql: BEGIN, values: [...ids, head.messages, head.entries, now] };
}

function noteRows(events: readonly StoredEvent[], usage: readonly UsageEntry[]): Rows[] {
  const eventRows = events.map((event) => {
    const { kind, ref, at, id } = event;
    const [refKey, eventKey] = [ref, id].map((one) => (one === undefined ? null : keyOf(one)));
    return [writeText(kind), refKey!, at, writeJson(event)!, eventKey!];
  });
  const usageRows = summed(usage).map((entry) => [
    writeText(entry.line),
    writeText(entry.model),
    ...USAGE_SUMS.map((name) => entry[name]),
  ]);
  return [
    { target: EVENTS, rows: eventRows },
    { target: USAGE, rows: usageRows },
  ];
}

/** Adds the thread's number, with which every row begins. */
const withThreadId =
  (all: readonly Rows[]): Change['rows'] =>
  (threadId) =>
    all
      .filter(({ rows }) => rows.length > 0)
      .map(({ target, rows }) => ({ target, rows: rows.map((row) => [threadId, ...row]) }));
