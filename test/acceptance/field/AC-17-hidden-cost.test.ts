import { startEmulator, type Act } from '../../emulator/index.js';
import { filling, loaded, pressed } from '../summarizer.js';

describe('AC-17: no call is hidden, and totals only grow', () => {
  it('pieces, retries, refused and failed calls are all on record', async () => {
    const emulator = await startEmulator();
    emulator.script = ['context-length', 'refusal', 'server-error', 'good', 'empty'] satisfies Act[];
    const summarizerModel = { model: 'gpt-4o-mini', baseUrl: emulator.url, window: 6_000 };
    const session = await filling(emulator, { summarizerModel });
    let before = session.operator.costs.compactor;
    for (let round = 1; round <= 6; round++) {
      await pressed(session, round);
      const { compactor } = session.operator.costs;
      for (const key of Object.keys(before) as (keyof typeof before)[])
        expect(compactor[key]).toBeGreaterThanOrEqual(before[key]);
      before = compactor;
    }
    const calls = session.operator.history.flatMap((record) => record.calls ?? []);
    expect(calls).toHaveLength(emulator.received.length);
    expect(session.operator.costs.compactor.calls).toBe(emulator.received.length);
    const priced = calls.filter(({ usage }) => usage);
    expect(session.operator.costs.compactor.cost).toBeCloseTo(
      priced.reduce((sum, { cost }) => sum + cost!, 0),
    );
    expect(calls.filter(({ outcome }) => outcome === 'refused').every(({ cost }) => cost! > 0)).toBe(true);
    session.operator.undo();
    expect(session.operator.costs.compactor).toEqual(before);
  });

  it('AC-17: a plan with a model’s text keeps its calls when it is edited and committed later', async () => {
    const emulator = await startEmulator();
    const session = await filling(emulator);
    loaded(session, 1);
    const bought = await session.operator.plan({ target: 0.3 });
    expect(bought.calls).toHaveLength(1);
    const edited = await session.operator.edit(bought.plan!, { text: { 0: 'They spoke of boats.' } });
    const record = await session.operator.commit(edited);
    expect(record.calls).toEqual(bought.calls);
    expect(session.operator.netCosts[0]!.spentTokens).toBeGreaterThan(0);
  });
});
