import assert from 'node:assert/strict';
import { entry, event, KEY, message, range, rule, START, usage, type StoreRule } from './rule.js';

const REVIEWER = { ...KEY, agentPath: 'primary/reviewer' };
const OTHER = { sessionId: 'other', agentPath: 'primary' };

/** Data next to the log: events, usage, artifacts, values, the list of threads; and closing. */
export const SIDE_RULES: readonly StoreRule[] = [
  rule(
    'STORE-13',
    'events keep the order in which they were written, even against their times',
    async (store) => {
      await store.write(KEY, START, { messages: [message(0, 'a')], events: [event('call', 50, '1')] });
      await store.note(KEY, [event('compaction.completed', 30, 'r1'), event('call', 20, '2')]);
      await store.note(KEY, [event('call', 40)]);
      await store.note(REVIEWER, [event('call', 1, '1')]);
      const read = async (query?: Parameters<typeof store.events>[1]) =>
        (await store.events(KEY, query)).map(({ at }) => at);
      assert.deepEqual(await read(), [50, 30, 20, 40]);
      assert.deepEqual(await read({ newestFirst: true }), [40, 20, 30, 50]);
      assert.deepEqual(await read({ kinds: ['call'] }), [50, 20, 40]);
      assert.deepEqual(await read({ kinds: ['call', 'compaction.completed'], limit: 2 }), [50, 30]);
      assert.deepEqual(await read({ kinds: [] }), []);
      assert.deepEqual(await read({ ref: '2' }), [20]);
      assert.deepEqual(await read({ ref: '2', kinds: ['compaction.completed'] }), []);
      assert.deepEqual(await read({ newestFirst: true, limit: 1 }), [40]);
      assert.deepEqual(await read({ limit: 0 }), []);
      assert.deepEqual(await store.events(KEY, { limit: 1 }), [event('call', 50, '1')], 'the whole event');
    },
  ),
  rule('STORE-14', 'a note needs no head and moves none', async (store) => {
    await store.note(KEY, [event('call', 1)]);
    assert.deepEqual((await store.load(KEY))?.head, START, 'noted before the first write');
    assert.deepEqual(await store.write(KEY, START, { entries: [entry(0)] }), { messages: 0, entries: 1 });
    await store.note(KEY, [event('call', 2)]);
    const head = await store.write(KEY, { messages: 0, entries: 1 }, { messages: [message(0, 'a')] });
    assert.deepEqual(head, { messages: 1, entries: 1 });
    assert.equal((await store.events(KEY)).length, 2);
  }),
  rule(
    'STORE-15',
    'usage is summed by line and model, for a thread, a session or the whole store, and none is lost',
    async (store) => {
      await store.note(
        KEY,
        [],
        [usage('primary', 'large', 1), usage('compactor', 'small', 2), usage('primary', 'large', 3)],
      );
      await store.write(KEY, START, { usage: [usage('primary', 'large', 4), usage('primary', '', 1)] });
      await Promise.all(
        range(0, 10).map(() =>
          store.note(REVIEWER, [], [usage('compactor', 'small', 1), usage('primary', 'la"\0rge', 1)]),
        ),
      );
      await store.note(OTHER, [], [usage('primary', 'large', 1)]);
      const sorted = async (of?: Parameters<typeof store.usage>[0]) =>
        [...(await store.usage(of))].sort((a, b) => (a.line + a.model < b.line + b.model ? -1 : 1));
      const large = (calls: number, notes: number) => ({
        ...usage('primary', 'large', calls),
        unpriced: calls - notes,
      });
      assert.deepEqual(await sorted(KEY), [
        usage('compactor', 'small', 2),
        usage('primary', '', 1),
        large(8, 3),
      ]);
      const ten = { unpriced: 0 };
      assert.deepEqual(await sorted(REVIEWER), [
        { ...usage('compactor', 'small', 10), ...ten },
        { ...usage('primary', 'la"\0rge', 10), ...ten },
      ]);
      const session = await sorted({ sessionId: KEY.sessionId });
      assert.deepEqual(
        session.find(({ model }) => model === 'small'),
        { ...usage('compactor', 'small', 12), unpriced: 1 },
      );
      assert.deepEqual(
        (await sorted()).find(({ model }) => model === 'large'),
        large(9, 4),
      );
      assert.deepEqual(await sorted({ sessionId: 'nobody' }), []);
    },
  ),
  rule(
    'STORE-16',
    'the first version of an artifact stays, even if a second comes at nearly the same time',
    async (store) => {
      assert.equal(await store.artifact('k'), undefined);
      assert.deepEqual(await store.keepArtifact('k', { text: 'a\0' }), { text: 'a\0' });
      assert.deepEqual(await store.keepArtifact('k', { text: 'b', body: 1 }), { text: 'a\0' });
      assert.deepEqual(await store.artifact('k'), { text: 'a\0' });
      const raced = await Promise.all(
        range(0, 8).map((i) => store.keepArtifact('raced', { text: `t${i}`, body: { i } })),
      );
      const stored = await store.artifact('raced');
      for (const one of raced) assert.deepEqual(one, stored);
      const long = 'k'.repeat(5_000);
      await store.keepArtifact(long, { text: 'long' });
      assert.equal(await store.artifact(`${long}k`), undefined);
      assert.deepEqual(await store.artifact(long), { text: 'long' });
    },
  ),
  rule('STORE-17', 'values are set, changed and removed, each in its scope', async (store) => {
    await store.setValue('a', 'x', { deep: [1, null] });
    await store.setValue('a', 'y\0"', 'text');
    await store.setValue('a', '__proto__', 1);
    await store.setValue('b', 'x', false);
    await store.setValue('a', 'x', null);
    assert.equal(await store.value('a', 'x'), null);
    assert.equal(await store.value('b', 'x'), false);
    assert.equal(await store.value('b', 'y\0"'), undefined);
    assert.deepEqual(Object.entries(await store.values('a')).sort(), [
      ['__proto__', 1],
      ['x', null],
      ['y\0"', 'text'],
    ]);
    await store.setValue('a', 'x', undefined);
    await store.setValue('never', 'set', undefined);
    assert.equal(await store.value('a', 'x'), undefined);
    assert.deepEqual(Object.keys(await store.values('a')).sort(), ['__proto__', 'y\0"']);
    assert.deepEqual(await store.values('never'), {});
  }),
  rule('STORE-18', 'threads are listed with their heads, the newest written first', async (store) => {
    await store.write(KEY, START, { messages: [message(0, 'a')] });
    await store.write(REVIEWER, START, { messages: [message(0, 'a')], entries: [entry(0)] });
    await store.write(OTHER, START, { entries: [entry(0)] });
    const all = await store.threads();
    assert.equal(all.length, 3);
    const reviewer = all.find(({ agentPath }) => agentPath === REVIEWER.agentPath)!;
    assert.deepEqual(reviewer.head, { messages: 1, entries: 1 });
    assert.equal(reviewer.sessionId, REVIEWER.sessionId);
    assert.ok(reviewer.createdAt <= reviewer.updatedAt);
    assert.ok(
      all.every(({ updatedAt }, i) => i === 0 || updatedAt <= all[i - 1]!.updatedAt),
      'newest first',
    );
    assert.deepEqual((await store.threads({ sessionId: 'session' })).length, 2);
    assert.deepEqual(await store.threads({ sessionId: 'sess' }), []);
    assert.deepEqual(await store.threads({ limit: 2 }), all.slice(0, 2));
  }),
  rule('STORE-19', 'a closed store refuses, with a code, and may be closed again', async (store) => {
    await store.close();
    await store.close();
    for (const call of [
      () => store.load(KEY),
      () => store.write(KEY, START, {}),
      () => store.value('a', 'b'),
    ]) {
      await assert.rejects(call, { code: 'STORE_FAILED', retryable: false });
    }
  }),
];
