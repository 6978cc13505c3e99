import assert from 'node:assert/strict';
import { KEY, message, range, spoken, START, type StoreRule } from './rule.js';

const OTHER = { sessionId: 'other', agentPath: 'primary' };

/** The full-text index. */
export const SEARCH_RULES: readonly StoreRule[] = [
  {
    id: 'STORE-16',
    intent: 'a search finds words of text, calls and results, the message that says most of them first',
    reopens: false,
    async check(open) {
      const store = await open();
      const said = [
        message(0, 'the build of the parser is slow, the tests of the parser too'),
        spoken(1, {
          type: 'tool-call',
          callId: 'c',
          name: 'Read',
          arguments: '{"path":"src/parser/load_all.ts"}',
        }),
        message(2, '', {
          role: 'tool',
          origin: 'tool',
          parts: [
            {
              type: 'tool-result',
              callId: 'c',
              content: [{ type: 'text', text: 'export const RETRY_LIMIT = 7; // Übermaß 漢字仮名' }],
            },
          ],
        }),
        message(3, 'the retry of the build is the thing that the others do'),
        ...range(4, 30).map((seq) => message(seq, 'the usual talk of the day')),
      ];
      await store.write(KEY, START, { messages: said });
      await store.write(OTHER, START, { messages: [message(0, 'parser parser parser', { id: 'foreign' })] });
      const found = async (query: string, limit = 10) =>
        (await store.search(KEY, query, limit)).map(({ seq }) => seq);
      assert.deepEqual(new Set(await found('parser')), new Set([0, 1]));
      assert.deepEqual(await found('LOAD_ALL'), [1], 'a name in the arguments of a call, in another case');
      assert.deepEqual(
        await found('src/parser/load_all.ts'),
        [1, 0],
        'a path as a whole comes before a piece of it',
      );
      assert.deepEqual(await found('retry_limit'), [2, 3], 'a result of a tool');
      assert.deepEqual(await found('übermaß'), [2]);
      assert.deepEqual(await found('仮名'), [2], 'words that are written without spaces');
      assert.equal(
        (await found('the parser of the build'))[0],
        0,
        'rare words weigh more than frequent ones',
      );
      assert.equal((await found('the', 3)).length, 3);
      assert.deepEqual(await found('the', 0), []);
      assert.deepEqual(await found('foreign'), []);
      assert.deepEqual(await found('nowhere'), []);
      const hits = await store.search(KEY, 'parser build', 10);
      assert.equal(hits[0]?.messageId, 'm0');
      assert.ok(
        hits.every(({ score }, i) => i === 0 || score <= hits[i - 1]!.score),
        'best first',
      );
      const odd = `odd\0 ${'x'.repeat(5_000)}`;
      const later = [message(30, 'a later word: zebra', { id: odd })];
      await store.write(KEY, { messages: 30, entries: 0 }, { messages: later });
      const [zebra] = await store.search(KEY, 'zebra', 10_000);
      assert.equal(zebra?.seq, 30, 'what was written after the first search');
      assert.equal(zebra.messageId, odd);
    },
  },
  {
    id: 'STORE-17',
    intent: 'a search takes any words, and signs of no query language mean anything',
    reopens: false,
    async check(open) {
      const store = await open();
      await store.write(KEY, START, { messages: [message(0, "don't AND this OR that NOT NEAR(x) c++ a*b")] });
      const queries = [
        '',
        ' ',
        '"',
        "'",
        "don't",
        '"open',
        'a AND',
        'OR',
        'NOT x',
        'NEAR(x',
        '(',
        'x)',
        '*',
        'a*',
        'words:x',
        '^x',
        '-x',
        '!x',
        'x & | y',
        ':*',
        '\\',
        '\0',
        '\ud800',
        '%',
        '_',
        '<->',
        'x'.repeat(10_000),
        'y '.repeat(10_000),
        '😀',
      ];
      for (const query of queries) {
        const hits = await store.search(KEY, query, 5);
        assert.ok(hits.length <= 1, `query ${JSON.stringify(query.slice(0, 20))}`);
      }
      for (const query of ["don't", 'NOT', 'near', 'a*', '"x', "'that"]) {
        assert.equal(
          (await store.search(KEY, query, 5)).length,
          1,
          `query ${query} names a word of the message`,
        );
      }
    },
  },
];
