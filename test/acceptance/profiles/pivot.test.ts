import { createSpillway } from '../../../src/index.js';
import { prose, quarter, step, system, user, type Chat } from '../../support/chats.js';
import { engine, read, talk, sessionOf, preparedAt } from '../support.js';

const opened = (settings: object = {}) => createSpillway({ counter: quarter, profile: 'pivot', settings });
const usableOf = async (limits: object, settings: object = {}) => {
  const made = await opened({ model: 'our-own', models: { 'our-own': limits }, ...settings });
  return made.session().reading.budget;
};

describe('O1: the overflow formula of the document, at any window', () => {
  it.each([
    // usable = inputLimit ?? (contextLimit - min(outputLimit, globalOutputCap))
    [{ contextWindow: 64_000, outputLimit: 32_000 }, {}, 32_000],
    [{ contextWindow: 100_000, outputLimit: 64_000 }, {}, 68_000],
    [{ contextWindow: 40_000, outputLimit: 16_000 }, {}, 24_000],
    [{ contextWindow: 40_000, outputLimit: 16_000 }, { outputCap: 8_000 }, 32_000],
    [{ contextWindow: 100_000 }, {}, 68_000],
    [{ contextLimit: 100_000 }, { globalOutputCap: 10_000 }, 90_000],
    [{ contextWindow: 400_000, inputLimit: 272_000, outputLimit: 128_000 }, {}, 272_000],
    [{ contextWindow: 400_000, inputLimit: 272_000 }, { window: 400_000 }, 272_000],
    [{ contextWindow: 0, outputLimit: 1_000 }, {}, Infinity],
    [{ contextWindow: 0, inputLimit: 1_000 }, {}, Infinity],
    // The cap would take the complete window: a quarter is kept for the answer.
    [{ contextWindow: 16_000 }, {}, 12_000],
  ])('%j with %j leaves %d', async (limits, settings, usable) => {
    const budget = await usableOf(limits, settings);
    expect([budget.usable, budget.tokens]).toEqual([usable, usable]);
  });

  it.each([
    [64_000, 32_000, 32_000],
    [40_000, 16_000, 24_000],
  ])('a window of %d with %d of output opens at %d', async (contextWindow, outputLimit, usable) => {
    for (const [pressure, kind] of [
      [0.98, 'below-gate'],
      [1.02, 'committed'],
    ] as const) {
      const made = await opened({ model: 'our-own', models: { 'our-own': { contextWindow, outputLimit } } });
      const session = made.session();
      session.append(...read([system('Be brief.'), user('Build.'), ...talk(20, usable / 50)]));
      expect((await preparedAt(session, pressure)).run.kind).toBe(kind);
    }
  });

  it('the default profile leaves more of a small window for the request', async () => {
    const settings = {
      model: 'our-own',
      models: { 'our-own': { contextWindow: 64_000, outputLimit: 32_000 } },
    };
    const made = await createSpillway({ counter: quarter, settings });
    expect(made.session().reading.budget.usable).toBe(48_000);
  });
});

describe('O2: a compaction is queued as a marker, with or without a store', () => {
  it('an overflow in the reported usage puts one into the log, and the next request executes it once', async () => {
    const session = await sessionOf(
      20_000,
      [system('Be brief.'), user('Build.'), ...talk(14, 400)],
      {},
      { profile: 'pivot' },
    );
    await session.prepare();
    await session.observe({ inputTokens: 19_000, outputTokens: 2_000 });
    expect(session.log.at(session.log.length - 1).parts).toEqual([
      { type: 'marker', marker: 'compaction', auto: true },
    ]);
    const { run, messages } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(JSON.stringify(messages)).not.toContain('marker');
    expect((await session.prepare()).run.kind).toBe('below-gate');
  });

  it('O2: an event reports it before the next request, and says whether it is automatic', async () => {
    const session = await sessionOf(
      20_000,
      [system('Be brief.'), user('Build.'), ...talk(14, 400)],
      {},
      { profile: 'pivot' },
    );
    const heard: unknown[] = [];
    session.events.subscribe((event) => event.kind === 'queued' && heard.push(event));
    await session.prepare();
    await session.observe({ inputTokens: 18_000, outputTokens: 2_000 });
    expect(heard).toEqual([]);
    await session.observe({ inputTokens: 18_001, outputTokens: 2_000 });
    expect(heard).toEqual([{ kind: 'queued', auto: true }]);
    await session.operator.queue();
    expect(heard.slice(1)).toEqual([{ kind: 'queued', auto: false }]);
  });
});

