import type { SessionStore, ThreadKey } from '../../src/spi/index.js';
import { openStore } from '../../src/stores/index.js';
import { logMessage } from '../support/log-message.js';
import { median, round, timed } from './figures.js';

/** Fills the store through its own write, so that the rows are those of a real session of this length. */
async function fill(store: SessionStore, key: ThreadKey, count: number): Promise<void> {
  let head = { messages: 0, entries: 0 };
  while (head.messages < count) {
    const many = Math.min(2_000, count - head.messages);
    const messages = Array.from({ length: many }, (_, i) => logMessage(head.messages + i));
    head = (await store.write(key, head, { messages, checkpoint: { messages: head.messages } }))!;
    if (head.messages % 100_000 === 0) console.log(`${head.messages} of ${count} messages written`);
  }
}

/** The time to open a session: connecting, the thread's row and checkpoint, and all of its messages. */
const opened = (url: string, key: ThreadKey): Promise<number> =>
  timed(async () => {
    const store = await openStore(url);
    const { head } = (await store.load(key))!;
    const messages = await store.messages(key, 0, head.messages);
    if (messages.length !== head.messages) throw new Error(`${messages.length} of ${head.messages} messages`);
    await store.close();
  });

/** Steps before and after a database is filled: an index that is made at the end takes a tenth of the time. */
export interface Filling {
  readonly before?: () => Promise<unknown>;
  readonly after?: () => Promise<unknown>;
}

/** Measures the opening of a session with the given number of messages. */
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
