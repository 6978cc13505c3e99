import { SpillwayError, type Session, type SessionStore } from '../../../src/index.js';
import { engine, read, says, shownText, talk, user, said } from '../support.js';
import { but, KINDS, place } from './stores.js';

const openOn = async (store: SessionStore): Promise<Session> =>
  (await engine(6_000, {}, { store })).open({ id: 's' });

const lost = (): SpillwayError =>
  new SpillwayError('STORE_FAILED', {
    subject: 'store',
    found: 'the connection went away',
    remedy: 'Load the thread again to see whether it was done.',
    facts: { outcome: 'unknown' },
    retryable: true,
  });

/** A store whose next write or note is done, not done, or done late. In each case its answer gets lost. */
function losing(store: SessionStore) {
  let loses: 'nothing' | 'answer' | 'all' | 'late' = 'nothing';
  let late: (() => Promise<unknown>) | undefined;
  const losingly = async <T>(ask: () => Promise<T>): Promise<T> => {
    const is = loses;
    loses = 'nothing';
    await late?.();
    late = is === 'late' ? ask : undefined;
    const answer = is === 'all' || is === 'late' ? undefined : await ask();
    if (is === 'nothing') return answer as T;
    throw lost();
  };
  const unsure = but(store, {
    write: (...asked) => losingly(() => store.write(...asked)),
    note: (...asked) => losingly(() => store.note(...asked)),
  });
  return { store: unsure, loses: (what: 'answer' | 'all' | 'late' = 'answer') => void (loses = what) };
}

const LOST = { code: 'STORE_FAILED', retryable: true };

describe.each(KINDS)('an answer of %s that gets lost after a write', (kind) => {
  it('leads to no message that is stored twice or refused', async () => {
    const at = await place(kind);
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    await session.append(...read([user('Build a mill.'), says('Gladly.')]));
    loses();
    await expect(session.append(said('x'))).rejects.toMatchObject(LOST);
    await session.append(said('y'));
    const { messages } = await session.prepare();
    expect(messages).toHaveLength(4);
    const reopened = await openOn(await at.again());
    expect(reopened.view.map(({ message }) => message.id)).toEqual(['m0', 'm1', 'x', 'y']);
  });

  it('does not stop the session if another process has compacted its messages by then', async () => {
    const at = await place(kind);
    await (await openOn(at.store)).append(...read([user('Build a mill.'), says('Gladly.')]));
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    loses();
    await expect(session.append(said('x'))).rejects.toMatchObject(LOST);
    const other = await openOn(await at.again());
    await other.append(...read([user('Build a mill.'), says('Gladly.'), ...talk(24, 150)]).slice(2));
    await other.operator.compact({ target: 0.3 });
    expect(other.operator.history).toHaveLength(1);
    await expect(session.append(said('y'))).resolves.toBeUndefined();
    const reopened = await (await openOn(await at.again())).load();
    expect(reopened.log.find('x')).toMatchObject({ seq: 2 });
    expect(reopened.log.at(reopened.log.length - 1).id).toBe('y');
  });

  it('leads to one compaction and one event of it', async () => {
    const at = await place(kind);
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    await session.append(...read([user('Build a mill.'), says('Gladly.'), ...talk(24, 150)]));
    loses();
    await expect(session.operator.compact({ target: 0.3 })).rejects.toMatchObject(LOST);
    await session.prepare();
    expect(session.operator.history).toHaveLength(1);
    const reopened = await (await openOn(await at.again())).load();
    expect(reopened.operator.history).toHaveLength(1);
    const kinds = (await reopened.operator.audit()).map((event) => event.kind);
    expect(kinds.filter((one) => one === 'compaction.completed')).toHaveLength(1);
  });

  it('does not stop a later judgement, which replaces the first one', async () => {
    const at = await place(kind);
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    await session.append(...read([user('Build a mill.'), says('Gladly.'), ...talk(24, 150)]));
    await session.operator.compact({ target: 0.3 });
    loses();
    await expect(session.operator.flag('c1', 'bad')).rejects.toMatchObject(LOST);
    await session.operator.flag('c1', 'good', 'after all');
    const reopened = await (await openOn(await at.again())).load();
    expect(reopened.operator.history).toMatchObject([{ flag: 'good', notes: 'after all' }]);
  });
});

