import { createSpillway, type ConfigSources } from '../../../src/index.js';
import { startEmulator } from '../../emulator/index.js';
import { emulated } from '../summarizer.js';
import { prose, quarter, says, step, system, user, times, type Chat } from '../../support/chats.js';
import {
  engine,
  fillTo,
  read,
  shownText,
  spillway,
  talk,
  temporaryFolder,
  sessionOf,
  preparedAt,
} from '../support.js';

const folder = temporaryFolder();
const opened = (settings: object = {}, more: object = {}) =>
  createSpillway({
    counter: quarter,
    profile: 'agent',
    settings: settings as ConfigSources['settings'] & object,
    ...more,
  });

it.each([
  ['what summarizer says', {}, { from: 'default', name: 'extractive' }],
  ['named again', { features: { compaction: { agent: 'Compaction' } } }, { from: 'default' }],
  ['nobody, where nobody summarises', { summarizer: 'none' }, { from: 'none' }],
  [
    'an agent that is defined by that name',
    { summarizerAgents: { Compaction: { model: 'fast', baseUrl: 'http://127.0.0.1:9/v1' } } },
    { from: 'agent', name: 'Compaction' },
  ],
])('A13: the default agent is called Compaction: %s', async (_, settings, summarizer) => {
  const spillway = await opened({ safetyMargin: 0, ...settings }, { inputBudget: 20_000 });
  expect(spillway.config.settings.compaction.agent).toBe('Compaction');
  const session = spillway.session();
  const steps = Array.from({ length: 12 }, (_, i) => step('read', { path: `m${i}.ts` }, prose(1_400, i)));
  session.append(...read([system('Be brief.'), user('Look.'), ...steps.flat(), says('So.'), user('Go on.')]));
  const { record } = (await session.prepare()).run;
  expect(record!.summarizer).toMatchObject(summarizer);
  expect(record!.plan.edits.some(({ stage }) => stage === 'partial')).toBe(summarizer.from !== 'none');
});

