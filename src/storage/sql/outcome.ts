import { isDeepStrictEqual } from 'node:util';
import type { LedgerEntry, ThreadHead, ThreadKey, ThreadWrite } from '../../spi/index.js';
import { headAfter } from '../fault.js';
import { keyOf } from '../text.js';
import { readEntries, readMessages } from './read.js';
import type { Database } from './tables.js';

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
  return db.transaction().execute(async (open) => {
    const head = await open
      .selectFrom('spillway_thread')
      .select(['messages', 'entries'])
      .where('session_key', '=', keyOf(key.sessionId))
      .where('path_key', '=', keyOf(key.agentPath))
      .forUpdate()
      .executeTakeFirst();
    const after = headAfter(expected, write);
    if (!head || head.messages < after.messages || head.entries < after.entries) return false;
    // Somebody else may have written there: ids of messages are nobody else's, entries are compared whole.
    if (message) {
      const [stored] = await readMessages(open, key, message.seq, message.seq + 1);
      return stored?.id === message.id;
    }
    const [stored] = await readEntries(open, key, expected.entries, expected.entries + 1);
    return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(entry)) as LedgerEntry);
  });
}
