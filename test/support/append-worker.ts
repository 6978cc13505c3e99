/** Another process on the same store: appends `count` messages, each on the current head. */
import type { LogMessage } from '../../src/transcript/index.js';
import { openStore } from '../../src/stores/index.js';

const [url, writer, count] = process.argv.slice(2) as [string, string, string];
const key = { sessionId: 's', agentPath: 'primary' };
const size = { tokens: 1, bytes: 1, images: 0 };
const store = await openStore(url, { patienceMs: 60_000 });
for (let done = 0; done < Number(count);) {
  const head = (await store.load(key))?.head ?? { messages: 0, entries: 0 };
  const message: LogMessage = {
    id: `${writer}.${done}`,
    seq: head.messages,
    role: 'user',
    origin: 'user',
    parts: [{ type: 'text', text: writer }],
    size: { ...size, parts: [size] },
  };
  if (await store.write(key, head, { messages: [message] })) done++;
}
await store.close();
