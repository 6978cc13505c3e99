import type { StoredEvent, ThreadHead, ThreadKey, ThreadWrite, UsageEntry } from '../../spi/index.js';
import { headAfter } from '../fault.js';
import { keyOf, writeText } from '../text.js';
import { summed } from '../usage.js';
import { batches } from './batches.js';
import type { Dialect } from './dialect.js';
import type { Open } from './tables.js';

/** One compare-and-swap, inside a transaction. Undefined where the head is another. */
export async function writeThread(
  open: Open,
  dialect: Dialect,
  key: ThreadKey,
  expected: ThreadHead,
  write: ThreadWrite,
  now: number,
): Promise<ThreadHead | undefined> {
  const head = headAfter(expected, write);
  const isFirst = expected.messages === 0 && expected.entries === 0;
  const threadId =
    (isFirst ? await begin(open, key, head, now) : undefined) ?? (await move(open, key, expected, head, now));
  if (threadId === undefined) return undefined;
  const { messages = [], entries = [], events = [], usage = [] } = write;
  const messageRows = messages.map((message) => ({
    thread_id: threadId,
    seq: message.seq,
    id_key: keyOf(message.id),
    body: JSON.stringify(message),
  }));
  for (const rows of batches(messageRows)) await open.insertInto('spillway_message').values(rows).execute();
  if (messages.length > 0) await dialect.words.add(open, threadId, messages);
  const entryRows = entries.map(({ kind, at, body }, i) => ({
    thread_id: threadId,
    seq: expected.entries + i,
    kind: writeText(kind),
    at,
    body: JSON.stringify(body),
  }));
  for (const rows of batches(entryRows)) await open.insertInto('spillway_entry').values(rows).execute();
  if (write.checkpoint !== undefined) {
    const row = { messages: head.messages, entries: head.entries, body: JSON.stringify(write.checkpoint) };
    await open
      .insertInto('spillway_checkpoint')
      .values({ thread_id: threadId, ...row })
      .onConflict((conflict) => conflict.column('thread_id').doUpdateSet(row))
      .execute();
  }
  await addNotes(open, threadId, events, usage);
  return head;
}

/** Events and usage of a thread, which begins with them if it must. */
export async function noteThread(
  open: Open,
  key: ThreadKey,
  events: readonly StoredEvent[],
  usage: readonly UsageEntry[],
  now: number,
): Promise<void> {
  const at = { messages: 0, entries: 0 };
  const threadId =
    (await touch(open, key, now)) ?? (await begin(open, key, at, now)) ?? (await touch(open, key, now));
  await addNotes(open, threadId!, events, usage);
}

/** Undefined where the thread is there already. */
async function begin(open: Open, key: ThreadKey, head: ThreadHead, now: number): Promise<number | undefined> {
  const row = await open
    .insertInto('spillway_thread')
    .values({
      session_key: keyOf(key.sessionId),
      path_key: keyOf(key.agentPath),
      session_id: writeText(key.sessionId),
      agent_path: writeText(key.agentPath),
      ...head,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['session_key', 'path_key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** A second writer waits here for the first one's end, and then finds another head. */
async function move(
  open: Open,
  key: ThreadKey,
  expected: ThreadHead,
  head: ThreadHead,
  now: number,
): Promise<number | undefined> {
  const row = await touching(open, key, now)
    .set(head)
    .where('messages', '=', expected.messages)
    .where('entries', '=', expected.entries)
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

async function touch(open: Open, key: ThreadKey, now: number): Promise<number | undefined> {
  const row = await touching(open, key, now).returning('id').executeTakeFirst();
  return row?.id;
}

/** Clocks may go back; what was done last stays what was done last. */
function touching(open: Open, key: ThreadKey, now: number) {
  return open
    .updateTable('spillway_thread')
    .set(({ eb, ref }) => ({
      updated_at: eb.case().when(ref('updated_at'), '>', now).then(ref('updated_at')).else(now).end(),
    }))
    .where('session_key', '=', keyOf(key.sessionId))
    .where('path_key', '=', keyOf(key.agentPath));
}

async function addNotes(
  open: Open,
  threadId: number,
  events: readonly StoredEvent[],
  usage: readonly UsageEntry[],
): Promise<void> {
  const rows = events.map((event) => ({
    thread_id: threadId,
    kind: writeText(event.kind),
    ref_key: event.ref === undefined ? null : keyOf(event.ref),
    at: event.at,
    body: JSON.stringify(event),
  }));
  for (const batch of batches(rows)) await open.insertInto('spillway_event').values(batch).execute();
  for (const entry of summed(usage)) await addUsage(open, threadId, entry);
}

async function addUsage(open: Open, threadId: number, entry: UsageEntry): Promise<void> {
  const sums = {
    calls: entry.calls,
    input_tokens: entry.inputTokens,
    cache_read_tokens: entry.cacheReadTokens,
    cache_write_tokens: entry.cacheWriteTokens,
    output_tokens: entry.outputTokens,
    cost: entry.cost,
    unpriced: entry.unpriced,
  };
  await open
    .insertInto('spillway_usage')
    .values({ thread_id: threadId, line: writeText(entry.line), model: writeText(entry.model), ...sums })
    .onConflict((conflict) =>
      conflict.columns(['thread_id', 'line', 'model']).doUpdateSet(({ eb }) => ({
        calls: eb('spillway_usage.calls', '+', sums.calls),
        input_tokens: eb('spillway_usage.input_tokens', '+', sums.input_tokens),
        cache_read_tokens: eb('spillway_usage.cache_read_tokens', '+', sums.cache_read_tokens),
        cache_write_tokens: eb('spillway_usage.cache_write_tokens', '+', sums.cache_write_tokens),
        output_tokens: eb('spillway_usage.output_tokens', '+', sums.output_tokens),
        cost: eb('spillway_usage.cost', '+', sums.cost),
        unpriced: eb('spillway_usage.unpriced', '+', sums.unpriced),
      })),
    )
    .execute();
}
