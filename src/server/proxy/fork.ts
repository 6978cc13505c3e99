import type { SessionStore, ThreadKey } from '../../spi/index.js';

/**
 * Copies a thread under another name: log, ledger and checkpoint. Following the client's history in the copy rolls it back to
 * what both have in common, and compactions within that stay.
 */
export async function forkThread(store: SessionStore, from: ThreadKey, to: ThreadKey): Promise<void> {
  const thread = await store.load(from);
  if (!thread) return;
  const { head, checkpoint } = thread;
  const [messages, entries] = await Promise.all([
    store.messages(from, 0, head.messages),
    store.entries(from, 0, head.entries),
  ]);
  await store.write(
    to,
    { messages: 0, entries: 0 },
    { messages, entries, ...(checkpoint !== undefined && { checkpoint }) },
  );
}