describe("A13: the document's settings keep their names, units and defaults", () => {
  it('the profile has the defaults of the document', async () => {
    const { settings, stages } = (await opened()).config;
    expect(settings).toMatchObject({
      trim: { threshold: 0.5, maxTokens: 0 },
      thresholds: { partialThreshold: 0.8, retainCount: 10 },
      trigger: { maxTokens: 0 },
      fill: { chunks: 1, toolResultChars: 200, oversized: 'retry' },
      compaction: { prompt: null, agent: 'Compaction', auto: true },
      prune: 'off',
      roster: ['partial'],
      sharesOf: 'window',
    });
    expect(stages['snip']).toMatchObject({
      classes: ['arguments'],
      arguments: { mode: 'on', minTokens: 200, protectShare: 0.3 },
    });
  });

  const ALL = {
    threshold: 95,
    max_tokens: 90_000,
    trim_threshold: 40,
    trim_max_tokens: 30_000,
    keep_last_messages: 20,
    chunks: 3,
    tool_result_max_length: 300,
    prune: { mode: 'iteration', protect_percent: 25, arg_threshold: 500 },
  };
  const MEANT = {
    thresholds: { partialThreshold: 0.95, retainCount: 20 },
    trigger: { maxTokens: 90_000 },
    trim: { threshold: 0.4, maxTokens: 30_000 },
    fill: { chunks: 3, toolResultChars: 300 },
    prune: 'iteration',
  };

  it.each([
    ['under compaction', { compaction: ALL }],
    ['bare', ALL],
    ['under features.compaction', { features: { compaction: ALL } }],
  ])('each of them is accepted %s', async (_, settings) => {
    const { config } = await opened(settings);
    expect(config.settings).toMatchObject(MEANT);
    expect(config.stages['snip']).toMatchObject({ arguments: { protectShare: 0.25, minTokens: 500 } });
  });

  it('a file and the environment can set them, and config print says where a value is from', async () => {
    const configFile = folder.file('agent.yaml', 'extends: agent\ncompaction:\n  threshold: 70\n');
    const env = { SPILLWAY_COMPACTION_KEEP_LAST_MESSAGES: '6', SPILLWAY_COMPACTION_PRUNE_MODE: 'compaction' };
    const { config } = await createSpillway({ counter: quarter, configFile, env });
    expect(config.settings).toMatchObject({
      thresholds: { partialThreshold: 0.7, retainCount: 6 },
      prune: 'compaction',
    });
    expect(config.origin('thresholds.partialThreshold')).toBe(`file ${configFile}`);
    expect(config.origin('prune')).toBe('env SPILLWAY_COMPACTION_PRUNE_MODE');
    const { out } = await spillway(['config', 'print', '--config', configFile]);
    expect(out).toMatch(/thresholds\.partialThreshold +=\s*0\.7 +# file/);
  });

  it.each([
    [{ threshold: 800 }, /^.*threshold.*a percentage from 0 to 100/s],
    [{ compaction: { prune: { mode: 'always', protect_percent: 'x' } } }, /protect_percent.*percentage/s],
    [{ compaction: { keep_last_messages: -1 } }, /retainCount.*0 or more/s],
    [{ compaction: { keep_last: 3 } }, /compaction\.keep_last\b/],
  ])('an error says what is wrong in %j', async (settings, what) => {
    await expect(opened(settings)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(what),
    });
  });

  it('the frontmatter of an agent file can set them under features.compaction, and the window as context', async () => {
    folder.file(
      'reviewer.md',
      '---\nname: Reviewer\ncontext: 40000\nfeatures:\n  web: false\n  compaction:\n    threshold: 95\n    keep_last_messages: 20\n---\nYou review.\n',
    );
    folder.file('plain.md', 'You lint.\n');
    const configFile = folder.file(
      'agents.yaml',
      'extends: agent\nagentFiles:\n  primary/reviewer: reviewer.md\n  primary/linter: plain.md\nagents:\n  primary/reviewer: { keep_last_messages: 4 }\n',
    );
    const made = await createSpillway({ counter: quarter, configFile });
    expect(made.config.agents['primary/reviewer']!.settings).toMatchObject({
      window: 40_000,
      thresholds: { partialThreshold: 0.95, retainCount: 4 },
    });
    expect(made.config.agents['primary/linter']!.settings.thresholds).toEqual(
      made.config.settings.thresholds,
    );
    expect(made.session({ agentPath: 'primary/reviewer/helper' }).reading.budget.tokens).toBe(40_000);
    expect(made.session().reading.budget.tokens).toBe(128_000);
    const gone = opened({ agentFiles: { primary: `${folder.path}/none.md` } });
    await expect(gone).rejects.toMatchObject({ message: expect.stringContaining('agentFiles.primary') });
    const wrong = folder.file('wrong.md', '---\nfeatures: { compaction: { threshold: high } }\n---\n');
    await expect(opened({ agentFiles: { primary: wrong } })).rejects.toMatchObject({
      message: expect.stringMatching(/threshold.*percentage/s),
    });
  });
});

describe('A2: fill is a share of the context window', () => {
  it.each([
    [{ model: 'gpt-4o' }, 102_400],
    [{ model: 'our-own', models: { 'our-own': { contextWindow: 200_000, outputLimit: 64_000 } } }, 160_000],
    [{ window: 128_000 }, 102_400],
    [{ window: 128_000, compaction: { max_tokens: 50_000 } }, 50_000],
  ])('%j compacts at %d tokens', async (settings, at) => {
    for (const [tokens, kind] of [
      [at - 200, 'below-gate'],
      [at + 200, 'committed'],
    ] as const) {
      const session = (await opened(settings)).session();
      session.append(...read([system('Be brief.'), user('Build.'), ...talk(20, at / 60)]));
      fillTo(session, tokens);
      expect([tokens, (await session.prepare()).run.kind]).toEqual([tokens, kind]);
    }
  });

  it('an absolute trigger needs no window', async () => {
    const session = (await opened({ window: 0, compaction: { max_tokens: 5_000 } })).session();
    session.append(...read([system('Be brief.'), user('Build.'), ...talk(20, 150)]));
    expect(session.reading.tokens).toBeGreaterThan(5_000);
    const { run, reading } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(reading.tokens).toBeLessThan(5_000);
  });
});

const WRITES = (results = 'ok'): Chat[] => [
  user('Write the chapters.'),
  ...times(20, (i) =>
    step(
      'Write',
      { path: `chapter${i}.md`, text: `${i} ${prose(2_000, 5)}` },
      results && `${results} ${prose(300, i)}`,
    ),
  ),
];