describe.each(KINDS)('the usage of a call, stored on %s', (kind) => {
  /** A session with one call observed, and what the store says of its calls. */
  async function observing() {
    const at = await place(kind);
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    await session.append(...read([user('Build a mill.'), says('Gladly.')]));
    await session.prepare();
    const stored = async () => {
      const again = await (await openOn(await at.again())).load();
      expect(again.operator.costs).toEqual(session.operator.costs);
      return {
        tokens: again.operator.costs.primary.inputTokens,
        calls: again.operator.costs.primary.calls,
        events: await at.store
          .events({ sessionId: 's', agentPath: 'primary' }, { kinds: ['call'] })
          .then((events) => events.map(({ ref }) => ref)),
      };
    };
    return { session, loses, stored };
  }

  it.each(['answer', 'all'] as const)(
    'is counted once if its %s got lost, when a note follows',
    async (what) => {
      const { session, loses, stored } = await observing();
      loses(what);
      await expect(session.observe({ inputTokens: 100 })).rejects.toMatchObject(LOST);
      await session.prepare();
      await session.observe({ inputTokens: 20 });
      expect(await stored()).toEqual({ tokens: 120, calls: 2, events: ['1', '2'] });
    },
  );

  it.each(['answer', 'all'] as const)(
    'is counted once if its %s got lost, when a write follows',
    async (what) => {
      const { session, loses, stored } = await observing();
      loses(what);
      await expect(session.observe({ inputTokens: 100 })).rejects.toMatchObject(LOST);
      await session.append(said('next'));
      expect(await stored()).toEqual({ tokens: 100, calls: 1, events: ['1'] });
    },
  );

  it.each(['answer', 'all'] as const)(
    'is counted once if its %s got lost and it is reported again',
    async (what) => {
      const { session, loses, stored } = await observing();
      for (let time = 0; time < (what === 'all' ? 3 : 1); time++) {
        loses(what);
        await expect(session.observe({ inputTokens: 100 })).rejects.toMatchObject(LOST);
      }
      await session.observe({ inputTokens: 100 });
      expect(await stored()).toEqual({ tokens: 100, calls: 1, events: ['1'] });
      // Another call may have the same usage.
      await session.prepare();
      await session.observe({ inputTokens: 100 });
      expect(await stored()).toEqual({ tokens: 200, calls: 2, events: ['1', '2'] });
    },
  );

  it('is counted once if it is stored late, after the store was asked for it', async () => {
    const { session, loses, stored } = await observing();
    loses('late');
    await expect(session.observe({ inputTokens: 100 })).rejects.toMatchObject(LOST);
    await session.prepare();
    await session.observe({ inputTokens: 20 }).catch(() => undefined);
    await session.append(said('next'));
    expect(await stored()).toEqual({ tokens: 120, calls: 2, events: ['1', '2'] });
  });

  it('is counted once if it is stored late, after a write of another process, and the session goes on', async () => {
    const at = await place(kind);
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    await session.append(...read([user('Build a mill.'), says('Gladly.')]));
    await session.prepare();
    loses('late');
    await expect(session.observe({ inputTokens: 100 })).rejects.toMatchObject(LOST);
    await (await openOn(await at.again())).append(said('theirs'));
    await session.load();
    await session.prepare();
    await session.observe({ inputTokens: 20 }).catch(() => undefined);
    await session.append(said('ours'));
    const again = await openOn(await at.again());
    expect(again.operator.costs.primary).toMatchObject({ calls: 2, inputTokens: 120 });
    expect(again.view.map(({ message }) => message.id)).toEqual(['m0', 'm1', 'theirs', 'ours']);
  });

  it('is counted once if it is stored late, while the store is asked for it', async () => {
    const at = await place(kind);
    let isAway = true;
    let late: (() => Promise<void>) | undefined;
    const store = but(at.store, {
      note: async (...asked) => {
        late = () => at.store.note(...asked);
        throw lost();
      },
      events: async (...asked) => {
        const found = await at.store.events(...asked);
        if (!isAway) await late?.();
        if (!isAway) late = undefined;
        return found;
      },
    });
    const session = await openOn(store);
    await session.append(...read([user('Build a mill.'), says('Gladly.')]));
    for (const inputTokens of [100, 20]) {
      await session.prepare();
      await expect(session.observe({ inputTokens })).rejects.toMatchObject(LOST);
    }
    isAway = false;
    await session.append(said('next'));
    expect((await openOn(await at.again())).operator.costs.primary).toMatchObject({
      calls: 2,
      inputTokens: 120,
    });
  });

  it('is counted once if no request was prepared before it', async () => {
    const at = await place(kind);
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    loses();
    await expect(session.observe({ inputTokens: 100 })).rejects.toMatchObject(LOST);
    await session.observe({ inputTokens: 20 });
    expect((await openOn(await at.again())).operator.costs.primary).toMatchObject({
      calls: 2,
      inputTokens: 120,
    });
  });

  it('is counted again if it is reported once more after it was stored', async () => {
    const at = await place(kind);
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    loses();
    await expect(session.observe({ inputTokens: 100 })).rejects.toMatchObject(LOST);
    await session.observe({ inputTokens: 100 });
    await session.observe({ inputTokens: 100 });
    expect((await openOn(await at.again())).operator.costs.primary).toMatchObject({
      calls: 2,
      inputTokens: 200,
    });
  });
});

