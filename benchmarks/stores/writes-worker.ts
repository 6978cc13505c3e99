/** One process of `writes.ts`: appends to a thread of its own for a while, and prints its figures. */
import { openStore } from '../../src/stores/index.js';
import { logMessage } from '../support/log-message.js';

interface Task {
  readonly url: string;
  readonly sessionId: string;
  readonly rows: number;
  readonly ms: number;
}

const { url, sessionId, rows, ms } = JSON.parse(process.argv[2]!) as Task;
const key = { sessionId, agentPath: 'primary' };
const store = await openStore(url, { patienceMs: 60_000 });
let head = { messages: 0, entries: 0 };
const append = async (): Promise<void> => {
  const messages = Array.from({ length: rows }, (_, i) => logMessage(head.messages + i));
  const next = await store.write(key, head, { messages });
  if (!next) throw new Error('another process wrote to this thread');
  head = next;
};
// Connections, statements and compiled code exist before the clock starts.
for (let i = 0; i < 20; i++) await append();
const waits: number[] = [];
const before = head.messages;
const started = performance.now();
while (performance.now() - started < ms) {
  const asked = performance.now();
  await append();
  waits.push(performance.now() - asked);
}
const tookMs = performance.now() - started;
waits.sort((a, b) => a - b);
const at = (share: number): number => Number(waits[Math.floor(waits.length * share)]!.toFixed(2));
await store.close();
console.log(JSON.stringify({ rows: head.messages - before, tookMs, medianMs: at(0.5), p99Ms: at(0.99) }));
