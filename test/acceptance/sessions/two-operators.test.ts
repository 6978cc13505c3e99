import { SpillwayError, type Session, type SessionStore } from '../../../src/index.js';
import { engine, read, said, says, talk, user } from '../support.js';
import { but, KINDS, place } from './stores.js';

const openOn = async (store: SessionStore): Promise<Session> =>
  (await engine(6_000, {}, { store })).open({ id: 's' });

const LONG = read([user('Build a mill.'), says('Gladly.'), ...talk(24, 150)]);

/** Two processes that have read the same session, and a third that reads it afterwards. */
async function two(kind: (typeof KINDS)[number], prepare: (session: Session) => Promise<unknown>) {
  const { store, again } = await place(kind);
  const one = await openOn(store);
  await one.append(...LONG);
  await prepare(one);
  const other = await (await openOn(await again())).load();
  return { both: [one, other] as const, look: async () => (await openOn(await again())).load() };
}

const outcomes = (settled: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  settled.map((one) => (one.status === 'fulfilled' ? 'done' : (one.reason as { code: string }).code));

describe.each(KINDS)('two operators at the same moment (%s)', (kind) => {
  it('undo the compaction that both saw, but not the one before it too', async () => {
    const { both, look } = await two(kind, async (session) => {
      await session.operator.compact({ target: 0.6 });
      await session.operator.compact({ target: 0.2 });
    });
    expect(both[1].operator.history.map(({ id }) => id)).toEqual(['c1', 'c2']);
    const undone = await Promise.all(both.map((session) => session.operator.undo()));
    expect(undone.flat().map(({ id }) => id)).toEqual(['c2']);
    expect((await look()).operator.history.map(({ status }) => status)).toEqual(['committed', 'undone']);
    expect((await look()).operator.ledger.holds).toHaveLength(1);
  });

  it('approve and reject one plan: one succeeds, and the other is refused with PLAN_UNKNOWN', async () => {
    for (const yesFirst of [true, false]) {
      const { both, look } = await two(kind, async (session) => {
        const { plan } = await session.operator.plan({ target: 0.3 });
        await session.operator.propose(plan!);
      });
      const yes = () => both[0].operator.approve();
      const no = () => both[1].operator.reject();
      const settled = await Promise.allSettled((yesFirst ? [yes, no] : [no, yes]).map((say) => say()));
      expect(outcomes(settled).filter((one) => one === 'done')).toHaveLength(1);
      expect(outcomes(settled).filter((one) => one === 'PLAN_UNKNOWN')).toHaveLength(1);
      const after = await look();
      expect(after.operator.pending).toBeUndefined();
      const kinds = (await after.operator.audit()).map(({ kind: what }) => what.replace('compaction.', ''));
      // The audit says only what happened.
      expect(kinds.includes('approved')).toBe(after.operator.history.length === 1);
      expect(kinds.includes('rejected')).toBe(after.operator.history.length === 0);
    }
  });

  it('edit one plan: one edit waits, and the other is refused with PLAN_UNKNOWN', async () => {
    const { both, look } = await two(kind, async (session) => {
      const { plan } = await session.operator.plan({ target: 0.3 });
      await session.operator.propose(plan!);
    });
    const settled = await Promise.allSettled(
      both.map((session, i) =>
        session.operator.edit(session.operator.pending!.plan, { text: { 0: `Words of ${i}.` } }),
      ),
    );
    expect(outcomes(settled).sort()).toEqual(['PLAN_UNKNOWN', 'done']);
    const won = settled.find((one) => one.status === 'fulfilled')!;
    expect((await look()).operator.pending!.plan.hash).toBe(won.value.hash);
  });

  it('see by `load` what the other did since, and send the same request', async () => {
    const { both } = await two(kind, async () => undefined);
    await both[1].operator.compact({ target: 0.4 });
    const part = { type: 'text', text: 'Paint it.' } as const;
    await both[1].append({ id: 'x1', role: 'user', origin: 'user', parts: [part] });
    expect(both[0].operator.history).toEqual([]);
    await both[0].load();
    expect(both[0].operator.history).toEqual(both[1].operator.history);
    expect(both[0].log.at(both[0].log.length - 1).id).toBe('x1');
    const { messages } = await both[0].prepare();
    await both[1].load();
    expect((await both[1].prepare()).messages).toEqual(messages);
  });

  it.each(['compact', 'plan'] as const)(
    '%s the messages that the other one has appended since',
    async (how) => {
      const { store, again } = await place(kind);
      const [one, other] = [await openOn(store), await openOn(await again())];
      await one.append(...LONG);
      const { kind: outcome } = await other.operator[how]({ target: 0.3 });
      expect(outcome).toBe(how === 'plan' ? 'planned' : 'committed');
      expect(other.log.length).toBe(LONG.length);
    },
  );

  it('can explain each call that they load, even if the other goes on while they read', async () => {
    const { store, again } = await place(kind);
    const one = await openOn(store);
    await one.append(...LONG);
    const turn = async (id: string): Promise<void> => {
      await one.append(said(id));
      await one.prepare();
      await one.observe({ inputTokens: 3_000 });
    };
    await turn('first');
    const own = await again();
    let isReading = false;
    const events: SessionStore['events'] = async (...args) => {
      if (isReading) await turn(`x${one.log.length}`);
      return own.events(...args);
    };
    const other = await openOn(but(own, { events }));
    isReading = true;
    await other.load();
    isReading = false;
    const { call } = other.operator.calls.at(-1)!;
    expect((await other.operator.explainCall(call)).messages.length).toBeGreaterThan(LONG.length);
  });

  it('get CALL_UNKNOWN for a call that they cannot explain while a message of their own waits to be stored', async () => {
    const { store, again } = await place(kind);
    let isAway = false;
    const away = (): never => {
      throw new SpillwayError('STORE_FAILED', { subject: 'store', found: 'away', remedy: 'Wait.' });
    };
    const write: SessionStore['write'] = async (...args) => (isAway ? away() : store.write(...args));
    const [one, other] = [await openOn(but(store, { write })), await openOn(await again())];
    await other.append(...LONG);
    await other.prepare();
    await other.observe({ inputTokens: 3_000 });
    isAway = true;
    await expect(one.append(said('own'))).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await one.load();
    await expect(one.operator.explainCall(1)).rejects.toMatchObject({ code: 'CALL_UNKNOWN' });
    isAway = false;
    await one.append(said('own'));
    expect((await one.operator.explainCall(1)).messages).toHaveLength(LONG.length);
  });
});
