import { Container } from 'inversify';
import { z } from 'zod';
import { open, POLLED, PollsStage, ROSTERS } from '../../examples/custom-stage.js';
import { createContainer, openSpillway, SERVICES } from '../../src/container/index.js';
import { createSpillway, defineStage, type ConfigSources } from '../../src/index.js';
import { BUILT_IN_STAGES, snip } from '../../src/stages/index.js';
import { opened, quarter, shownText } from './support.js';

async function play(how: keyof typeof ROSTERS, settings = {}) {
  const spillway = await open(ROSTERS[how], settings);
  const session = spillway.session();
  session.append(...POLLED);
  const { run, view } = await session.prepare();
  return { spillway, run, results: view.filter(({ message }) => message.role === 'tool').map(shownText) };
}

/** A follower of clients that does nothing. */
const SILENT = {
  parse: () => [],
  isStranger: async () => false,
  compare: async () => ({ isFork: false, answers: 0 }),
  follow: () => Promise.reject(new Error('nothing is followed')),
  copyInstance: undefined,
};

/** No stage finds anything to remove, so that every gate is tried. */
const IDLE = {
  window: 5_000,
  stages: { polls: { tools: [] }, snip: { classes: [] }, micro: { minTokens: 1_000_000 } },
};

describe('S10: a third party, without changes to our source,', () => {
  it('adds a decorated class by binding it, and opens it by name', async () => {
    const { run, results, spillway } = await play('added');
    expect(opened(run)).toEqual(['polls']);
    expect(run.record!.plan.edits).toHaveLength(19);
    expect(results.slice(0, -1).every((text) => text === '[a newer answer follows]')).toBe(true);
    expect(results.at(-1)).toContain('step 19 of 20');
    expect(spillway.stages[0]).toMatchObject({ name: 'polls', opensAt: 0.8, options: { tools: ['poll'] } });
  });

  it('replaces a built-in stage by its own', async () => {
    const { run, spillway } = await play('in place of snip', IDLE);
    expect(opened(run).slice(0, 3)).toEqual(['polls', 'micro', 'collapse']);
    expect(opened(run)).not.toContain('snip');
    // Still bound, but no longer in the roster.
    expect(spillway.stages.find(({ name }) => name === 'snip')).not.toHaveProperty('opensAt');
  });

  it('reorders stages', async () => {
    const { run } = await play('reordered', IDLE);
    // After the last stage comes the drop floor.
    expect(opened(run)).toEqual(['collapse', 'snip', 'polls', 'drop']);
  });

  it('switches its stage off by leaving it out of the roster', async () => {
    const { run, results } = await play('switched off');
    expect(opened(run)).toEqual(['snip']);
    expect(results).not.toContain('[a newer answer follows]');
  });

  it('adds a plain object made with `defineStage`', async () => {
    const seen: unknown[] = [];
    const watcher = defineStage({
      name: 'watcher',
      summary: 'Looks and proposes nothing.',
      options: z.strictObject({ mood: z.string().default('calm') }),
      plan: (view, { options }) => {
        seen.push(options, view.exchanges.length);
        return { edits: [] };
      },
    });
    const spillway = await createSpillway({
      counter: quarter,
      stages: [watcher],
      inputBudget: 5_000,
      settings: {
        roster: [{ stage: 'watcher', opensAt: 0.7 }, 'full'],
        stages: { watcher: { mood: 'busy' } },
      },
    });
    const session = spillway.session();
    session.append(...POLLED);
    const { run } = await session.prepare();
    expect(opened(run)).toEqual(['watcher', 'full']);
    expect(seen).toEqual([{ mood: 'busy' }, 23]);
  });

  it('adds a stage through its own container, a child of ours, or ours', async () => {
    for (const container of [
      new Container(),
      new Container({ parent: createContainer() }),
      createContainer(),
    ]) {
      container.bind(SERVICES.TokenCounter).toConstantValue(quarter);
      container.bind(SERVICES.Stage).to(PollsStage);
      const spillway = await openSpillway(container, {
        settings: { window: 8_000, reserve: { output: 0 }, roster: ROSTERS.added },
      });
      expect(spillway.stages.map(({ name }) => name)).toContain('polls');
      expect(container.get(SERVICES.Spillway)).toBe(spillway);
      const session = spillway.session();
      session.append(...POLLED);
      expect(opened((await session.prepare()).run)).toEqual(['polls']);
    }
  });

  it('keeps the stages that a parent container binds if a child binds stages too', async () => {
    const parent = createContainer();
    parent.bind(SERVICES.Stage).to(PollsStage);
    const child = new Container({ parent });
    child.bind(SERVICES.Stage).toConstantValue({
      name: 'watcher',
      summary: 'Looks and proposes nothing.',
      options: z.strictObject({}),
      plan: () => ({ edits: [] }),
    });
    const roster = ['polls', 'watcher'].map((stage) => ({ stage, opensAt: 0.8 }));
    const spillway = await openSpillway(child, { settings: { roster } });
    expect(spillway.stages.map(({ name }) => name)).toEqual(expect.arrayContaining(['polls', 'watcher']));
  });

  it('unbinds and replaces built-in stages like any other', async () => {
    const container = createContainer();
    expect(container.getAll(SERVICES.Stage)).toEqual(BUILT_IN_STAGES);
    container.unbind(SERVICES.Stage);
    const settings = { counter: 'heuristic' };
    const none = await openSpillway(container, { settings: { ...settings, roster: [] } });
    expect(none.stages).toEqual([]);
    await expect(openSpillway(container, { settings })).rejects.toMatchObject({ code: 'STAGE_UNKNOWN' });
    container.bind(SERVICES.Stage).toConstantValue(snip);
    const one = await openSpillway(container, { settings: { ...settings, roster: ['snip'] } });
    expect(one.stages.map(({ name }) => name)).toEqual(['snip']);
    // A stage of the same name, with options of its own.
    container.rebind(SERVICES.Stage).toConstantValue(
      defineStage({
        name: 'snip',
        summary: 'Proposes nothing.',
        options: z.strictObject({ mood: z.string().default('calm') }),
        plan: () => ({ edits: [] }),
      }),
    );
    const [own] = (
      await openSpillway(container, { profile: 'agent', settings: { ...settings, roster: ['snip'] } })
    ).stages;
    expect(own).toMatchObject({ name: 'snip', options: { mood: 'calm' } });
  });

  it('binds a service that gets services of the engine, and decorates one that the settings chose', async () => {
    const container = createContainer();
    const windows: (number | null)[] = [];
    container
      .bind(SERVICES.PriceOf)
      .toResolvedValue(
        ({ settings }, { lookup }) => {
          windows.push(settings.window, lookup('gpt-4o').contextWindow);
          return () => 0.5;
        },
        [SERVICES.Config, SERVICES.Catalogue],
      )
      .inSingletonScope();
    container.onActivation(SERVICES.TokenCounter, (_, counter) => ({
      ...counter,
      count: (text: string) => 2 * counter.count(text),
    }));
    const settings = { counter: 'heuristic', window: 9_000, models: { 'gpt-4o': { contextWindow: 7_000 } } };
    const sizes = [];
    for (const from of [container, createContainer()]) {
      const session = (await openSpillway(from, { settings })).session();
      await session.append(...POLLED);
      sizes.push(session.reading.tokens);
    }
    expect(windows).toEqual([9_000, 7_000]);
    expect(sizes[0]).toBeGreaterThan(1.5 * sizes[1]!);
  });

  describe('binds services of a session', () => {
    const SETTINGS = { window: 5_000, reserve: { output: 0 }, counter: 'heuristic' };
    const played = async (container: Container) => {
      const session = (await openSpillway(container, { settings: SETTINGS })).session({ id: 'mill' });
      await session.append(...POLLED);
      return { session, ...(await session.prepare()) };
    };

    it('Pipeline: its plan is what happens', async () => {
      const container = createContainer();
      expect((await played(container)).run.kind).toBe('committed');
      const plan = () => ({ kind: 'noop' as const, reason: 'not on my watch', stages: [] });
      container.bind(SERVICES.Pipeline).toConstantValue({ plan });
      expect((await played(container)).run).toMatchObject({ kind: 'noop', reason: 'not on my watch' });
    });

    it('Gauge: its reading decides what is due', async () => {
      const container = createContainer();
      container.onActivation(SERVICES.Gauge, (_, gauge) => {
        const { read } = gauge;
        return Object.assign(gauge, {
          read: (...of: Parameters<typeof read>) => ({ ...read(...of), pressure: 0.1 }),
        });
      });
      expect((await played(container)).run.kind).toBe('below-gate');
    });

    it('Follower: its messages are sent', async () => {
      const container = createContainer();
      container
        .bind(SERVICES.Follower)
        .toResolvedValue(
          ({ id }) => ({ ...SILENT, serialise: () => ({ messages: [id], notices: [] }) }),
          [SERVICES.Session],
        )
        .inTransientScope();
      expect((await played(container)).messages).toEqual(['mill']);
    });

    it('Recall: its passages are returned, and it is made once a session', async () => {
      const container = createContainer();
      const made: object[] = [];
      const found = [{ handle: 'm1', text: 'from the archive', message: 'm1', role: 'user' as const }];
      container
        .bind(SERVICES.Recall)
        .toDynamicValue(() => {
          const recall = { find: async () => found, read: async () => found };
          made.push(recall);
          return recall as never;
        })
        .inTransientScope();
      const { session } = await played(container);
      expect(await session.recall({ query: 'anything' })).toBe(found);
      expect(made).toHaveLength(1);
    });

    it('an object of another kind is refused by name', async () => {
      const container = createContainer();
      container.bind(SERVICES.Recall).toConstantValue({ search: () => [] } as never);
      const spillway = await openSpillway(container, { settings: SETTINGS });
      expect(() => spillway.session()).toThrow(/SERVICES\.Recall; found "an object with search"/);
    });
  });

  it('prunes with its own stage and options if that replaces snip in the roster', async () => {
    const asked: unknown[] = [];
    const clear = defineStage({
      name: 'clear',
      summary: 'Clears every result.',
      options: z.strictObject({ words: z.string().default('a run') }),
      plan: (view, { options }) => {
        asked.push(options.words);
        const edits = view.exchanges.flatMap(({ kind, messages, unseen }) =>
          kind !== 'step' || unseen
            ? []
            : messages
                .filter(({ message }) => message.role === 'tool')
                .map(({ message }) => ({
                  kind: 'replace' as const,
                  messageId: message.id,
                  partIndex: 0,
                  content: [{ type: 'text' as const, text: 'cleared' }],
                  reason: 'cleared',
                })),
        );
        return { edits };
      },
      asPass: (kind, options) => (kind === 'prune' ? { ...options, words: 'a pass' } : undefined),
    });
    const opens = async (roster: ConfigSources['settings']) => {
      const spillway = await createSpillway({
        counter: quarter,
        stages: [clear],
        inputBudget: 100_000,
        settings: { prune: 'always', ...roster },
      });
      const session = spillway.session();
      session.append(...POLLED);
      return (await session.prepare()).run.kind;
    };
    expect(await opens({ roster: [{ stage: 'clear', opensAt: 0.8 }, 'full'] })).toBe('below-gate');
    expect(asked).toEqual(['a pass']);
    await opens({ roster: ['snip', 'full'] });
    expect(asked).toEqual(['a pass']);
  });

  it.each(['pins', 'fresh', 'drop', 'regrow', 'inject', 'injection', 'delegate', 'signatures'])(
    'cannot call a stage %s, the name of a step of the pipeline',
    async (name) => {
      const stage = defineStage({
        name,
        summary: 'Does nothing.',
        options: z.strictObject({}),
        plan: () => ({ edits: [] }),
      });
      await expect(createSpillway({ stages: [stage] })).rejects.toMatchObject({
        code: 'STAGE_DUPLICATE',
        message: expect.stringContaining(`"${name}"`),
      });
    },
  );

  it('gets an error for an unknown name, a duplicate name and wrong options', async () => {
    const container = createContainer();
    container.bind(SERVICES.Stage).to(PollsStage);
    container.bind(SERVICES.Stage).to(PollsStage);
    await expect(openSpillway(container)).rejects.toMatchObject({ code: 'STAGE_DUPLICATE' });
    await expect(open([{ stage: 'poll', opensAt: 0.8 }])).rejects.toMatchObject({
      code: 'STAGE_UNKNOWN',
      message: expect.stringContaining('polls'),
    });
    await expect(open(ROSTERS.added, { stages: { polls: { tool: [] } } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('stages.polls.tool'),
    });
  });
});
