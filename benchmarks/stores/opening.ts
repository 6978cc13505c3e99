import type { SessionStore, ThreadKey } from '../../src/spi/index.js';
import { openStore } from '../../src/stores/index.js';
import { logMessage } from '../support/log-message.js';
import { median, round, timed } from './figures.js';

/** By the store's own write: the rows are those of a session that came to be so long. */
async function fill(store: SessionStore, key: ThreadKey, count: number): Promise<void> {
  let head = { messages: 0, entries: 0 };
  while (head.messages < count) {
    const many = Math.min(2_000, count - head.messages);
    const messages = Array.from({ length: many }, (_, i) => logMessage(head.messages + i));
    head = (await store.write(key, head, { messages, checkpoint: { messages: head.messages } }))!;
    if (head.messages % 100_000 === 0) console.log(`${head.messages} of ${count} messages are there`);
  }
}

/** Connecting, the thread's row and checkpoint, and all of its messages: what stands between a command and its session. */
const opened = (url: string, key: ThreadKey): Promise<number> =>
  timed(async () => {
    const store = await openStore(url);
    const { head } = (await store.load(key))!;
    const messages = await store.messages(key, 0, head.messages);
    if (messages.length !== head.messages) throw new Error(`${messages.length} of ${head.messages} messages`);
    await store.close();
  });

/** What a database is told before and after it is filled: an index made at the end is made in a tenth of the time. */
export interface Filling {
  readonly before?: () => Promise<unknown>;
  readonly after?: () => Promise<unknown>;
}

/** Opening a session of so many messages. */
export async function opening(
  url: string,
  long: number,
  rounds: number,
  filling: Filling = {},
): Promise<Record<string, unknown>> {
  const key = { sessionId: 'long', agentPath: 'primary' };
  const store = await openStore(url);
  const fillMs = await timed(async () => {
    await filling.before?.();
    await fill(store, key, long);
    await filling.after?.();
  });
  await store.close();
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) times.push(await opened(url, key));
  return {
    messages: long,
    openMs: round(median(times)),
    goal: 1_000,
    fillMessagesPerSecond: Math.round(long / (fillMs / 1_000)),
  };
}
