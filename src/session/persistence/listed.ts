import type { SessionStore, ThreadInfo } from '../../spi/index.js';
import { Ledger, type Left } from '../../transcript/index.js';
import { eventOf } from './entry.js';
import { checkpointIn } from './stored-thread.js';

/** One agent's thread of a session, as a store has it. `head` counts everything ever written. */
export interface ListedSession extends ThreadInfo {
  /** Messages that stand in its log, those left out that were rolled back. */
  readonly messages: number;
}

/** The sessions of a store, the newest first; each agent path by itself. */
export async function listSessions(
  store: SessionStore,
  of: { readonly sessionId?: string; readonly limit?: number } = {},
): Promise<readonly ListedSession[]> {
  const listed: ListedSession[] = [];
  for (const thread of await store.threads(of)) {
    const left = await leftIn(store, thread);
    const gone = left.reduce((sum, { count }) => sum + count, 0);
    listed.push({ ...thread, messages: thread.head.messages - gone });
  }
  return listed;
}

/** Spans that were rolled back. Costs the checkpoint; the ledger only where that is older. */
async function leftIn(store: SessionStore, { head, ...key }: ThreadInfo): Promise<readonly Left[]> {
  if (head.entries === 0) return [];
  const thread = await store.load(key);
  const checkpoint = thread && checkpointIn(thread);
  if (checkpoint) return checkpoint.left;
  return Ledger.of((await store.entries(key, 0)).map(eventOf)).left;
}
