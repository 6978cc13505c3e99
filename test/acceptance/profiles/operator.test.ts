import { createSpillway, type ConfigSources } from '../../../src/index.js';
import { prose, quarter, says, step, system, user, type Chat } from '../../support/chats.js';
import { fillTo, read, spillway, talk, temporaryFolder, wordsOf, sessionOf, preparedAt } from '../support.js';

const folder = temporaryFolder();
const opened = (settings: ConfigSources['settings'] = {}) =>
  createSpillway({ counter: quarter, profile: 'operator', settings });
const TALK: Chat[] = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(40, 400)];

describe('K1: thresholds are shares of the window of the model', () => {
  it.each([
    ['gpt-4o', 128_000],
    ['claude-sonnet-4-5', 200_000],
  ])('%s: opens at 0.85 of %d tokens, goes on to 0.60 of them', async (model, window) => {
    for (const [pressure, kind] of [
      [0.849, 'below-gate'],
      [0.851, 'committed'],
    ] as const) {
      const session = (await opened({ model })).session();
      session.append(...read([system('Be brief.'), user('Build.'), ...talk(60, window / 160)]));
      fillTo(session, pressure * window);
      const { run, reading } = await session.prepare();
      expect([pressure, run.kind]).toEqual([pressure, kind]);
      if (kind === 'committed') {
        expect(reading.tokens).toBeLessThanOrEqual(0.6 * window);
        expect(reading.tokens).toBeGreaterThan(0.3 * window);
      }
    }
  });

  it('a window that an operator states as maxInputTokens of a model is used', async () => {
    const settings = { model: 'our-own', models: { 'our-own': { maxInputTokens: 50_000 } } };
    const { budget } = (await opened(settings as object)).session().reading;
    expect([budget.tokens, budget.authoritative]).toEqual([50_000, true]);
  });

  it('an unknown model has a window of 128,000, which is marked as a guess', async () => {
    const { budget } = (await opened({ model: 'our-own' })).session().reading;
    expect([budget.tokens, budget.authoritative]).toEqual([128_000, false]);
  });

  it('a request for a long answer lowers the gate, so that the answer still fits', async () => {
    const session = (await opened({ model: 'claude-sonnet-4-5' })).session();
    session.append(...read([system('Be brief.'), user('Build.'), ...talk(60, 1_200)]));
    fillTo(session, 140_000);
    expect((await session.prepare()).run.kind).toBe('below-gate');
    const { run, reading } = await session.prepare({ maxOutputTokens: 64_000 });
    expect(reading.tokens + 64_000).toBeLessThanOrEqual(200_000);
    expect(run.kind).toBe('committed');
  });
});

describe("K4: the document's block of an agent, under its own names", () => {
  const block = {
    strategy: 'drop',
    upper_threshold: 0.7,
    lower_threshold: 0.4,
    summarize: { window_messages: 6, preserve_recent: 4, max_summary_tokens: 300 },
  };

  it('applies to all agents, or to one', async () => {
    const made = await opened({
      compaction: { upper_threshold: 0.9, lower_threshold: 0.5 } as object,
      agents: { 'primary/reviewer': { compaction: block } },
    });
    expect(made.config.settings).toMatchObject({ thresholds: { autoThreshold: 0.9 }, target: 0.5 });
    const reviewer = made.config.agents['primary/reviewer']!;
    expect(reviewer.settings).toMatchObject({
      thresholds: { snipThreshold: 0.7, autoThreshold: 0.7 },
      target: 0.4,
      compaction: { strategy: 'drop', summarizeFirst: true },
    });
    expect(reviewer.stages['auto']).toEqual({ windowMessages: 6, preserveRecent: 4, maxSummaryTokens: 300 });
    expect(made.config.agents).not.toHaveProperty('primary');
  });

  it('applies from a file, with a prompt relative to it; summarize: false switches the summary off', async () => {
    folder.file('ours.md', 'Write like our foreman.\n---\nAt most {{maxTokens}} tokens.');
    const configFile = folder.file(
      'operator.yaml',
      'extends: operator\ncompaction:\n  upper_threshold: 0.8\n  summarize: { prompt: ours.md }\n',
    );
    const { settings } = (await createSpillway({ counter: quarter, configFile })).config;
    expect(settings.fill.promptFiles['auto']).toBe(`${folder.path}/ours.md`);
    expect(settings.thresholds.autoThreshold).toBe(0.8);
    expect((await opened({ compaction: { summarize: false } as object })).config.settings).toMatchObject({
      compaction: { summarizeFirst: false },
    });
  });

  it('applies from the environment', async () => {
    const { config } = await createSpillway({
      counter: quarter,
      profile: 'operator',
      env: { SPILLWAY_COMPACTION_UPPER_THRESHOLD: '0.75' },
    });
    expect(config.settings.thresholds.autoThreshold).toBe(0.75);
    expect(config.origin('thresholds.autoThreshold')).toBe('env SPILLWAY_COMPACTION_UPPER_THRESHOLD');
  });

  it.each([
    [{ compaction: { upper_threshold: 85 } }, /compaction\.upper_threshold.*0 to 1/s],
    [{ compaction: { summarize: { windows: 3 } } }, /compaction\.summarize.*window_messages/s],
    [{ compaction: { upper_threshold: 0.5, lower_threshold: 0.6 } }, /target/],
  ])('is refused with the reason: %j', async (settings, what) => {
    await expect(opened(settings as object)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(what),
    });
  });

  it('is unknown to the default profile', async () => {
    const settings = { compaction: { upper_threshold: 0.9 } as object };
    await expect(createSpillway({ counter: quarter, settings })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('compaction.upper_threshold'),
    });
  });
});

