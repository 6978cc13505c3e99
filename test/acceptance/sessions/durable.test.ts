import type { Message, Session, SessionStore } from '../../../src/index.js';
import { engine, prose, read, said, says, step, system, talk, user } from '../support.js';
import { unhandledDuring } from '../../support/unhandled.js';
import { but, KINDS, place } from './stores.js';

const BUDGET = 6_000;

const START = [system('Be brief.'), user('Build a mill.'), says('Gladly.')];

/** A history that is long enough for several compactions. */
const history = (turns: number, seen: (turn: number) => string = () => ''): readonly Message[] =>
  read([
    ...START,
    ...Array.from({ length: turns }, (_, i) => [
      user(`Question ${i}: ${prose(60, 3 * i)}`),
      ...step('look', { i }, seen(i) + prose(500, 3 * i + 1)),
      says(`Answer ${i}: ${prose(60, 3 * i + 2)}`),
    ]).flat(),
  ]);

const openOn = async (store: SessionStore, settings = {}): Promise<Session> =>
  (await engine(BUDGET, settings, { store })).open({ id: 's' });

async function play(session: Session, messages: readonly Message[]): Promise<void> {
  for (const message of messages) {
    if (message.role === 'assistant') await session.prepare();
    await session.append(message);
  }
}

const look = (session: Session) => session.view.map(({ message, from, to }) => ({ message, from, to }));

describe.each(KINDS)('a session on %s', (kind) => {
  it('goes on after a restart with the same request and history, byte for byte', async () => {
    const { store, again } = await place(kind);
    const session = await openOn(store);
    await play(session, history(30));
    await session.append(...read([user('And now?')]).map((message) => ({ ...message, id: 'now' })));
    expect(session.operator.history.length).toBeGreaterThan(2);
    const before = await session.prepare();

    const reopened = await openOn(await again());
    expect(look(reopened)).toEqual(look(session));
    expect(reopened.reading.tokens).toBe(session.reading.tokens);
    const after = await reopened.prepare();
    expect(JSON.stringify(after.messages)).toBe(JSON.stringify(before.messages));
    expect(after.run.kind).toBe('below-gate');

    expect(reopened.log.length).toBe(session.log.length);
    expect(look(reopened)).toEqual(look(session));
    expect(reopened.operator.history).toEqual(JSON.parse(JSON.stringify(session.operator.history)));
    expect(reopened.operator.explain()).toEqual(session.operator.explain());
  });

  it('compacts after a restart as it would have done without one', async () => {
    const messages = history(40);
    const whole = await openOn((await place(kind)).store);
    await play(whole, messages);
    const { store, again } = await place(kind);
    const first = await openOn(store);
    await play(first, messages.slice(0, 71));
    const second = await openOn(await again());
    await play(second, messages.slice(71));
    expect(look(second)).toEqual(look(whole));
    expect(second.operator.ledger.records.length).toBe(whole.operator.ledger.records.length);
  });

  it('writes once for a call that commits, and not at all for one that does not', async () => {
    const { store } = await place(kind);
    const writes: unknown[] = [];
    const counting = but(store, {
      write: (key, head, write) => {
        writes.push(Object.keys(write).sort());
        return store.write(key, head, write);
      },
      note: () => Promise.reject(new Error('prepare notes nothing')),
    });
    const session = await openOn(counting);
    await session.append(...read(START));
    writes.length = 0;
    expect((await session.prepare()).run.kind).toBe('below-gate');
    expect(writes).toEqual([]);
    await session.append(...read([...START, ...talk(20, 150)]).slice(3));
    writes.length = 0;
    expect((await session.prepare()).run.kind).toBe('committed');
    expect(writes).toEqual([['checkpoint', 'entries', 'events']]);
  });

  it('stores in its checkpoint nothing that the log holds', async () => {
    const { store, again } = await place(kind);
    let left = '';
    const session = await openOn(
      but(store, {
        write: (key, head, write) => {
          if (write.checkpoint !== undefined) left = JSON.stringify(write.checkpoint);
          return store.write(key, head, write);
        },
      }),
    );
    // The second message is over the share of pins, so that it is cut in place.
    const [first, ...rest] = history(22);
    const [rules] = read([system(prose(2_500, 999))]);
    await play(session, [first!, { ...rules!, id: 'rules' }, ...rest]);
    const originals = session.view.filter(({ source }) => source);
    const standIn = session.view.findLastIndex(({ made }) => made);
    // What is tried here: before the tail there are messages of the log, as they were and shortened.
    const before = session.view.slice(0, standIn);
    expect(before.some(({ replaced }) => replaced) && before.some(({ replaced }) => !replaced)).toBe(true);
    const said = originals.flatMap(({ source }) => source!.parts.map((part) => JSON.stringify(part)));
    expect(said.filter((part) => left.includes(part))).toEqual([]);
    const reopened = await openOn(await again());
    // Sources and marks too.
    const whole = ({ view }: Session) =>
      view.map((shown) => ({ ...shown, replaced: [...(shown.replaced ?? [])] }));
    expect(whole(reopened)).toEqual(whole(session));
  });

  it('undoes, releases, flags and rolls back, and all of this remains after a restart', async () => {
    const { store, again } = await place(kind);
    const session = await openOn(store);
    await play(session, history(20));
    const newest = session.operator.history.at(-1)!;
    await session.operator.flag(newest.id, 'bad', 'lost the path');
    const [undone] = await session.operator.undo();
    expect(undone).toMatchObject({ id: newest.id, status: 'undone' });

    const reopened = await (await openOn(await again())).load();
    expect(reopened.operator.history.at(-1)).toMatchObject({
      status: 'undone',
      flag: 'bad',
      notes: 'lost the path',
    });
    expect(reopened.operator.ledger.holds).toEqual(session.operator.ledger.holds);
    expect(look(reopened)).toEqual(look(session));
    await reopened.operator.release();
    await reopened.operator.rollback('m2');
    expect(look(reopened).map(({ message }) => message.id)).toEqual(['m0', 'm1', 'm2']);
    await reopened.append(said('new', 'Anew.'));

    const third = await openOn(await again());
    expect(look(third)).toEqual(look(reopened));
    expect((await third.load()).log.length).toBe(4);
    await expect(Promise.resolve().then(() => third.append(...history(1).slice(3, 4)))).rejects.toMatchObject(
      { code: 'MESSAGE_ID_TAKEN' },
    );
    expect((await third.operator.audit()).map(({ kind: what }) => what.replace('compaction.', ''))).toEqual(
      expect.arrayContaining(['triggered', 'completed', 'flagged', 'undone', 'rolled-back']),
    );
  });

  it('keeps the cost of calls, and the learned scale', async () => {
    const { store, again } = await place(kind);
    const session = await openOn(store);
    await session.append(...read([...START, ...talk(5, 100)]));
    const { reading } = await session.prepare();
    await session.observe({ inputTokens: 2 * reading.tokens, cacheReadTokens: 7, outputTokens: 5 });
    const reopened = await openOn(await again());
    expect(reopened.operator.costs).toEqual(session.operator.costs);
    expect(reopened.operator.costs.primary).toMatchObject({
      calls: 1,
      inputTokens: 2 * reading.tokens,
      outputTokens: 5,
    });
    expect(reopened.reading.scale).toBe(session.reading.scale);
    await reopened.prepare();
    expect(reopened.operator.calls.at(-1)!.call).toBe(2);
  });

  it('refuses an id that another process has stored meanwhile', async () => {
    const { store, again } = await place(kind);
    const [first, second] = [await openOn(store), await openOn(await again())];
    await play(first, history(30));
    expect(second.log.find('m1')).toBeUndefined();
    const other = { role: 'user', origin: 'user', parts: [{ type: 'text', text: 'Another.' }] } as const;
    const taken = second.append({ ...other, id: 'm1' });
    const fine = second.append({ ...other, id: 'fine' });
    await expect(taken).rejects.toMatchObject({ code: 'MESSAGE_ID_TAKEN' });
    await expect(fine).resolves.toBeUndefined();
    expect(second.view.map(({ message }) => message.id).filter((id) => id === 'fine')).toEqual(['fine']);
    expect((await openOn(await again())).view.at(-1)!.message.id).toBe('fine');
  });
});

