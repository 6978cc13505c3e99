import fc from 'fast-check';
import type { SessionStore, ThreadHead, ThreadWrite } from '../../../src/spi/index.js';
import { openStore } from '../../../src/stores/index.js';
import { cleanUp, message } from './support.js';

cleanUp();

type Ask = (store: SessionStore) => Promise<unknown>;

const text = fc.constantFrom('', 'a', 'A b', 'src/load.ts', 'a\0b', '\ud800', "it's", 'load the a', '漢字');
const key = fc.record({ sessionId: fc.constantFrom('s', 'S', ''), agentPath: fc.constantFrom('p', 'p/q') });
const small = fc.integer({ min: 0, max: 4 });
// As JSON says it: there is no minus zero in it.
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value): unknown => JSON.parse(JSON.stringify(value))) as fc.Arbitrary<never>;
const event = fc.record({ kind: text, at: small, body: json, ref: text });
const usage = fc.record({
  line: fc.constantFrom('primary' as const, 'compactor' as const),
  model: text,
  calls: small,
  inputTokens: small,
  cacheReadTokens: small,
  cacheWriteTokens: small,
  outputTokens: small,
  cost: small,
  unpriced: small,
});
const range = fc.record({ from: small, to: fc.option(small, { nil: undefined }) });

/** Mostly on the head that is there, sometimes on another; ids that are taken, and seqs that are wrong, now and then. */
const write: fc.Arbitrary<Ask> = fc
  .record({
    key,
    off: fc.constantFrom(0, 0, 0, 0, 1),
    texts: fc.array(text, { maxLength: 3 }),
    id: fc.option(text, { nil: undefined, freq: 3 }),
    entries: fc.array(fc.record({ kind: text, at: small, body: json }), { maxLength: 2 }),
    checkpoint: fc.option(json, { nil: undefined }),
    events: fc.array(event, { maxLength: 2 }),
    usage: fc.array(usage, { maxLength: 2 }),
  })
  .map(({ key: thread, off, texts, id, checkpoint, ...rest }) => async (store) => {
    const head: ThreadHead = (await store.load(thread))?.head ?? { messages: 0, entries: 0 };
    const messages = texts.map((said, i) => ({
      ...message(head.messages + i, said),
      ...(id !== undefined && i === 0 && { id }),
    }));
    const all: ThreadWrite = { ...rest, messages, ...(checkpoint !== undefined && { checkpoint }) };
    return store.write(thread, { ...head, entries: head.entries + off }, all);
  });

const other: fc.Arbitrary<Ask> = fc.oneof(
  fc.tuple(key, fc.array(event, { maxLength: 2 }), fc.array(usage, { maxLength: 2 })).map(
    ([thread, events, used]) =>
      (store: SessionStore) =>
        store.note(thread, events, used),
  ),
  fc.tuple(text, text, fc.option(json, { nil: undefined })).map(
    ([scope, name, value]) =>
      (store: SessionStore) =>
        store.setValue(scope, name, value),
  ),
  fc.tuple(text, text).map(
    ([name, bought]) =>
      (store: SessionStore) =>
        store.keepArtifact(name, { text: bought }),
  ),
  key.map((thread) => (store: SessionStore) => store.load(thread)),
  fc.tuple(key, range).map(
    ([thread, { from, to }]) =>
      (store: SessionStore) =>
        store.messages(thread, from, to),
  ),
  fc.tuple(key, range).map(
    ([thread, { from, to }]) =>
      (store: SessionStore) =>
        store.entries(thread, from, to),
  ),
  fc
    .tuple(
      key,
      fc.record(
        { kinds: fc.array(text, { maxLength: 2 }), ref: text, newestFirst: fc.boolean(), limit: small },
        { requiredKeys: [] },
      ),
    )
    .map(
      ([thread, query]) =>
        (store: SessionStore) =>
          store.events(thread, query),
    ),
  fc
    .record({ sessionId: text, agentPath: fc.constant('p') }, { requiredKeys: [] })
    .map((of) => (store: SessionStore) => store.usage(of)),
  text.map((name) => (store: SessionStore) => store.artifact(name)),
  text.map((scope) => async (store: SessionStore) => Object.entries(await store.values(scope)).sort()),
  fc
    .record({ sessionId: text, limit: small }, { requiredKeys: [] })
    .map((of) => (store: SessionStore) => store.threads(of)),
);

/** All that stands in a store at the end. */
async function everything(store: SessionStore): Promise<unknown[]> {
  const threads = await store.threads();
  const all: unknown[] = [threads, await store.usage()];
  for (const thread of threads) {
    all.push(await store.load(thread), await store.messages(thread, 0), await store.entries(thread, 0));
    all.push(await store.events(thread));
  }
  return all;
}

it('whatever is asked, in whatever order, SQLite answers as memory does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(write, other), { maxLength: 40 }), async (asks) => {
      const stores = await Promise.all(
        ['memory:', 'sqlite::memory:'].map((url) => {
          let now = 0;
          return openStore(url, { nowMs: () => (now += 1) });
        }),
      );
      const answers = await Promise.all(
        stores.map(async (store) => {
          const said: unknown[] = [];
          for (const ask of asks)
            said.push(await ask(store).catch((error: { code?: string }) => error.code ?? error));
          said.push(...(await everything(store)));
          await store.close();
          return said;
        }),
      );
      expect(answers[1]).toEqual(answers[0]);
    }),
    { numRuns: 15 },
  );
});