describe('K9: the always-keep set remains uncut as long as it fits', () => {
  it('a first message of half the window is not cut by a compaction', async () => {
    const first = user(`Build a mill. ${prose(9_500, 3)}`);
    const session = await sessionOf(
      20_000,
      [system('Be brief.'), first, ...talk(12, 300)],
      {},
      { profile: 'operator' },
    );
    const { messages, run } = await preparedAt(session, 0.95);
    expect(run.kind).toBe('committed');
    expect(wordsOf(messages[1])).toBe(wordsOf(first));
  });

  it('a file can add patterns and tools to it', async () => {
    const configFile = folder.file(
      'keep.yaml',
      "extends: operator\npins:\n  patterns: ['^Question 3:']\n  tools: [note]\n",
    );
    const made = await createSpillway({ counter: quarter, inputBudget: 20_000, configFile });
    const session = made.session();
    const note = step('note', {}, 'The wheel turns left.');
    session.append(...read([...TALK.slice(0, 5), ...note, ...TALK.slice(5)]));
    await session.operator.compact({ target: 0.2 });
    const status = new Map(session.operator.explain().map((one) => [one.id, one.status]));
    expect([status.get('m1'), status.get('m6'), status.get('m11')]).toEqual(['pinned', 'pinned', 'pinned']);
    expect([...status.values()]).toContain('superseded');
    const opening = opened({ pins: { patterns: ['('] } });
    await expect(opening).rejects.toMatchObject({ message: expect.stringContaining('pins.patterns[0]') });
  });
});

describe('K18: the numbers of PruneConfig', () => {
  it('are 40,000, read and skill, 20,000, and can be set by the names of the document', async () => {
    const { stages, settings } = (await opened()).config;
    expect(settings.prune).toBe('always');
    expect(stages['snip']).toMatchObject({
      protectTokens: 40_000,
      protectedTools: ['read', 'skill'],
      minimumSavings: 20_000,
    });
    const prune = { protectTokens: 10_000, protectedTools: ['note'], minimumSavings: 5_000 };
    expect((await opened({ prune } as object)).config.stages['snip']).toMatchObject(prune);
  });

  it('protect a tool whether its name is written in upper or lower case', async () => {
    const chat = [
      user('Read.'),
      ...Array.from({ length: 60 }, (_, i) => step(i % 2 ? 'Read' : 'Search', { i }, prose(2_000, i))).flat(),
      says('Done.'),
      user('And now?'),
    ];
    const session = await sessionOf(1_000_000, chat, {}, { profile: 'operator' });
    await session.prepare();
    const edits = session.operator.ledger.records[0]!.plan.edits;
    const pruned = edits.map((edit) => (edit.kind === 'replace' ? edit.reason : ''));
    expect(pruned.length).toBeGreaterThan(15);
    const touched = edits.flatMap((edit) => (edit.kind === 'replace' ? [edit.messageId] : []));
    const tools = touched.map((id) => session.log.find(id)!.seq % 4);
    // Results of Search are at 2, 6, 10, …
    expect(new Set(tools)).toEqual(new Set([2]));
  });
});

describe('K21: the defaults of summarize', () => {
  it('are 20 messages, 10 preserved, 1,500 tokens and the model of the agent, with the strategy drop', async () => {
    const { settings, stages } = (await opened()).config;
    expect(stages['auto']).toEqual({ windowMessages: 20, preserveRecent: 10, maxSummaryTokens: 1_500 });
    expect(settings).toMatchObject({
      summarizerModel: { model: null },
      compaction: { strategy: 'drop', summarizeFirst: true },
      escalation: 'target',
      pins: { system: true, firstUser: true },
    });
  });

  it('include missing prompts, which are written at load even if no model summarises', async () => {
    const prompts = `${folder.path}/prompts`;
    await opened({ fill: { prompts } });
    expect((await spillway(['init', folder.path])).out).toContain('kept');
  });
});