describe('A11: prune.mode is the only switch, and prunes arguments only', () => {
  it.each([
    ['iteration', 100_000],
    ['compaction', 50_000],
  ])('mode %s trims arguments', async (mode, budget) => {
    const session = await sessionOf(
      budget,
      WRITES('A long result.'),
      { compaction: { prune: { mode } } as object },
      { profile: 'agent' },
    );
    await session.prepare();
    const { edits } = session.operator.ledger.records[0]!.plan;
    expect(edits.length).toBeGreaterThan(3);
    for (const edit of edits) expect(edit.reason).toMatch(/^arguments of Write trimmed/);
  });

  it('results remain, however old and large they are', async () => {
    const chat = times(18, (i) =>
      step('Write', { path: `chapter${i}.md`, text: `${i} ${prose(1_000, 5)}` }, prose(2_600, i)),
    );
    const settings = { compaction: { prune: { mode: 'iteration' } } as object };
    const session = await sessionOf(100_000, [user('Write the chapters.'), ...chat], settings, {
      profile: 'agent',
    });
    const { run, view } = await session.prepare();
    expect(run.kind).toBe('below-gate');
    expect(session.operator.ledger.records[0]!.plan.edits.length).toBeGreaterThan(5);
    const results = view.filter(({ message }) => message.role === 'tool').map(shownText);
    expect(results).toEqual(chat.filter(({ role }) => role === 'tool').map(({ content }) => content));
  });
});

describe('A7: compaction with and without a summarizer', () => {
  it('without a summarizer arguments and results are pruned, and no summary is written', async () => {
    const session = await sessionOf(
      50_000,
      [...WRITES('A long result.'), says('Written.')],
      { summarizer: 'none' },
      { profile: 'agent' },
    );
    const { run, view } = await preparedAt(session, 0.95);
    expect(run.kind).toBe('committed');
    expect(run.record!.summarizer).toEqual({ from: 'none', name: 'none' });
    const stages = new Set(run.record!.plan.edits.map(({ stage }) => stage));
    expect(stages).toContain('snip');
    expect([...stages].every((stage) => ['snip', 'micro', 'fresh'].includes(stage))).toBe(true);
    expect(view.some(({ message }) => message.label === 'summary')).toBe(false);
  });

  it('a prompt of its own is used for every piece of a chunked summary', async () => {
    const emulator = await startEmulator();
    const prompt = folder.file('own.md', 'Write like our foreman.\n---\nAt most {{maxTokens}} tokens.');
    const settings = {
      ...emulated(emulator),
      model: 'the-session-s',
      compaction: { prompt },
      fill: { chunks: 3 },
    };
    const session = await sessionOf(
      20_000,
      [system('Be brief.'), user('Build.'), ...talk(14, 400)],
      settings,
      { profile: 'agent' },
    );
    await preparedAt(session, 0.9);
    expect(emulator.received).toHaveLength(3);
    for (const { text } of emulator.received) expect(text).toContain('Write like our foreman.');
  });
});

it('A4: at least the last N messages remain, with the complete exchange that they begin in', async () => {
  const session = (await engine(20_000, {}, { profile: 'agent' })).session();
  const parallel: Chat[] = [
    {
      role: 'assistant',
      content: '',
      tool_calls: times(12, (i) => ({
        id: `p${i}`,
        type: 'function',
        function: { name: 'read', arguments: `{"i":${i}}` },
      })),
    },
    ...times(12, (i) => ({ role: 'tool', tool_call_id: `p${i}`, content: prose(60, i) })),
  ];
  session.append(
    ...read([system('Be brief.'), user('Build.'), ...talk(14, 450), ...parallel, says('Read.')]),
  );
  await preparedAt(session, 0.9);
  const kept = session.operator
    .explain()
    .filter(({ status }) => status === 'kept')
    .map(({ id }) => id);
  // Thirteen messages of the exchange, its answer, and the last question.
  expect(kept).toHaveLength(15);
});

it('A9: after a refusal of a request that seemed to fit, a run keeps fewer messages and the call is retried', async () => {
  const session = await sessionOf(
    100_000,
    [system('Be brief.'), user('Build.'), ...talk(4, 8_000), user('And now?')],
    {},
    { profile: 'agent' },
  );
  const { reading } = await session.prepare();
  expect(reading.pressure).toBeLessThan(0.7);
  const refusal = Object.assign(new Error('prompt is too long: your messages do not fit'), { status: 400 });
  const verdict = await session.overflowed(refusal);
  expect(verdict).toMatchObject({ overflow: true, retry: true });
  expect(verdict.run!.stages.filter(({ stage }) => stage === 'partial').length).toBeGreaterThan(1);
  expect(session.reading.pressure).toBeLessThan(0.95 * reading.pressure);
});
