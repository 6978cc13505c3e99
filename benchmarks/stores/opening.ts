import type { SessionStore, ThreadKey } from '../../src/spi/index.js';
import { openStore } from '../../src/stores/index.js';
import { logMessage } from '../support/log-message.js';
import { median, round, timed } from './figures.js';

const SHORT = 100;
/** What a session reads behind its checkpoint when it is opened. */
const TAIL = 50;

/** By the store's own write: the rows are those of a session that came to be so long. */
async function fill(store: SessionStore, key: ThreadKey, count: number): Promise<void> {
  let head = { messages: 0, entries: 0 };
  while (head.messages < count) {
    const many = Math.min(2_000, count - head.messages);
    const messages = Array.from({ length: many }, (_, i) => logMessage(head.messages + i));
    head = (await store.write(key, head, { messages, checkpoint: { tail: head.messages } }))!;
    if (head.messages % 100_000 === 0) console.log(`${head.messages} of ${count} messages are there`);
  }
}

/** Connecting, the thread's row and checkpoint, and the tail: what stands between a command and its session. */
const opened = (url: string, key: ThreadKey): Promise<number> =>
  timed(async () => {
    const store = await openStore(url);
    const head = (await store.load(key))!.head;
    const tail = await store.messages(key, head.messages - TAIL);
    if (tail.length !== TAIL) throw new Error(`a tail of ${tail.length}`);
    await store.close();
  });

/** What a database is told before and after it is filled: an index made at the end is made in a tenth of the time. */
export interface Filling {
  readonly before?: () => Promise<unknown>;
  readonly after?: () => Promise<unknown>;
}

/** Opening a session of 100 and one of `long` messages, and searching the long one. */
export async function opening(
  url: string,
  long: number,
  rounds: number,
  filling: Filling = {},
): Promise<Record<string, unknown>> {
  const [shortKey, longKey] = ['short', 'long'].map((sessionId) => ({ sessionId, agentPath: 'primary' }));
  const store = await openStore(url);
  await fill(store, shortKey!, SHORT);
  const fillMs = await timed(async () => {
    await filling.before?.();
    await fill(store, longKey!, long);
    await filling.after?.();
  });
  await store.close();
  // In turn, so that what else the machine does meets both.
  const times = { short: [] as number[], long: [] as number[] };
  for (let i = 0; i < rounds; i++) {
    times.short.push(await opened(url, shortKey!));
    times.long.push(await opened(url, longKey!));
  }
  return {
    messages: [SHORT, long],
    openMs: [round(median(times.short)), round(median(times.long))],
    ratio: round(median(times.long) / median(times.short)),
    goal: 1.5,
    fillMessagesPerSecond: Math.round(long / (fillMs / 1_000)),
  };
}
