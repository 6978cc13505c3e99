import { replaySession, type Session } from '../../../src/index.js';
import { WIRES, type Wire } from '../../support/wires.js';
import { engine, prose } from '../support.js';

async function sessionOn(wire: Wire, budget: number, items: readonly unknown[]): Promise<Session> {
  const session = (await engine(budget, {}, { format: wire.format })).session();
  session.append(...wire.format.parse(items).messages);
  return session;
}

/** Three parallel calls whose results come in another order, with the user between them. */
const round = (wire: Wire, i: number): unknown[] => [
  ...wire.calls(
    ['x', 'y', 'z'].map((name) => [`${name}${i}`, 'Read', { path: `src/${name}${i}.ts` }] as const),
    `Reading three, round ${i}.`,
  ),
  ...wire.result(`z${i}`, 'Read', prose(200, 3 * i)),
  ...wire.user(`By the way ${i}.`),
  ...wire.result(`x${i}`, 'Read', prose(200, 3 * i + 1)),
  ...wire.result(`y${i}`, 'Read', prose(200, 3 * i + 2)),
];

describe.each(WIRES)('AC-02: orphaned call or result, HTTP 400, on the wire of %s', (_, wire) => {
  const kindsOf = async (items: readonly unknown[]): Promise<readonly string[]> => {
    const prepared = await (await sessionOn(wire, 100_000, items)).prepare();
    expect(wire.judge(prepared)).toEqual([]);
    return prepared.notices.map(({ kind }) => kind).filter((kind) => /call|result/.test(kind));
  };

  it('AC-02: a missing result, a late result and a result without a call are each reported and sent legally', async () => {
    const { user, says, calls, result } = wire;
    expect(await kindsOf([...user('Go.'), ...calls([['a', 'Bash', {}]]), ...user('Stop.')])).toEqual([
      'interrupted-call',
    ]);
    const late = [
      ...user('Go.'),
      ...calls([['a', 'Bash', {}]]),
      ...user('Well?'),
      ...says('Slow.'),
      ...result('a', 'Bash', 'late'),
      ...says('Ah.'),
      ...user('And?'),
    ];
    expect(await kindsOf(late)).toEqual(['interrupted-call', 'late-result']);
    expect(
      await kindsOf([...user('Go.'), ...result('z', 'Bash', 'nobody'), ...says('Hm.'), ...user('And?')]),
    ).toEqual(['orphan-result']);
  });

  it('AC-02: every request with parallel calls and mixed text is legal, through many compactions', async () => {
    const items = [...wire.user('Go.')];
    for (let i = 0; i < 24; i++) {
      items.push(...(round(wire, i) as typeof items));
      if (i % 4 === 0)
        items.push(...wire.says('Halfway.'), ...wire.result(`x${i}`, 'Read', 'again'), ...wire.says('Seen.'));
      if (i % 5 === 0) items.push(...wire.result(`lost${i}`, 'Read', prose(50, i)));
      if (i % 7 === 0) items.push(...wire.calls([[`cut${i}`, 'Bash', { i }]], 'Trying.'));
      items.push(...wire.user(`Next ${i}.`));
    }
    items.push(...wire.says('Done.'));
    const session = (await engine(4_000, {}, { format: wire.format })).session();
    let calls = 0;
    for await (const { prepared } of replaySession(session, wire.format.parse(items).messages)) {
      calls++;
      expect(wire.judge(prepared!)).toEqual([]);
    }
    expect(calls).toBeGreaterThan(25);
    expect(session.operator.history.length).toBeGreaterThan(3);
  });
});
