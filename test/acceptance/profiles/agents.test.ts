import { createSpillway, type ConfigSources } from '../../../src/index.js';
import { startEmulator, type Emulator } from '../../emulator/index.js';
import { BUDGET, pressed } from '../summarizer.js';
import { quarter, step, system, user, prose } from '../../support/chats.js';
import { engine, read, spillway, temporaryFolder, jsonLines } from '../support.js';

const folder = temporaryFolder();
const REVIEWER = 'primary/reviewer';

async function opened(agent: object, settings: ConfigSources['settings'] = {}) {
  const made = await engine(BUDGET, {
    roster: ['auto'],
    ...settings,
    agents: { [REVIEWER]: agent },
  } as object);
  return (agentPath = REVIEWER) => {
    const session = made.session({ agentPath });
    session.append(...read([system('Be brief.')]));
    return session;
  };
}

const bought = (emulator: Emulator, model = 'emulated') => ({
  summarizer: 'model' as const,
  summarizerModel: { model, baseUrl: emulator.url },
});

describe('K4: an agent can have its own of everything that is not process-wide', () => {
  it('options of stages apply to that agent only', async () => {
    const session = await opened({ stages: { auto: { maxSummaryTokens: 60 } } });
    const sizes = [];
    for (const path of ['primary', REVIEWER]) {
      const one = session(path);
      await pressed(one, 1);
      sizes.push(one.view.find(({ message }) => message.label === 'summary')!.size.tokens);
    }
    expect(sizes[0]).toBeGreaterThan(300);
    expect(sizes[1]).toBeLessThan(120);
  });

  it('chunks and prompt files of a summarizer apply to that agent only', async () => {
    const emulator = await startEmulator();
    const auto = folder.file('ours.md', 'Write like our foreman.\n---\nAt most {{maxTokens}} tokens.');
    const session = await opened(
      { fill: { chunks: 3, promptFiles: { auto, merge: auto } } },
      bought(emulator),
    );
    await pressed(session('primary'), 1);
    expect(emulator.received).toHaveLength(1);
    await pressed(session(), 1);
    expect(emulator.received).toHaveLength(4);
    expect(emulator.received.map(({ text }) => text.includes('our foreman'))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it('the model of a summarizer and patterns of secrets apply to that agent only', async () => {
    const emulator = await startEmulator();
    const session = await opened(
      { summarizerModel: { model: 'small' }, redact: ['river \\w+'] },
      bought(emulator, 'large'),
    );
    await pressed(session('primary'), 1);
    await pressed(session(), 1);
    expect(emulator.received.map(({ body }) => body['model'])).toEqual(['large', 'small']);
    expect(emulator.received.map(({ text }) => /\briver (?!\[)\w+/.test(text))).toEqual([true, false]);
  });

  it('its breaker opens after as many failures as the agent allows', async () => {
    const emulator = await startEmulator('server-error');
    const session = await opened(
      { thresholds: { circuitBreakerFailures: 1 }, breaker: { scope: 'stage' } },
      bought(emulator),
    );
    const primary = session('primary');
    const own = session();
    for (const round of [1, 2]) {
      await pressed(primary, round);
      await pressed(own, round);
    }
    expect(Object.values(own.operator.breakers)).toEqual(['open']);
    expect(Object.values(primary.operator.breakers)).toEqual(['closed']);
  });

  it('gates, target and pins are inherited from parent to child, and overridden key by key', async () => {
    const made = await createSpillway({
      counter: quarter,
      settings: {
        agents: {
          primary: { target: 0.5, pins: { tools: ['note'] } },
          [REVIEWER]: { thresholds: { snipThreshold: 0.7 }, pins: { firstUser: false } },
        },
      },
    });
    const { settings } = made.config.agents[REVIEWER]!;
    expect(settings).toMatchObject({
      target: 0.5,
      thresholds: { snipThreshold: 0.7, microThreshold: 0.84 },
      pins: { tools: ['note'], firstUser: false, system: true },
    });
  });

  it('an agent path without settings has those of its nearest parent', async () => {
    const made = await engine(BUDGET, {
      agents: { [REVIEWER]: { window: 5_000, reserve: { output: 0 }, target: 0.4 } },
    });
    const budgets = ['primary', REVIEWER, `${REVIEWER}/linter`, `${REVIEWER}/linter/fixer`].map(
      (agentPath) => made.session({ agentPath }).reading.budget.tokens,
    );
    expect(budgets).toEqual([BUDGET, 5_000, 5_000, 5_000]);
  });

  it.each([
    [{ store: 'memory:' }, /agents\["primary\/reviewer"\]\.store.*whole process/s],
    [{ models: {} }, /models.*whole process/s],
    [{ fill: { queue: 'process' } }, /fill\.queue.*whole process/s],
    [{ fill: { maxCostPerHour: 1 } }, /fill\.maxCostPerHour/],
    [{ counter: 'heuristic' }, /counter/],
    [{ agents: {} }, /agents\["primary\/reviewer"\]\.agents/],
    [{ stages: { snip: { mod: 'stub' } } }, /agents\["primary\/reviewer"\]\.stages\.snip\.mod\b.*mode/s],
    [{ thresholds: { snipThreshold: 2 } }, /agents\["primary\/reviewer"\]\.thresholds\.snipThreshold/],
    [{ target: 0.95 }, /target.*below 0\.92/s],
    [{ compaction: { agent: 'Nobody' } }, /Nobody/],
    [{ redact: ['('] }, /redact/],
  ])('a setting that an agent cannot have, or that is wrong, is refused at load: %j', async (agent, what) => {
    await expect(opened(agent)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(what),
    });
  });

  it('the command line reports all faults of all agents at once', async () => {
    const config = folder.file(
      'agents.yaml',
      'agents:\n  primary: { store: "memory:" }\n  primary/reviewer: { targte: 0.5 }\n',
    );
    const chat = folder.file('chat.jsonl', jsonLines([user('Go.'), ...step('read', {}, prose(20))]));
    const { code, err } = await spillway(['compact', chat, '--config', config]);
    expect(code).toBe(1);
    expect(err).toMatch(/agents\.primary\.store/);
    expect(err).toMatch(/targte.*Did you mean target/s);
  });
});