const TURNS = (turns: number): Chat[] =>
  Array.from({ length: turns }, (_, i) => [
    user(`Turn ${i}.`),
    ...step('search', { i }, `a${i} ${prose(8_000, 2 * i)}`),
    ...step('search', { i, again: true }, `b${i} ${prose(8_000, 2 * i + 1)}`),
  ]).flat();

describe('O9: compaction.auto and compaction.prune, both on by default', () => {
  it('are settings with these names', async () => {
    const { settings, stages } = (await opened()).config;
    expect(settings).toMatchObject({ compaction: { auto: true }, prune: 'iteration', outputCap: 32_000 });
    expect(stages['snip']).toMatchObject({
      protectTokens: 40_000,
      minimumSavings: 20_000,
      protectedTools: ['skill'],
      protectTurns: 2,
    });
    const off = { compaction: { auto: false, prune: false } };
    expect((await opened(off)).config.settings).toMatchObject({ compaction: { auto: false }, prune: 'off' });
    expect((await opened({ compaction: { prune: true } })).config.settings.prune).toBe('iteration');
    const { config } = await createSpillway({
      profile: 'pivot',
      counter: quarter,
      env: { SPILLWAY_COMPACTION_PRUNE: 'false' },
    });
    expect(config.settings.prune).toBe('off');
    await expect(opened({ compaction: { prune: 'maybe' } })).rejects.toMatchObject({
      message: expect.stringMatching(/compaction\.prune.*true \| false/s),
    });
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('compaction.prune switches pruning: %s', async (prune, records) => {
    const made = await engine(1_000_000, { compaction: { prune } as object }, { profile: 'pivot' });
    const session = made.session();
    session.append(...read(TURNS(8)));
    await session.prepare();
    expect(session.operator.ledger.records).toHaveLength(records);
  });

  it('O9: with auto off a reported overflow queues nothing, but an operator can queue a compaction', async () => {
    const session = await sessionOf(
      20_000,
      [system('Be brief.'), user('Build.'), ...talk(14, 400)],
      { compaction: { auto: false } },
      { profile: 'pivot' },
    );
    const { length } = session.log;
    await session.prepare();
    await session.observe({ inputTokens: 19_000, outputTokens: 2_000 });
    expect(session.log.length).toBe(length);
    expect((await session.prepare()).run.kind).toBe('below-gate');
    await session.operator.queue();
    expect((await session.prepare()).run.kind).toBe('committed');
  });

  it('O9: compaction.model names a model of its own for compactions', async () => {
    const settings = {
      model: 'the-session-s',
      compaction: { model: 'small' } as object,
      summarizerModel: { baseUrl: 'http://127.0.0.1:1/v1' },
    };
    expect((await opened(settings)).config.settings).toMatchObject({
      model: 'the-session-s',
      summarizer: 'model',
      summarizerModel: { model: 'small' },
    });
  });

  it('PROTECT and MIN_PRUNE set the thresholds of pruning', async () => {
    const settings = { compaction: { PROTECT: 10_000, MIN_PRUNE: 1_000 } as object };
    expect((await opened(settings)).config.stages['snip']).toMatchObject({
      protectTokens: 10_000,
      minimumSavings: 1_000,
    });
  });
});
