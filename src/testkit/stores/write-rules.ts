import assert from 'node:assert/strict';
import { entry, KEY, message, messagesFrom, range, rule, START, usage, type StoreRule } from './rule.js';

const ids = (messages: readonly { readonly id: string }[]): string[] => messages.map(({ id }) => id);

/** Writes: all or nothing, one at a time, each in its own thread. */
export const WRITE_RULES: readonly StoreRule[] = [
  rule('STORE-04', 'a write made on another head writes nothing and reports it', async (store) => {
    await store.write(KEY, START, {
      messages: messagesFrom(0, 2),
      entries: [entry(0)],
      checkpoint: 'first',
    });
    const before = await store.load(KEY);
    for (const head of [
      START,
      { messages: 2, entries: 0 },
      { messages: 1, entries: 1 },
      { messages: 3, entries: 1 },
    ]) {
      const late = {
        messages: [message(head.messages, 'late', { id: 'late' })],
        entries: [entry(9)],
        checkpoint: 'late',
        events: [{ kind: 'late', at: 1, body: null }],
        usage: [usage('primary', '', 1)],
      };
      assert.equal(await store.write(KEY, head, late), undefined, `on ${JSON.stringify(head)}`);
    }
    assert.deepEqual(await store.load(KEY), before);
    assert.deepEqual(ids(await store.messages(KEY, 0)), ['m0', 'm1']);
    assert.deepEqual(await store.entries(KEY, 0), [entry(0)]);
    assert.deepEqual(await store.events(KEY), []);
    assert.deepEqual(await store.usage(), []);
    assert.equal(await store.write({ ...KEY, agentPath: 'new' }, { messages: 1, entries: 0 }, {}), undefined);
    assert.equal(await store.load({ ...KEY, agentPath: 'new' }), undefined, 'a lost write begins no thread');
  }),
  rule('STORE-05', 'of several writes at once on one head, exactly one succeeds', async (store) => {
    let head = START;
    for (let round = 0; round < 5; round++) {
      const attempts = range(0, 8).map((i) =>
        store.write(KEY, head, {
          messages: [message(head.messages, `${round}`, { id: `r${round}w${i}` })],
          entries: [entry(i)],
        }),
      );
      const won = (await Promise.all(attempts)).filter((one) => one !== undefined);
      assert.equal(won.length, 1, `round ${round}: ${won.length} of 8 writes on one head were done`);
      head = won[0]!;
    }
    assert.equal((await store.messages(KEY, 0)).length, 5);
    assert.equal((await store.entries(KEY, 0)).length, 5);
  }),
  rule('STORE-06', 'a write that cannot be done as a whole is not done at all', async (store) => {
    await store.write(KEY, START, { messages: [message(0, 'first', { id: 'taken' })] });
    const before = await store.load(KEY);
    const head = { messages: 1, entries: 0 };
    const refused = [
      {
        messages: [message(1, 'unseen'), message(2, 'unseen', { id: 'taken' })],
        entries: [entry(0)],
        checkpoint: 1,
      },
      { messages: [message(1, 'unseen'), message(2, 'unseen', { id: 'm1' })] },
      { messages: [message(2, 'unseen')], events: [{ kind: 'k', at: 1, body: 1 }] },
      { messages: [message(0, 'unseen', { id: 'again' })] },
    ];
    for (const write of refused) {
      const said = write.messages.map(({ seq, id }) => `${seq} ${id}`).join();
      await assert.rejects(
        store.write(KEY, head, write),
        () => true,
        `messages ${said}: an id or a place is taken`,
      );
    }
    assert.deepEqual(await store.load(KEY), before);
    assert.equal((await store.messages(KEY, 0)).length, 1);
    assert.deepEqual(await store.entries(KEY, 0), []);
    assert.deepEqual(await store.events(KEY), []);
    assert.ok(
      await store.write(KEY, head, { messages: [message(1, 'second')] }),
      'the next write goes through',
    );
  }),
  rule('STORE-07', 'threads do not affect each other, for any names', async (store) => {
    const plain = ['', 'a', 'A', 'a/b', 'a b', "a'b", 'a"b', 'a\nb', 'a\\nb', 'a\0b', 'a%b', 'a_b', ' a'];
    const odd = ['é', 'e\u0301', '\ud800', '\udbff', 'x'.repeat(5_000), `${'x'.repeat(5_000)}y`];
    const keys = [...plain, ...odd].flatMap((sessionId) => [
      { sessionId, agentPath: 'a' },
      { sessionId: 'a/b', agentPath: sessionId },
    ]);
    const different = keys.filter((key, i) => keys.findIndex((other) => same(key, other)) === i);
    for (const [i, key] of different.entries()) {
      const write = {
        messages: [message(0, `word${i}`)],
        entries: [entry(i)],
        checkpoint: i,
        events: [{ kind: 'k', at: 1, body: i }],
      };
      assert.ok(await store.write(key, START, write), `first write of ${JSON.stringify(key).slice(0, 60)}`);
    }
    for (const [i, key] of different.entries()) {
      const said = JSON.stringify(key).slice(0, 60);
      assert.equal((await store.load(key))?.checkpoint, i, said);
      assert.deepEqual(await store.messages(key, 0), [message(0, `word${i}`)], said);
      assert.deepEqual(await store.entries(key, 0), [entry(i)], said);
      assert.deepEqual(await store.events(key), [{ kind: 'k', at: 1, body: i }], said);
    }
    const listed = (await store.threads()).map(({ sessionId, agentPath }) =>
      JSON.stringify([sessionId, agentPath]),
    );
    assert.deepEqual(
      listed.sort(),
      different.map((key) => JSON.stringify([key.sessionId, key.agentPath])).sort(),
    );
  }),
  rule(
    'STORE-12',
    'if the caller later changes an object that it passed in or received, nothing changes in the store',
    async (store) => {
      const given = message(0, 'as written');
      const body = { list: [1] };
      await store.write(KEY, START, {
        messages: [given],
        entries: [{ kind: 'k', at: 1, body }],
        checkpoint: body,
      });
      tryTo(() => ((given.parts[0] as { text: string }).text = 'changed'));
      body.list.push(2);
      for (let again = 0; again < 2; again++) {
        const [read] = await store.messages(KEY, 0);
        assert.deepEqual(read, message(0, 'as written'));
        const [stored] = await store.entries(KEY, 0);
        assert.deepEqual(stored?.body, { list: [1] });
        assert.deepEqual((await store.load(KEY))?.checkpoint, { list: [1] });
        tryTo(() => ((read!.parts[0] as { text: string }).text = 'changed'));
        tryTo(() => (stored!.body as { list: number[] }).list.push(3));
      }
    },
  ),
];

/** Tries a change, because returned objects may be frozen. */
function tryTo(change: () => unknown): void {
  try {
    change();
  } catch {
    // Good: it cannot be changed.
  }
}

function same(
  a: { sessionId: string; agentPath: string },
  b: { sessionId: string; agentPath: string },
): boolean {
  return a.sessionId === b.sessionId && a.agentPath === b.agentPath;
}
