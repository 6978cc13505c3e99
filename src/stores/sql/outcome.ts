import { isDeepStrictEqual } from 'node:util';
import type { StoredEvent, ThreadHead, ThreadKey, ThreadWrite } from '../../spi/index.js';
import { parseJson, writeJson } from '../../transcript/index.js';
import { headAfter } from '../fault.js';
import { keyOf } from '../bytes.js';
import * as read from './read.js';
import type { Database, Open } from './tables.js';

/**
 * Finds out whether a write was done whose answer never came. Waits for the transaction of the lost connection, should the
 * server still be at it. Undefined where the write left nothing that could be recognised.
 */
export function wasDone(
  db: Database,
  key: ThreadKey,
  expected: ThreadHead,
  write: ThreadWrite,
): Promise<boolean | undefined> {
  const [message] = write.messages ?? [];
  const [entry] = write.entries ?? [];
  if (!message && !entry) return Promise.resolve(undefined);
  const after = headAfter(expected, write);
  return settled(db, key, async (open, head) => {
    if (!head || head.messages < after.messages || head.entries < after.entries) return false;
    // Somebody else may have written there: ids of messages are nobody else's, entries are compared whole.
    if (message) {
      const [stored] = await read.messages(open, key, message.seq, message.seq + 1);
      return stored?.id === message.id;
    }
    const [stored] = await read.entries(open, key, expected.entries, expected.entries + 1);
    return isDeepStrictEqual(stored, parseJson(writeJson(entry)!));
  });
}

/** As `wasDone`, for a note: by the first of its events that has a name. */
export function wasNoted(
  db: Database,
  key: ThreadKey,
  events: readonly StoredEvent[],
): Promise<boolean | undefined> {
  const named = events.find(({ id }) => id !== undefined);
  if (!named) return Promise.resolve(undefined);
  const { kind, ref, id: name } = named;
  const query = { kinds: [kind], ...(ref !== undefined && { ref }) };
  return settled(db, key, async (open) =>
    (await read.events(open, key, query)).some(({ id }) => id === name),
  );
}

/** Looks when nobody is writing to the thread any more, and nobody can begin to. */
function settled<Found>(
  db: Database,
  key: ThreadKey,
  look: (open: Open, head: ThreadHead | undefined) => Promise<Found>,
): Promise<Found> {
  return db.transaction().execute(async (open) => {
    const head = await open
      .selectFrom('spillway_thread')
      .select(['messages', 'entries'])
      .where('session_key', '=', keyOf(key.sessionId))
      .where('path_key', '=', keyOf(key.agentPath))
      .forUpdate()
      .executeTakeFirst();
    return look(open, head);
  });
}
