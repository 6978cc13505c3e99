import { createSpillway } from '../../src/index.js';
import { quarter, read, talk } from './support.js';

/** An engine that names no model: the catalogue is not loaded before a session uses one. */
const engine = (settings: object = {}) => createSpillway({ counter: quarter, settings });

describe('K17: limits are known of every model', () => {
  it('that a session names', async () => {
    const session = (await engine()).session({ model: 'claude-sonnet-4-5' });
    const { reading } = await session.prepare();
    expect(reading.budget).toMatchObject({ window: 200_000, authoritative: true });
    expect(reading.budget.derivation.join()).not.toContain('this model is not known');
  });

  it('that a call names, also if the next call names another one', async () => {
    const session = (await engine()).session();
    const first = await session.prepare({ model: 'gpt-4.1' });
    expect(first.reading.budget).toMatchObject({ window: 1_047_576, authoritative: true });
    const second = await session.prepare({ model: 'gpt-4o' });
    expect(second.reading.budget).toMatchObject({ window: 128_000, authoritative: true });
  });

  it('that an agent has in settings of its own', async () => {
    const spillway = await engine({ agents: { 'primary/reviewer': { model: 'gpt-4o' } } });
    const { budget } = spillway.session({ agentPath: 'primary/reviewer' }).reading;
    expect(budget).toMatchObject({ window: 128_000, authoritative: true });
  });

  it('before the first plan, so that its calls have a price', async () => {
    const spillway = await engine();
    const planned = spillway.session({ model: 'gpt-4.1' });
    await planned.append(...read(talk(4, 100)));
    expect((await planned.operator.plan()).before.budget.window).toBe(1_047_576);
    await planned.prepare();
    await planned.observe({ inputTokens: 1_000 });
    expect(planned.operator.costs.primary).toMatchObject({ unpriced: 0 });
    expect(planned.operator.costs.primary.cost).toBeCloseTo((1_000 * 2) / 1e6, 9);
  });
});
