import assert from 'node:assert/strict';
import { entry, KEY, message, messagesFrom, range, spoken, START, type StoreRule } from './rule.js';

const ids = (messages: readonly { readonly id: string }[]): string[] => messages.map(({ id }) => id);

/** The log, the ledger and the checkpoint of one thread. */
export const LOG_RULES: readonly StoreRule[] = [
  {
    id: 'STORE-01',
    intent: 'a thread that nothing was written to is not there, and reading it is no fault',
    reopens: false,
    async check(open) {
      const store = await open();
      assert.equal(await store.load(KEY), undefined);
      assert.deepEqual(await store.messages(KEY, 0), []);
      assert.equal(await store.message(KEY, 'm0'), undefined);
      assert.deepEqual(await store.entries(KEY, 0), []);
      assert.deepEqual(await store.events(KEY), []);
      assert.deepEqual(await store.search(KEY, 'anything', 5), []);
      assert.deepEqual(await store.usage(), []);
      assert.deepEqual(await store.threads(), []);
    },
  },
  {
    id: 'STORE-02',
    intent: 'a message comes back as it was written, field by field and character by character',
    reopens: false,
    async check(open) {
      const store = await open();
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
        spoken(
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
      assert.deepEqual(await store.message(KEY, odd), written[0], 'message by an odd id');
    },
  },
  {
    id: 'STORE-03',
    intent: 'writes stand one behind the other, and a range says what it says',
    reopens: false,
    async check(open) {
      const store = await open();
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
    },
  },
  {
    id: 'STORE-04',
    intent: 'a write made on another head writes nothing and says so',
    reopens: false,
    async check(open) {
      const store = await open();
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
          usage: [
            {
              line: 'primary',
              model: '',
              calls: 1,
              inputTokens: 1,
              cacheReadTokens: 0,
              cacheWriteTokens: 0,
              outputTokens: 1,
              cost: 0,
              unpriced: 0,
            } as const,
          ],
        };
        assert.equal(await store.write(KEY, head, late), undefined, `on ${JSON.stringify(head)}`);
      }
      assert.deepEqual(await store.load(KEY), before);
      assert.deepEqual(ids(await store.messages(KEY, 0)), ['m0', 'm1']);
      assert.deepEqual(await store.entries(KEY, 0), [entry(0)]);
      assert.deepEqual(await store.events(KEY), []);
      assert.deepEqual(await store.usage(), []);
      assert.deepEqual(await store.search(KEY, 'late', 5), []);
      assert.equal(
        await store.write({ ...KEY, agentPath: 'new' }, { messages: 1, entries: 0 }, {}),
        undefined,
      );
      assert.equal(
        await store.load({ ...KEY, agentPath: 'new' }),
        undefined,
        'a lost write begins no thread',
      );
    },
  },
  {
    id: 'STORE-05',
    intent: 'of several writes at once on one head, exactly one is done',
    reopens: false,
    async check(open) {
      const store = await open();
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
    },
  },
  {
    id: 'STORE-06',
    intent: 'a write that cannot be done whole is not done at all',
    reopens: false,
    async check(open) {
      const store = await open();
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
          Error,
          `messages ${said}: an id or a place is taken`,
        );
      }
      assert.deepEqual(await store.load(KEY), before);
      assert.equal((await store.messages(KEY, 0)).length, 1);
      assert.deepEqual(await store.entries(KEY, 0), []);
      assert.deepEqual(await store.events(KEY), []);
      assert.deepEqual(await store.search(KEY, 'unseen', 5), []);
      assert.ok(
        await store.write(KEY, head, { messages: [message(1, 'second')] }),
        'the next write goes through',
      );
    },
  },
  {
    id: 'STORE-07',
    intent: 'threads know nothing of each other, whatever their names are',
    reopens: false,
    async check(open) {
      const store = await open();
      const names = [
        '',
        'a',
        'A',
        'a/b',
        'a b',
        "a'b",
        'a"b',
        'a\nb',
        'a\\nb',
        'a\0b',
        'a%b',
        'a_b',
        'é',
        'e\u0301',
        '\ud800',
        '\udbff',
        ' a',
        'x'.repeat(5_000),
        `${'x'.repeat(5_000)}y`,
      ];
      const keys = names.flatMap((sessionId) => [
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
        assert.equal(await store.message(key, `m1`), undefined);
      }
      for (const [i, key] of different.entries()) {
        const said = JSON.stringify(key).slice(0, 60);
        assert.equal((await store.load(key))?.checkpoint, i, said);
        assert.deepEqual(await store.messages(key, 0), [message(0, `word${i}`)], said);
        assert.deepEqual((await store.message(key, 'm0'))?.parts, message(0, `word${i}`).parts, said);
        assert.deepEqual(await store.entries(key, 0), [entry(i)], said);
        assert.deepEqual(await store.events(key), [{ kind: 'k', at: 1, body: i }], said);
        assert.deepEqual((await store.search(key, `word${i}`, 5)).length, 1, said);
        assert.deepEqual(await store.search(key, `word${i + 1}`, 5), [], said);
      }
      const listed = (await store.threads()).map(({ sessionId, agentPath }) =>
        JSON.stringify([sessionId, agentPath]),
      );
      assert.deepEqual(
        listed.sort(),
        different.map((key) => JSON.stringify([key.sessionId, key.agentPath])).sort(),
      );
    },
  },
  {
    id: 'STORE-08',
    intent: 'a checkpoint stays, with the head it was left at, until the next one takes its place',
    reopens: false,
    async check(open) {
      const store = await open();
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
  },
  {
    id: 'STORE-09',
    intent: 'entries of the ledger come back in order, with what they say',
    reopens: false,
    async check(open) {
      const store = await open();
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
    },
  },
  {
    id: 'STORE-10',
    intent: 'a message is found by its id, in its thread only',
    reopens: false,
    async check(open) {
      const store = await open();
      const long = 'i'.repeat(5_000);
      const written = [
        message(0, 'a', { id: long }),
        message(1, 'b', { id: `${long}j` }),
        message(2, 'c', { id: 'I' }),
        message(3, 'd', { id: 'i' }),
      ];
      await store.write(KEY, START, { messages: written });
      for (const one of written) assert.deepEqual(await store.message(KEY, one.id), one);
      assert.equal(await store.message(KEY, 'missing'), undefined);
      assert.equal(await store.message({ ...KEY, agentPath: 'other' }, 'i'), undefined);
    },
  },
  {
    id: 'STORE-11',
    intent: 'one write takes a large message, and very many small ones',
    reopens: false,
    async check(open) {
      const store = await open();
      const large = message(0, `begin ${'0123456789\0é'.repeat(400_000)} end`);
      const written = [large, ...messagesFrom(1, 2_500)];
      assert.deepEqual(await store.write(KEY, START, { messages: written }), { messages: 2_501, entries: 0 });
      assert.ok(assertSame(await store.messages(KEY, 0), written));
      assert.equal((await store.search(KEY, 'begin', 5))[0]?.seq, 0);
      assert.equal((await store.search(KEY, 'end', 5))[0]?.seq, 0);
    },
  },
  {
    id: 'STORE-12',
    intent: 'what the caller changes afterwards, in what it gave or was given, changes nothing here',
    reopens: false,
    async check(open) {
      const store = await open();
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
  },
];

/** What is handed out may be frozen. */
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

/** Megabytes are compared without being shown. */
function assertSame(read: readonly unknown[], written: readonly unknown[]): boolean {
  assert.equal(read.length, written.length);
  const different = read.findIndex((one, i) => JSON.stringify(one) !== JSON.stringify(written[i]));
  assert.equal(different, -1, `message ${different} came back as another`);
  return true;
}
