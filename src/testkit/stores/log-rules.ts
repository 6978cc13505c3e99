import assert from 'node:assert/strict';
import { entry, KEY, message, messagesFrom, range, rule, reply, START, type StoreRule } from './rule.js';

/** The log, the ledger and the checkpoint of one thread. */
export const LOG_RULES: readonly StoreRule[] = [
  rule(
    'STORE-01',
    'a thread that was never written does not exist, and reading it is no fault',
    async (store) => {
      assert.equal(await store.load(KEY), undefined);
      assert.deepEqual(await store.messages(KEY, 0), []);
      assert.deepEqual(await store.entries(KEY, 0), []);
      assert.deepEqual(await store.events(KEY), []);
      assert.deepEqual(await store.usage(), []);
      assert.deepEqual(await store.threads(), []);
    },
  ),
  rule(
    'STORE-02',
    'a message comes back as it was written, field by field and character by character',
    async (store) => {
      const odd =
        'NUL \0, half a pair \ud83d, \udc00 the other, é, 漢字, 😀, "quotes", \'single\', back\\slash \\u0000\r\n\t\u2028';
      const written = [
        message(0, odd, {
          id: odd,
          name: 'ann',
          pinned: true,
          label: 'notice',
          createdAt: 1_763_776_000_123,
        }),
        reply(
          1,
          { type: 'reasoning', text: odd, signature: 'proof==' },
          {
            type: 'tool-call',
            callId: 'c\0',
            name: 'Read',
            arguments: '{"broken": ',
            wire: { raw: [1, 2.5, null, odd] },
          },
        ),
        message(2, '', {
          role: 'tool',
          origin: 'tool',
          wire: { 'a.b': { __proto__x: '', '': 1e21 } },
          parts: [
            { type: 'tool-result', callId: 'c\0', content: [{ type: 'text', text: odd }], isError: true },
            { type: 'file', mediaType: 'image/png', bytes: 12, name: odd },
            { type: 'marker', marker: 'compaction', auto: false },
          ],
        }),
      ];
      assert.deepEqual(await store.write(KEY, START, { messages: written }), { messages: 3, entries: 0 });
      assert.deepEqual(await store.messages(KEY, 0), written);
    },
  ),
  rule('STORE-03', 'writes keep their order, and a range returns exactly that range', async (store) => {
    await store.write(KEY, START, { messages: messagesFrom(0, 4) });
    const head = await store.write(KEY, { messages: 4, entries: 0 }, { messages: messagesFrom(4, 6) });
    assert.deepEqual(head, { messages: 10, entries: 0 });
    assert.deepEqual((await store.load(KEY))?.head, head);
    const read = async (from: number, to?: number) =>
      (await store.messages(KEY, from, to)).map(({ seq }) => seq);
    assert.deepEqual(await read(0), range(0, 10));
    assert.deepEqual(await read(3, 6), [3, 4, 5]);
    assert.deepEqual(await read(8, 99), [8, 9]);
    assert.deepEqual(await read(10), []);
    assert.deepEqual(await read(5, 5), []);
    assert.deepEqual(await read(0, 0), []);
  }),
  rule(
    'STORE-08',
    'a checkpoint stays, with the head of its write, until the next one replaces it',
    async (store) => {
      await store.write(KEY, START, { messages: messagesFrom(0, 2) });
      assert.deepEqual(await store.load(KEY), { head: { messages: 2, entries: 0 } }, 'no checkpoint yet');
      let head = (await store.write(
        KEY,
        { messages: 2, entries: 0 },
        { entries: [entry(0)], checkpoint: { tail: [1, 'a\0'] } },
      ))!;
      const at = head;
      head = (await store.write(KEY, head, { messages: messagesFrom(2, 1) }))!;
      assert.deepEqual(await store.load(KEY), { head, checkpoint: { tail: [1, 'a\0'] }, checkpointAt: at });
      head = (await store.write(KEY, head, { checkpoint: null }))!;
      assert.deepEqual(head, { messages: 3, entries: 1 }, 'a checkpoint alone moves nothing');
      assert.deepEqual(await store.load(KEY), { head, checkpoint: null, checkpointAt: head });
    },
  ),
  rule('STORE-09', 'entries of the ledger come back in order, with their content', async (store) => {
    await store.write(KEY, START, { entries: [entry(0), entry(1)] });
    await store.write(
      KEY,
      { messages: 0, entries: 2 },
      { entries: [{ kind: 'un\0do', at: 5, body: null }], messages: messagesFrom(0, 1) },
    );
    assert.deepEqual(await store.entries(KEY, 0), [
      entry(0),
      entry(1),
      { kind: 'un\0do', at: 5, body: null },
    ]);
    assert.deepEqual(await store.entries(KEY, 1, 2), [entry(1)]);
    assert.deepEqual(await store.entries(KEY, 3), []);
  }),
  rule(
    'STORE-10',
    'ids of messages are compared letter by letter, and only within their thread',
    async (store) => {
      const long = 'i'.repeat(5_000);
      const written = [
        message(0, 'a', { id: long }),
        message(1, 'b', { id: `${long}j` }),
        message(2, 'c', { id: 'I' }),
        message(3, 'd', { id: 'i' }),
      ];
      for (const thread of [KEY, { ...KEY, agentPath: 'other' }]) {
        await store.write(thread, START, { messages: written });
        assert.deepEqual(await store.messages(thread, 0), written);
      }
    },
  ),
  rule('STORE-11', 'one write accepts a large message, or very many small ones', async (store) => {
    const large = message(0, `begin ${'0123456789\0é'.repeat(400_000)} end`);
    const written = [large, ...messagesFrom(1, 2_500)];
    assert.deepEqual(await store.write(KEY, START, { messages: written }), { messages: 2_501, entries: 0 });
    assert.ok(assertSame(await store.messages(KEY, 0), written));
  }),
];

/** Compares megabytes without showing them. */
function assertSame(read: readonly unknown[], written: readonly unknown[]): boolean {
  assert.equal(read.length, written.length);
  const different = read.findIndex((one, i) => JSON.stringify(one) !== JSON.stringify(written[i]));
  assert.equal(different, -1, `message ${different} came back as another`);
  return true;
}
