import { describe, expect, it } from '@jest/globals';
import { SpillwayError, type Message, type Session, type SessionStore } from '../../../src/index.js';
import { engine, read, says, talk, user } from '../support.js';
import { but, KINDS, place } from './stores.js';

const openOn = async (store: SessionStore): Promise<Session> =>
  (await engine(6_000, {}, { store })).open({ id: 's' });

const said = (id: string, text = 'Hm.'): Message => ({
  id,
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text }],
});

/** A store whose next write is done, but whose answer never comes. */
function losing(store: SessionStore): { store: SessionStore; loses(): void } {
  let isLost = false;
  const unsure = but(store, {
    write: async (key, head, write) => {
      const answer = await store.write(key, head, write);
      if (!isLost) return answer;
      isLost = false;
      throw new SpillwayError('STORE_FAILED', {
        subject: store.name,
        found: 'the connection went away',
        remedy: 'Load the thread again to see whether it was done.',
        facts: { outcome: 'unknown' },
        retryable: true,
      });
    },
  });
  return { store: unsure, loses: () => void (isLost = true) };
}

const LOST = { code: 'STORE_FAILED', retryable: true };

describe.each(KINDS)('an answer of %s that gets lost behind a write', (kind) => {
  it('stores no message twice, and refuses none of them', async () => {
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

  it('nor where another process has compacted them by then', async () => {
    const at = await place(kind);
    await (await openOn(at.store)).append(...read([user('Build a mill.'), says('Gladly.')]));
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    loses();
    await expect(session.append(said('x'))).rejects.toMatchObject(LOST);
    const other = await openOn(await at.again());
    await other.append(...read([user('Build a mill.'), says('Gladly.'), ...talk(24, 150)]).slice(2));
    await other.compact({ target: 0.3 });
    expect(other.history).toHaveLength(1);
    await expect(session.append(said('y'))).resolves.toBeUndefined();
    const reopened = await (await openOn(await at.again())).load();
    expect(reopened.log.find('x')).toMatchObject({ seq: 2 });
    expect(reopened.log.at(reopened.log.length - 1).id).toBe('y');
  });

  it('counts what was said of it once', async () => {
    const at = await place(kind);
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    await session.append(...read([user('Build a mill.'), says('Gladly.'), ...talk(24, 150)]));
    loses();
    await expect(session.compact({ target: 0.3 })).rejects.toMatchObject(LOST);
    await session.prepare();
    expect(session.history).toHaveLength(1);
    const reopened = await (await openOn(await at.again())).load();
    expect(reopened.history).toHaveLength(1);
    const kinds = (await reopened.audit()).map((event) => event.kind);
    expect(kinds.filter((one) => one === 'compaction.completed')).toHaveLength(1);
  });

  it('decides anew what came behind it, where only the first was done', async () => {
    const at = await place(kind);
    const { store, loses } = losing(at.store);
    const session = await openOn(store);
    await session.append(...read([user('Build a mill.'), says('Gladly.'), ...talk(24, 150)]));
    await session.compact({ target: 0.3 });
    loses();
    await expect(session.flag('c1', 'bad')).rejects.toMatchObject(LOST);
    await session.flag('c1', 'good', 'after all');
    const reopened = await (await openOn(await at.again())).load();
    expect(reopened.history).toMatchObject([{ flag: 'good', notes: 'after all' }]);
  });
});

describe('two processes that give one id to different messages', () => {
  it('is told to the one that came second', async () => {
    const at = await place('sqlite');
    const [one, other] = [await openOn(at.store), await openOn(await at.again())];
    await one.append(said('x', 'Go left.'));
    await expect(other.append(said('x', 'Go right.'))).rejects.toMatchObject({ code: 'MESSAGE_ID_TAKEN' });
    // The same words are the same message: a client that was answered by two.
    const third = await openOn(await at.again());
    await one.append(said('z', 'Stop.'));
    await expect(third.append(said('z', 'Stop.'))).resolves.toBeUndefined();
    expect(third.log.length).toBe(2);
  });
});