describe.each(KINDS)('messages that %s could not store', (kind) => {
  it('can be appended again, and are stored once; another message with the same id is refused', async () => {
    const at = await place(kind);
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    await session.append(said('a'));
    for (const what of ['answer', 'all'] as const) {
      loses(what);
      await expect(session.append(said('b'), said('c'))).rejects.toMatchObject(LOST);
    }
    await expect((async () => session.append(said('b', 'Other words.')))()).rejects.toMatchObject({
      code: 'MESSAGE_ID_TAKEN',
    });
    await session.append(said('b'), said('c'), said('d'));
    await expect((async () => session.append(said('b')))()).rejects.toMatchObject({
      code: 'MESSAGE_ID_TAKEN',
    });
    const reopened = await openOn(await at.again());
    expect(reopened.view.map(({ message }) => message.id)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('do not stop a judgement that was made at the same moment', async () => {
    const at = await place(kind);
    // Checks ids before heads, as a store may do.
    const strict = but(at.store, {
      write: async (key, head, write) => {
        for (const { id } of write.messages ?? []) {
          if ((await at.store.messages(key, 0)).some((one) => one.id === id))
            throw new SpillwayError('MESSAGE_ID_TAKEN', { subject: 'message id', found: id, remedy: '' });
        }
        return at.store.write(key, head, write);
      },
    });
    const session = await openOn(strict);
    await session.append(...read([user('Build a mill.'), says('Gladly.'), ...talk(24, 150)]));
    await session.operator.compact({ target: 0.5 });
    const other = await openOn(await at.again());
    await other.append(said('x', 'Go left.'));
    const taken = session.append(said('x', 'Go right.'));
    const flagged = session.operator.flag('c1', 'bad', 'lost the path');
    await expect(taken).rejects.toMatchObject({ code: 'MESSAGE_ID_TAKEN' });
    expect(await flagged).toMatchObject({ id: 'c1', flag: 'bad' });
    const reopened = await (await openOn(await at.again())).load();
    expect(reopened.operator.history).toMatchObject([{ id: 'c1', flag: 'bad', notes: 'lost the path' }]);
    expect(reopened.view.map(shownText).at(-1)).toBe('Go left.');
    const kinds = (await reopened.operator.audit()).map((event) => event.kind);
    expect(kinds.filter((one) => one === 'compaction.flagged')).toHaveLength(1);
  });
});

it('of two processes that give one id to different messages, the second one is refused', async () => {
  const at = await place('sqlite');
  const [one, other] = [await openOn(at.store), await openOn(await at.again())];
  await one.append(said('x', 'Go left.'));
  await expect(other.append(said('x', 'Go right.'))).rejects.toMatchObject({ code: 'MESSAGE_ID_TAKEN' });
  // The same words are the same message: two processes may have the same client.
  const third = await openOn(await at.again());
  await one.append(said('z', 'Stop.'));
  await expect(third.append(said('z', 'Stop.'))).resolves.toBeUndefined();
  expect(third.log.length).toBe(2);
});
