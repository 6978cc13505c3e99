import { openStore, SpillwayError, type PressureEvent, type SessionStore } from '../../../src/index.js';
import { engine, says, user } from '../support.js';
import { place } from './stores.js';

const KEY = { sessionId: 'mill', agentPath: 'primary' };
const START = { messages: 0, entries: 0 };

/** A store of another author. While `away` says so, its calls never settle, or those of one name. */
function hanging(store: SessionStore, away: { is: boolean | string }): SessionStore {
  return Object.freeze(
    Object.fromEntries(
      (['load', 'write', 'messages', 'entries', 'note', 'events', 'usage'] as const)
        .concat(['artifact', 'keepArtifact', 'value', 'setValue', 'values', 'threads', 'close'] as never)
        .map((name) => [
          name,
          (...given: never[]) =>
            away.is === true || away.is === name
              ? new Promise(() => undefined)
              : (store[name] as (...all: never[]) => unknown)(...given),
        ])
        .concat([['name', 'somebody’s'] as never]),
    ) as unknown as SessionStore,
  );
}

const noAnswer = expect.objectContaining({
  code: 'STORE_FAILED',
  retryable: true,
  facts: { outcome: 'unknown' },
  message: expect.stringContaining('no answer to'),
});

describe('a store whose calls never settle', () => {
  it('has each call rejected after a deadline, and later calls rejected at once', async () => {
    const away = { is: true as boolean | string };
    const spillway = await engine(4_000, { storeMs: 200 } as never, {
      store: hanging(await openStore('memory:'), away),
    });
    const { store } = spillway;
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.load(KEY),
      () => store.write(KEY, START, {}),
      () => store.messages(KEY, 0),
      () => store.entries(KEY, 0),
      () => store.note(KEY, []),
      () => store.events(KEY),
      () => store.usage(),
      () => store.artifact('a'),
      () => store.keepArtifact('a', { text: '' }),
      () => store.value('a', 'b'),
      () => store.setValue('a', 'b', 1),
      () => store.values('a'),
      () => store.threads(),
    ];
    const faults = await Promise.all(calls.map((call) => call().catch((error: unknown) => error)));
    expect(faults).toEqual(calls.map(() => noAnswer));
    // It is known to be away: no call waits for it again.
    const soon = new Promise((resolve) => setImmediate(() => resolve('it waits')));
    expect(await Promise.race([store.load(KEY).catch((error: unknown) => error), soon])).toEqual(noAnswer);
    await expect(spillway.close()).rejects.toEqual(noAnswer);
  });

  it('stops no session: calls go on from memory, and all is stored when it answers again', async () => {
    const { store, again } = await place('sqlite');
    const away = { is: false as boolean | string };
    const spillway = await engine(4_000, { storeMs: 100 } as never, {
      store: hanging(store, away),
      onStoreFailure: 'open',
    });
    const session = await spillway.open({ id: 'mill' });
    const other = await spillway.open({ id: 'weir' });
    const events: PressureEvent[] = [];
    session.events.subscribe((event) => events.push(event));
    away.is = true;
    await session.follow({ messages: [user('Build a mill.')] });
    const { messages } = await session.prepare();
    expect(messages).toHaveLength(1);
    await other.follow({ messages: [user('Build a weir.')] });
    expect((await other.prepare()).messages).toHaveLength(1);
    expect(events).toContainEqual({ kind: 'store-failed', error: noAnswer });
    away.is = false;
    // Asked outside the calls until it answers.
    const isBack = () =>
      spillway.store.value('a', 'b').then(
        () => true,
        () => false,
      );
    while (!(await isBack())) await new Promise((resolve) => setTimeout(resolve, 5));
    await session.follow({ messages: [user('Build a mill.'), says('Built.')] });
    expect((await (await again()).load(KEY))?.head.messages).toBe(2);
    await spillway.close();
  });

  it('is not assumed if a single call is slow and others are answered', async () => {
    const away = { is: 'usage' as boolean | string };
    const spillway = await engine(4_000, { storeMs: 100 } as never, {
      store: hanging(await openStore('memory:'), away),
    });
    let isOver = false;
    const slow = spillway.store.usage().catch((error: unknown) => {
      isOver = true;
      return error;
    });
    while (!isOver) {
      await spillway.store.load(KEY);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await slow).toEqual(noAnswer);
    expect(await spillway.store.load(KEY)).toBeUndefined();
    await spillway.close();
  });

  it.each([
    ['for ever', Infinity],
    ['for about as long as a call may wait', 395],
  ])(
    'has a session wait once for a row that another holds %s, and not with each of its writes',
    async (_, ms) => {
      const base = await openStore('memory:');
      let asked = 0;
      const held = (name: string, key: typeof KEY): boolean =>
        /^(?:write|note)$/.test(name) && key.sessionId === 'mill';
      let isHeld = true;
      const store = new Proxy(base, {
        get(target, name) {
          const own = Reflect.get(target, name, target) as (...given: unknown[]) => unknown;
          if (typeof own !== 'function') return own;
          return (...given: unknown[]) => {
            if (!isHeld || !held(String(name), given[0] as typeof KEY)) return own.apply(target, given);
            asked++;
            const gone = { subject: 'row', found: 'held by another', remedy: 'Wait.', retryable: true };
            return new Promise((_, reject) => {
              if (ms < Infinity) setTimeout(() => reject(new SpillwayError('STORE_FAILED', gone)), ms);
            });
          };
        },
      });
      const spillway = await engine(4_000, { storeMs: 400 } as never, { store, onStoreFailure: 'open' });
      const session = await spillway.open({ id: 'mill' });
      const other = setInterval(() => void spillway.store.threads(), 20);
      const said = [user('Build a mill.')];
      await session.follow({ messages: said });
      await session.prepare();
      await session.observe({ inputTokens: 20 });
      expect(asked).toBe(1);
      isHeld = false;
      for (let at = 0; (await base.load(KEY))?.head.messages !== said.length; at++) {
        said.push(says(`Built ${at}.`), user('And?'));
        await session.follow({ messages: said });
      }
      clearInterval(other);
      await spillway.close();
    },
  );
});
