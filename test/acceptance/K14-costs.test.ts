import { createContainer, openSpillway, SERVICES } from '../../src/container/index.js';
import type { ConfigSources, Spillway } from '../../src/index.js';
import { startEmulator, type Emulator } from '../emulator/index.js';
import { BUDGET, emulated, pressed } from './summarizer.js';
import { quarter, read, spillway as command, system, temporaryFolder } from './support.js';

const MODEL = 'gpt-4o-mini';

const folder = temporaryFolder();

/** An engine whose clock is set by the test. */
async function project(emulator: Emulator, settings: ConfigSources['settings'] = {}, store?: string) {
  const clock = { now: 1_800_000_000_000 };
  const container = createContainer();
  container.bind(SERVICES.TokenCounter).toConstantValue(quarter);
  container
    .rebind(SERVICES.Effects)
    .toConstantValue({ clock: () => clock.now, timer: () => performance.now() });
  const spillway = await openSpillway(container, {
    settings: {
      ...emulated(emulator, { roster: ['auto'], model: MODEL, ...settings }),
      ...(store !== undefined && { store }),
      summarizerModel: { model: MODEL, baseUrl: emulator.url },
      window: BUDGET,
      reserve: { output: 0 },
      safetyMargin: 0,
    },
  });
  return { clock, spillway };
}

function open(spillway: Spillway) {
  const session = spillway.session();
  session.append(...read([system('Be brief.')]));
  return session;
}

const lines = ({ costs: { primary, compactor } }: Pick<Spillway, 'costs'>): string =>
  `primary: $${primary.cost.toFixed(6)}, compactor: $${compactor.cost.toFixed(6)}`;

describe('K14: summarizer spending is a line of its own', () => {
  it('per session, and for the project as the sum of its sessions', async () => {
    const emulator = await startEmulator();
    const { spillway } = await project(emulator);
    expect(lines(spillway)).toBe('primary: $0.000000, compactor: $0.000000');
    const sessions = [open(spillway), open(spillway)];
    await pressed(sessions[0]!, 1);
    await pressed(sessions[0]!, 2);
    await pressed(sessions[1]!, 1);
    sessions[1]!.observe({ inputTokens: 1_000, outputTokens: 100 });
    // What the emulator reports of each call, at list price: 0.15, 0.075 and 0.60 dollars a million.
    const call = (800 * 0.15 + 200 * 0.075 + 50 * 0.6) / 1e6;
    expect(sessions[0]!.operator.costs.compactor.cost).toBeCloseTo(2 * call, 9);
    expect(lines(sessions[0]!.operator)).toMatch(/^primary: \$0\.000000, /);
    expect(sessions[1]!.operator.costs.primary.cost).toBeCloseTo((1_000 * 0.15 + 100 * 0.6) / 1e6, 9);
    const { costs } = spillway;
    for (const line of ['primary', 'compactor'] as const)
      for (const figure of [
        'calls',
        'inputTokens',
        'cacheReadTokens',
        'outputTokens',
        'cost',
        'unpriced',
      ] as const)
        expect(costs[line][figure]).toBeCloseTo(
          sessions.reduce((sum, session) => sum + session.operator.costs[line][figure], 0),
          9,
        );
    sessions[0]!.operator.undo();
    expect(spillway.costs).toEqual(costs);
  });

  it('for the project after a restart and on the command line, with the costs of every process', async () => {
    const emulator = await startEmulator();
    const store = `sqlite:${folder.path}/project.db`;
    const { spillway } = await project(emulator, {}, store);
    for (const id of ['mill', 'dam']) {
      const session = await spillway.open({ id });
      await session.append(...read([system('Be brief.')]));
      await pressed(session, 1);
      await session.observe({ inputTokens: 1_000, outputTokens: 100 });
    }
    const { costs } = spillway;
    expect(costs.primary.calls).toBe(2);
    // Both sessions have the same span, so its text is bought once.
    expect(costs.compactor.calls).toBe(1);
    expect(await spillway.projectCosts()).toEqual(costs);
    await spillway.close();
    const again = (await project(emulator, {}, store)).spillway;
    expect(again.costs.primary.calls).toBe(0);
    expect(await again.projectCosts()).toEqual(costs);
    await again.close();
    const ran = await command(['costs', '--store', store, '--json']);
    expect(JSON.parse(ran.out)).toEqual(JSON.parse(JSON.stringify(costs)));
    const { out } = await command(['costs', '--store', store]);
    expect((await command(['costs', '--store', store, '--calls'])).err).toContain(
      '--calls; found "no session"',
    );
    expect(out).toMatch(/^primary: \$0\.\d+, 2 calls, .*\ncompactor: \$0\.\d+, 1 call, /);
  });

  it('prices each call by its own model', async () => {
    const { spillway } = await project(await startEmulator());
    const session = open(spillway);
    await session.prepare();
    session.observe({ inputTokens: 1_000 });
    await session.prepare({ model: 'gpt-4o' });
    session.observe({ inputTokens: 1_000 });
    expect(session.operator.costs.primary.cost).toBeCloseTo((1_000 * 0.15 + 1_000 * 2.5) / 1e6, 9);
  });

  it('has a cap for each session', async () => {
    const emulator = await startEmulator();
    const { spillway } = await project(emulator, { fill: { maxTokens: 1_000 } });
    const [first, second] = [open(spillway), open(spillway)];
    await pressed(first, 1);
    await pressed(first, 2);
    // With other messages, because a text that one session bought is not bought again.
    await pressed(second, 11);
    expect(emulator.received).toHaveLength(2);
    expect(first.operator.history.at(-1)!.fallbacks!.join()).toContain(
      'the session has spent its 1000 tokens',
    );
  });

  it.each<[string, object, RegExp]>([
    ['tokens', { maxTokensPerHour: 2_000 }, /all sessions together have spent the 2000 tokens of this hour/],
    [
      'dollars',
      { maxCostPerHour: 0.0002 },
      /all sessions together have spent the 0.0002 dollars of this hour/,
    ],
  ])(
    'has a cap per hour, in %s, over all sessions, and text is bought again when the hour is over',
    async (_, fill, why) => {
      const emulator = await startEmulator();
      const { clock, spillway } = await project(emulator, { fill });
      const [first, second] = [open(spillway), open(spillway)];
      await pressed(first, 1);
      clock.now += 40 * 60_000;
      await pressed(second, 11);
      expect(emulator.received).toHaveLength(2);

      const run = await pressed(second, 12);
      expect(run.kind).toBe('committed');
      expect(run.record!.fallbacks!.join()).toMatch(why);
      expect(emulator.received).toHaveLength(2);

      // Now the first of the two calls is more than an hour old.
      clock.now += 21 * 60_000;
      await pressed(second, 13);
      expect(emulator.received).toHaveLength(3);
      await pressed(first, 2);
      expect(emulator.received).toHaveLength(3);
    },
  );
});
