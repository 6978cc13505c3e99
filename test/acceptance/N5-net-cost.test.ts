import { startEmulator } from '../emulator/index.js';
import { BUDGET, emulated, loaded } from './summarizer.js';
import { engine, prose, read, says, step, system, talk, temporaryFolder, user } from './support.js';

const folder = temporaryFolder();

const TOOLS = Array.from({ length: 12 }, (_, i) => ({
  type: 'function',
  function: { name: `tool${i}`, description: prose(400, i) },
}));
const NAMED = { model: 'gpt-4o-mini', window: 20_000, reserve: { output: 0 } };
const CHAT = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(30, 250)];

describe('N5: the ledger of net costs', () => {
  it('N5: predicts the input tokens that the provider then reports, without charging for cached tools', async () => {
    const spillway = await engine(20_000, NAMED);
    const session = spillway.session({ tools: TOOLS });
    await session.append(...read(CHAT));
    const { run, reading } = await session.prepare();
    expect(run.kind).toBe('committed');
    // A provider that counts as Spillway does, and had only the tools in its cache.
    await session.observe({ inputTokens: reading.tokens, outputTokens: 10 });
    const [cost] = session.operator.netCosts;
    expect(cost!.reported!.inputTokens).toBe(reading.tokens);
    expect(Math.abs(cost!.predicted.inputTokens - reading.tokens)).toBeLessThanOrEqual(2);
    // The tools, which come before the messages, were not rewritten.
    expect(cost!.rewritten).toBeLessThan(reading.tokens - 4_800);
  });

  it('N5: subtracts the cost of the summarizer, at the prices of the summarizer’s model', async () => {
    const cheapest = async (model: string) => {
      const emulator = await startEmulator();
      const settings = emulated(emulator, { ...NAMED, roster: ['auto'] });
      const summarizerModel = { ...settings.summarizerModel, model };
      const spillway = await engine(BUDGET, { ...settings, summarizerModel });
      const session = spillway.session();
      await session.append(...read([system('Be brief.')]));
      loaded(session, 1);
      const { reading } = await session.prepare();
      await session.observe({ inputTokens: reading.tokens });
      const [cost] = session.operator.netCosts;
      await emulator.close();
      const used = session.operator.history.flatMap(({ calls = [] }) => calls.map(({ usage }) => usage!));
      const inputs = used.reduce((sum, one) => sum + one.inputTokens + (one.cacheReadTokens ?? 0), 0);
      expect(inputs).toBeGreaterThan(0);
      expect(cost!.spentTokens).toBe(inputs + used.reduce((sum, one) => sum + one.outputTokens!, 0));
      return { ...cost!, compactor: session.operator.costs.compactor.cost };
    };
    const [small, large] = [await cheapest('gpt-4o-mini'), await cheapest('gpt-4-turbo')];
    expect(small.spentTokens).toBe(large.spentTokens);
    for (const { spentCost, compactor } of [small, large]) expect(spentCost).toBeCloseTo(compactor, 9);
    expect(large.spentCost!).toBeGreaterThan(50 * small.spentCost!);
    // The same compaction and the same calls: in dollars they differ only by what was spent.
    expect(small.netCost! - large.netCost!).toBeCloseTo(large.spentCost! - small.spentCost!, 9);
    // At 0.15 dollars per million input tokens both figures are equal.
    expect(large.net * 0.15e-6).toBeCloseTo(large.netCost!, 6);
  });

  it('N5: includes what a plan’s text cost if the plan is committed later, here or by another engine', async () => {
    const emulator = await startEmulator();
    const store = `sqlite:${folder.path}/plans.db`;
    const settings = emulated(emulator, { ...NAMED, roster: ['auto'] });
    const open = async () =>
      (await engine(BUDGET, { ...settings, fill: { ...settings.fill } }, { store })).open({ id: 'mill' });
    const first = await open();
    await first.append(...read([system('Be brief.')]));
    loaded(first, 1);
    await first.load();
    const { plan, calls } = await first.operator.plan({ target: 0.3 });
    expect(calls).toHaveLength(1);
    const second = await (await open()).load();
    const record = await second.operator.commit(JSON.parse(JSON.stringify(plan)) as typeof plan & object);
    expect(record.calls).toEqual(calls);
    expect(second.operator.netCosts[0]!.spentTokens).toBeGreaterThan(0);
    await second.operator.undo();
    await second.operator.release();

    const again = await second.operator.plan({ target: 0.3 });
    await second.operator.propose(again.plan!);
    expect((await second.operator.approve()).calls).toEqual(again.calls);
    await emulator.close();
  });

  it('N5: includes prunes, which rewrite the cache too', async () => {
    const spillway = await engine(200_000, { ...NAMED, window: 200_000 }, { profile: 'operator' });
    const session = spillway.session();
    const results = Array.from({ length: 45 }, (_, i) => [
      ...step('search', { query: `term ${i}` }, `finding_${i}\n${prose(2_000, i)}`),
      says(`finding_${i} matters.`),
    ]).flat();
    await session.append(...read([user('Read everything.'), ...results, user('And now?')]));
    const { reading } = await session.prepare();
    await session.observe({ inputTokens: reading.tokens });
    expect(session.operator.history).toEqual([]);
    const [prune] = session.operator.netCosts;
    expect(prune).toMatchObject({ kind: 'prune', calls: 1, reported: { inputTokens: reading.tokens } });
    expect(prune!.rewritten).toBeGreaterThan(0.8 * reading.tokens);
    expect(prune!.savedPerCall).toBeGreaterThan(20_000);
  });

  it('N5: charges two compactions before one call only once', async () => {
    const spillway = await engine(20_000, { ...NAMED, roster: ['auto'] });
    const session = spillway.session();
    await session.append(...read(CHAT));
    await session.operator.compact({ target: 0.6 });
    await session.append(...read(talk(20, 250, 500)).map((message, i) => ({ ...message, id: `later${i}` })));
    await session.operator.compact({ target: 0.3 });
    const { reading } = await session.prepare();
    await session.observe({ inputTokens: reading.tokens });
    const costs = session.operator.netCosts;
    expect(costs).toHaveLength(2);
    expect(costs.reduce((sum, { rewritten }) => sum + rewritten, 0)).toBeLessThanOrEqual(reading.tokens);
    expect(costs[0]!.rewritten).toBe(0);
    expect(costs[1]!.reported!.inputTokens).toBe(reading.tokens);
  });
});
