import type { StoredEvent, ThreadHead, ThreadKey, ThreadWrite, UsageEntry } from '../../spi/index.js';
import { writeJson } from '../../transcript/index.js';
import { messageText, keyOf, writeText } from '../bytes.js';
import { headAfter } from '../fault.js';
import { summed, USAGE_SUMS } from '../usage.js';
import { SHAPES } from './tables.js';

export type Value = string | number | bigint | null;

/** A table as writers fill it; types are those of PostgreSQL. */
export interface Target {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
  /** The SQL behind `on conflict`, where a row may be there already. */
  readonly conflict?: string;
}

/** Rows to insert, each a value for every column of its target. */
export interface Rows {
  readonly target: Target;
  readonly rows: readonly (readonly Value[])[];
}

/** A thread as its row names it. */
export interface ThreadRow {
  readonly sessionKey: string;
  readonly pathKey: string;
  readonly sessionId: string;
  readonly agentPath: string;
}

/** A write that moves a thread's head. */
export interface Move {
  readonly thread: ThreadRow;
  readonly expected: ThreadHead;
  readonly head: ThreadHead;
  readonly now: number;
  /** What goes with it, in order; known once the thread's own number is. */
  rows(threadId: number): readonly Rows[];
}

/** Events and usage of a thread, whatever its head. */
export type Note = Pick<Move, 'thread' | 'now' | 'rows'>;

/**
 * Writes to a thread: all of it or nothing, in as few trips to the database as it allows. Statements are written by hand,
 * since building them anew for every append costs more than SQLite takes to carry them out.
 */
export interface Writer {
  /** One compare-and-swap. Undefined where the head is another. */
  move(move: Move): Promise<ThreadHead | undefined>;
  /** Begins the thread if it must. */
  note(note: Note): Promise<void>;
}

const targetOf = (name: keyof typeof SHAPES, conflict?: string): Target => ({
  name,
  columns: Object.entries(SHAPES[name].columns).map(([column, type]) => [
    column,
    type.replace(' or null', ''),
  ]),
  ...(conflict !== undefined && { conflict }),
});

/** A column by the field of an entry that stands in it: `inputTokens` in `input_tokens`. */
export const columnOf = (field: string): string =>
  field.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`);

const taken = (columns: readonly string[], from: (column: string) => string): string =>
  columns.map((column) => `${column} = ${from(column)}`).join(', ');

const MESSAGES = targetOf('spillway_message');
const ENTRIES = targetOf('spillway_entry');
const EVENTS = targetOf('spillway_event');
const CHECKPOINTS = targetOf(
  'spillway_checkpoint',
  `(thread_id) do update set ${taken(['messages', 'entries', 'body'], (column) => `excluded.${column}`)}`,
);
const USAGE = targetOf(
  'spillway_usage',
  `(thread_id, line, model) do update set ${taken(USAGE_SUMS.map(columnOf), (sum) => `spillway_usage.${sum} + excluded.${sum}`)}`,
);

export function moveOf(key: ThreadKey, expected: ThreadHead, write: ThreadWrite, now: number): Move {
  const head = headAfter(expected, write);
  const { messages = [], entries = [], events = [], usage = [] } = write;
  // Once: a write that has to wait is tried again.
  const ofMessages = messages.map((message) => [message.seq, keyOf(message.id), messageText(message)]);
  const ofEntries = entries.map(({ kind, at, body }, i) => [
    expected.entries + i,
    writeText(kind),
    at,
    writeJson(body)!,
  ]);
  const checkpoint = write.checkpoint === undefined ? undefined : writeJson(write.checkpoint)!;
  const ofCheckpoint = checkpoint === undefined ? [] : [[head.messages, head.entries, checkpoint]];
  const rows = filled([
    { target: MESSAGES, rows: ofMessages },
    { target: ENTRIES, rows: ofEntries },
    { target: CHECKPOINTS, rows: ofCheckpoint },
    ...noteRows(events, usage),
  ]);
  return { thread: threadRow(key), expected, head, now, rows };
}

export function noteOf(
  key: ThreadKey,
  events: readonly StoredEvent[],
  usage: readonly UsageEntry[],
  now: number,
): Note {
  return { thread: threadRow(key), now, rows: filled(noteRows(events, usage)) };
}

function noteRows(events: readonly StoredEvent[], usage: readonly UsageEntry[]): Rows[] {
  const ofEvents = events.map((event) => {
    const { kind, ref, at } = event;
    return [writeText(kind), ref === undefined ? null : keyOf(ref), at, writeJson(event)!];
  });
  const ofUsage = summed(usage).map((entry) => [
    writeText(entry.line),
    writeText(entry.model),
    ...USAGE_SUMS.map((name) => entry[name]),
  ]);
  return [
    { target: EVENTS, rows: ofEvents },
    { target: USAGE, rows: ofUsage },
  ];
}

/** Every row begins with the number of its thread. */
const filled =
  (all: readonly Rows[]): Move['rows'] =>
  (threadId) =>
    all
      .filter(({ rows }) => rows.length > 0)
      .map(({ target, rows }) => ({ target, rows: rows.map((row) => [threadId, ...row]) }));

function threadRow({ sessionId, agentPath }: ThreadKey): ThreadRow {
  return {
    sessionKey: keyOf(sessionId),
    pathKey: keyOf(agentPath),
    sessionId: writeText(sessionId),
    agentPath: writeText(agentPath),
  };
}
