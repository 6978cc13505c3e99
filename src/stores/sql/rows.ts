import type { StoredEvent, ThreadHead, ThreadKey, ThreadWrite, UsageEntry } from '../../spi/index.js';
import { writeJson, type LogMessage } from '../../transcript/index.js';
import { messageText } from '../bytes.js';
import { headAfter } from '../fault.js';
import { keyOf, writeText } from '../text.js';
import { summed } from '../usage.js';

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

const MESSAGES: Target = {
  name: 'spillway_message',
  columns: [
    ['thread_id', 'bigint'],
    ['seq', 'bigint'],
    ['id_key', 'text'],
    ['body', 'text'],
  ],
};

const ENTRIES: Target = {
  name: 'spillway_entry',
  columns: [
    ['thread_id', 'bigint'],
    ['seq', 'bigint'],
    ['kind', 'text'],
    ['at', 'double precision'],
    ['body', 'text'],
  ],
};

const CHECKPOINTS: Target = {
  name: 'spillway_checkpoint',
  columns: [
    ['thread_id', 'bigint'],
    ['messages', 'bigint'],
    ['entries', 'bigint'],
    ['body', 'text'],
  ],
  conflict:
    '(thread_id) do update set messages = excluded.messages, entries = excluded.entries, body = excluded.body',
};

const EVENTS: Target = {
  name: 'spillway_event',
  columns: [
    ['thread_id', 'bigint'],
    ['kind', 'text'],
    ['ref_key', 'text'],
    ['at', 'double precision'],
    ['body', 'text'],
  ],
};

const SUMS = [
  'calls',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'cost',
  'unpriced',
] as const;

const USAGE: Target = {
  name: 'spillway_usage',
  columns: [
    ['thread_id', 'bigint'],
    ['line', 'text'],
    ['model', 'text'],
    ...SUMS.map((sum) => [sum, sum === 'cost' ? 'double precision' : 'bigint'] as const),
  ],
  conflict: `(thread_id, line, model) do update set ${SUMS.map((sum) => `${sum} = spillway_usage.${sum} + excluded.${sum}`).join(', ')}`,
};

/** Gives the rows of a message in the full-text index. */
export type IndexRows = (threadId: number, messages: readonly LogMessage[]) => Rows;

export function moveOf(
  key: ThreadKey,
  expected: ThreadHead,
  write: ThreadWrite,
  now: number,
  indexRows: IndexRows,
): Move {
  const head = headAfter(expected, write);
  const { messages = [], entries = [], events = [], usage = [] } = write;
  // Once: a write that has to wait is tried again.
  const bodies = messages.map(messageText);
  const entryBodies = entries.map(({ body }) => writeJson(body)!);
  const checkpoint = write.checkpoint === undefined ? undefined : writeJson(write.checkpoint);
  return {
    thread: threadRow(key),
    expected,
    head,
    now,
    rows: (threadId) =>
      filled([
        {
          target: MESSAGES,
          rows: messages.map(({ seq, id }, i) => [threadId, seq, keyOf(id), bodies[i]!]),
        },
        indexRows(threadId, messages),
        {
          target: ENTRIES,
          rows: entries.map(({ kind, at }, i) => [
            threadId,
            expected.entries + i,
            writeText(kind),
            at,
            entryBodies[i]!,
          ]),
        },
        {
          target: CHECKPOINTS,
          rows: checkpoint === undefined ? [] : [[threadId, head.messages, head.entries, checkpoint]],
        },
        ...noteRows(threadId, events, usage),
      ]),
  };
}

export function noteOf(
  key: ThreadKey,
  events: readonly StoredEvent[],
  usage: readonly UsageEntry[],
  now: number,
): Note {
  return {
    thread: threadRow(key),
    now,
    rows: (threadId) => filled(noteRows(threadId, events, usage)),
  };
}

function noteRows(threadId: number, events: readonly StoredEvent[], usage: readonly UsageEntry[]): Rows[] {
  return [
    {
      target: EVENTS,
      rows: events.map((event) => [
        threadId,
        writeText(event.kind),
        event.ref === undefined ? null : keyOf(event.ref),
        event.at,
        writeJson(event)!,
      ]),
    },
    {
      target: USAGE,
      rows: summed(usage).map((entry) => [
        threadId,
        writeText(entry.line),
        writeText(entry.model),
        entry.calls,
        entry.inputTokens,
        entry.cacheReadTokens,
        entry.cacheWriteTokens,
        entry.outputTokens,
        entry.cost,
        entry.unpriced,
      ]),
    },
  ];
}

const filled = (all: readonly Rows[]): readonly Rows[] => all.filter(({ rows }) => rows.length > 0);

function threadRow({ sessionId, agentPath }: ThreadKey): ThreadRow {
  return {
    sessionKey: keyOf(sessionId),
    pathKey: keyOf(agentPath),
    sessionId: writeText(sessionId),
    agentPath: writeText(agentPath),
  };
}