describe('a store that fails', () => {
  async function failing() {
    const { store } = await place('memory');
    let broken = false;
    const unsure = but(store, {
      write: (key, head, write) => {
        if (broken) throw new Error('the disk has gone');
        return store.write(key, head, write);
      },
    });
    const session = await openOn(unsure);
    await session.append(...read(START));
    return { store, session, breaks: (is: boolean) => void (broken = is) };
  }

  it('loses nothing: the call is rejected, and the next one stores what waited', async () => {
    const { store, session, breaks } = await failing();
    breaks(true);
    const more = read([...START, ...talk(4, 100)]).slice(3);
    await expect(session.append(...more)).rejects.toMatchObject({ code: 'STORE_FAILED', retryable: true });
    await expect(session.prepare()).rejects.toMatchObject({ code: 'STORE_FAILED', retryable: true });
    expect(session.log.length).toBe(11);
    breaks(false);
    await session.prepare();
    expect((await openOn(store)).log.length).toBe(11);
  });

  it('causes no unhandled rejection if no caller waits for an append', async () => {
    const { session, breaks } = await failing();
    const unhandled = await unhandledDuring(() => {
      breaks(true);
      void session.append({ id: 'x', role: 'user', origin: 'user', parts: [{ type: 'text', text: 'Hm.' }] });
      void session.observe({ inputTokens: 5 });
    });
    expect(unhandled).toEqual([]);
  });

  it('keeps a compaction that could not be stored, and stores it with the next call', async () => {
    const { store, session, breaks } = await failing();
    await session.append(...read([...START, ...talk(20, 150)]).slice(3));
    breaks(true);
    await expect(session.operator.compact()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    breaks(false);
    const { run } = await session.prepare();
    expect(run.kind).toBe('below-gate');
    expect(look(await openOn(store))).toEqual(look(session));
    expect(session.operator.history).toHaveLength(1);
  });
});
