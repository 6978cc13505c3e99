import assert from 'node:assert/strict';
import type { SessionStore } from '../../spi/index.js';
import {
  entry,
  event,
  KEY,
  message,
  messagesFrom,
  range,
  reopenRule,
  START,
  usage,
  type StoreRule,
} from './rule.js';

/** Rules for stores that outlive the process that opened them. */
export const REOPEN_RULES: readonly StoreRule[] = [
  reopenRule('STORE-20', 'what was written is there when the store is opened again', async (open) => {
    const first = await open();
    const written = messagesFrom(0, 12);
    const write = {
      messages: written,
      entries: [entry(0)],
      checkpoint: { at: 1 },
      events: [event('call', 1, 'r')],
      usage: [usage('primary', 'm', 2)],
    };
    const head = await first.write(KEY, START, write);
    await first.keepArtifact('k', { text: 'bought', body: { tokens: 3 } });
    await first.setValue('knobs', 'window', 8_000);
    const threads = await first.threads();
    await first.close();
    const again = await open();
    assert.deepEqual(await again.load(KEY), { head, checkpoint: { at: 1 }, checkpointAt: head });
    assert.deepEqual(await again.messages(KEY, 0), written);
    assert.deepEqual(await again.entries(KEY, 0), [entry(0)]);
    assert.deepEqual(await again.events(KEY), [event('call', 1, 'r')]);
    assert.deepEqual(await again.usage(), [usage('primary', 'm', 2)]);
    assert.deepEqual(await again.artifact('k'), { text: 'bought', body: { tokens: 3 } });
    assert.deepEqual(await again.values('knobs'), { window: 8_000 });
    assert.deepEqual(await again.threads(), threads);
    assert.ok(await again.write(KEY, head!, { messages: messagesFrom(12, 1) }), 'and goes on');
  }),
  reopenRule('STORE-21', 'two processes see the writes of each other, and never both win', async (open) => {
    const stores = [await open(), await open()] as const;
    const done = await Promise.all(stores.map((store, i) => append(store, `w${i}`, 20)));
    assert.deepEqual(done, [20, 20]);
    for (const store of stores) {
      const all = await store.messages(KEY, 0);
      assert.deepEqual(
        all.map(({ seq }) => seq),
        range(0, 40),
      );
      for (const writer of ['w0', 'w1']) {
        const own = all.filter(({ id }) => id.startsWith(writer)).map(({ id }) => id);
        assert.deepEqual(
          own,
          range(0, 20).map((i) => `${writer}.${i}`),
          'each message once, in its writer’s order',
        );
      }
      assert.equal((await store.usage())[0]?.calls, 40);
    }
  }),
  reopenRule('STORE-22', 'two processes may open it at the same moment', async (open) => {
    const stores = await Promise.all([open(), open(), open()]);
    await stores[0].setValue('scope', 'name', 1);
    for (const store of stores) assert.equal(await store.value('scope', 'name'), 1);
  }),
];

/** Appends `count` messages one by one, each on the current head. Returns the number of successful writes. */
async function append(store: SessionStore, writer: string, count: number): Promise<number> {
  let done = 0;
  for (let tries = 0; done < count; tries++) {
    assert.ok(tries < 100 * count, `${writer} never comes to write`);
    const head = (await store.load(KEY))?.head ?? START;
    const one = message(head.messages, 'appended', { id: `${writer}.${done}` });
    if (await store.write(KEY, head, { messages: [one], usage: [usage('primary', 'm', 1)] })) done++;
  }
  return done;
}
