import { createSpillway, definePlugin, openStore } from '../../../src/index.js';
import type { EngineEvent, Plugin, Session, SpillwayOptions } from '../../../src/index.js';
import type { PluginApi, PostCompact, PreCompact } from '../../../src/spi/index.js';
import { prose, quarter, says, step, system, user } from '../../support/chats.js';
import { engine, fill, preparedAt, read, said, shownText, talk } from '../support.js';

const chat = () => [system('You help.'), user('Go.'), says('Yes.'), ...talk(14, 150)];
type Settings = NonNullable<SpillwayOptions['settings']>;

const STAGED: Settings = {
  roster: ['full'],
  thresholds: { fullThreshold: 0.7 },
  target: 0.5,
  pins: { firstUser: false },
};

/** A session at 0.9 of 5,000 tokens, and all events of its engine. */
async function opened(
  plugins: readonly Plugin[],
  settings: Settings = STAGED,
  more: Partial<SpillwayOptions> = {},
) {
  const spillway = await engine(5_000, settings, { plugins, ...more });
  const told: EngineEvent[] = [];
  spillway.events.subscribe((event) => void told.push(event));
  const session = spillway.session();
  await session.append(...read(chat()));
  fill(session, 0.9);
  const hooks = () => told.filter((event) => event.kind === 'plugin-hook');
  return { spillway, session, told, hooks };
}

const failures = async (session: Session) =>
  (await session.operator.audit())
    .filter(({ kind }) => kind === 'compaction.plugin-failed')
    .map(({ body }) => body);

const idsOf = ({ log }: Session): string[] => Array.from({ length: log.length }, (_, i) => log.at(i).id);

const observer = (name: string, hooks: Plugin['observer']): Plugin =>
  definePlugin({ name, observer: hooks! });
const never = (): Promise<never> => new Promise(() => undefined);

describe('A10: the hook before a compaction, and the one after it', () => {
  it('A10: pre_compact gets forced, tokens, percent, count and kept, with frozen copies of the messages', async () => {
    const seen: PreCompact[] = [];
    const look = observer('look', { preCompact: (event) => void seen.push(event) });
    const { session } = await opened([look], {
      ...STAGED,
      thresholds: { fullThreshold: 0.7, retainCount: 7 },
    });
    const { tokens, budget } = session.reading;
    const count = session.view.length;
    const { run } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      forced: false,
      dryRun: false,
      tokens,
      budget: budget.tokens,
      count,
      kept: 7,
      target: 0.5,
    });
    expect(seen[0]!.percent).toBeCloseTo((100 * tokens) / budget.window, 6);
    expect(seen[0]!.messages).toHaveLength(count);
    expect(seen[0]!.messages.at(-1)).toMatchObject({ id: 'fill900', fixed: 'unanswered' });
    expect(() => void ((seen[0]!.messages[0]!.parts[0] as { text: string }).text = 'x')).toThrow(TypeError);
    await session.append(...read([says('Done.')]).map((message) => ({ ...message, id: 'done' })));
    await session.operator.compact({ target: 0.2 });
    expect(seen[1]).toMatchObject({ forced: true, dryRun: false });
    await session.operator.plan({ target: 0.2 });
    expect(seen[2]).toMatchObject({ forced: true, dryRun: true });
  });

  it('A10: pre_compact may skip: the run names the plugin, which is not asked again until something is new', async () => {
    const seen: unknown[] = [];
    const skips = observer('wary', {
      preCompact: (event) => (seen.push(event), { skip: 'a test is running' }),
      postCompact: () => void seen.push('after'),
    });
    const { session } = await opened([skips]);
    const before = session.view.length;
    const { run } = await session.prepare();
    expect(run).toMatchObject({
      kind: 'noop',
      skippedBy: 'wary',
      reason: 'skipped by wary: a test is running',
    });
    expect(session.view).toHaveLength(before);
    await session.prepare();
    expect(seen).toHaveLength(1);
    expect(session.operator.history).toEqual([]);
  });

  it('A10: a skip is not heeded if the request would not fit, and a warning says so', async () => {
    const skips = observer('wary', { preCompact: () => ({ skip: true }) });
    const { session, told } = await opened([skips]);
    const { run, reading } = await preparedAt(session, 1.2, 901);
    expect(run.kind).toBe('committed');
    expect(reading.pressure).toBeLessThanOrEqual(1);
    expect(told).toContainEqual(
      expect.objectContaining({
        kind: 'warning',
        code: 'plugin-not-heeded',
        message: expect.stringMatching(/^wary asked to skip/),
      }),
    );
  });

  it('A10: post_compact gets success, messages before and after, and the length of the summary', async () => {
    const seen: PostCompact[] = [];
    const look = observer('look', { postCompact: (event) => void seen.push(event) });
    const { session } = await opened([look]);
    const before = session.view.length;
    const { run } = await session.prepare();
    const [summary] = session.view.filter(({ message }) => message.label === 'summary').map(shownText);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      success: true,
      messagesBefore: before,
      messagesAfter: session.view.length,
      summaryLength: summary!.length,
      summaries: [summary],
    });
    expect(seen[0]!.record).toEqual(run.record);
    const stands = new Set(session.view.flatMap(({ source }) => (source ? [source.id] : [])));
    expect(seen[0]!.superseded.map(({ id }) => id)).toEqual(idsOf(session).filter((id) => !stands.has(id)));
    expect(seen[0]!.tokensAfter).toBeLessThan(seen[0]!.tokensBefore);
  });

  it('A10: neither hook runs on the prune-only path', async () => {
    const seen: string[] = [];
    const look = observer('look', {
      preCompact: () => void seen.push('pre'),
      postCompact: () => void seen.push('post'),
    });
    const settings: Settings = {
      prune: 'always',
      compaction: { auto: true },
      stages: {
        snip: { protectTokens: 0, classes: ['arguments', 'expired', 'unreferenced'], minimumSavings: 0 },
      },
    };
    const { session } = await opened([look], settings);
    const spillway = await engine(20_000, settings, { plugins: [look] });
    const pruned = spillway.session();
    await pruned.append(
      ...read([
        system('You help.'),
        user('Go.'),
        ...Array.from({ length: 8 }, (_, i) => step('poll', { i }, `alpha ${i} `.repeat(120))).flat(),
        says('So.'),
        user('And?'),
        says('Well.'),
      ]),
    );
    await pruned.prepare();
    await pruned.append(...read([user('Next.')]).map((message) => ({ ...message, id: 'next' })));
    await pruned.prepare();
    expect(pruned.operator.ledger.records.map(({ kind }) => kind)).toContain('prune');
    expect(seen).toEqual([]);
    expect(session.operator.history).toEqual([]);
  });
});

describe('A10: hooks and the prune-only path of an agent', () => {
  it.each([
    [{ summarizer: 'none' }, []],
    [{}, ['pre', 'post']],
  ])('A10: with %j these hooks run: %j', async (settings, heard) => {
    const seen: string[] = [];
    const look = observer('look', {
      preCompact: () => void seen.push('pre'),
      postCompact: () => void seen.push('post'),
    });
    const spillway = await engine(20_000, settings as Settings, { profile: 'agent', plugins: [look] });
    const session = spillway.session();
    const steps = Array.from({ length: 12 }, (_, i) =>
      step('read', { path: `src/m${i}.ts` }, prose(1_400, i)),
    );
    await session.append(
      ...read([system('Be brief.'), user('Look.'), ...steps.flat(), says('Done.'), user('Go on.')]),
    );
    const { run } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(seen).toEqual(heard);
  });

  it('A10: percent is a share of the window, not of the budget', async () => {
    const seen: PreCompact[] = [];
    const look = observer('look', { preCompact: (event) => void seen.push(event) });
    const spillway = await createSpillway({
      counter: quarter,
      plugins: [look],
      settings: { ...STAGED, window: 20_000, reserve: { output: 5_000 }, safetyMargin: 0 },
    });
    const session = spillway.session();
    session.append(...read([system('Be brief.'), ...talk(20, 300), user('Go on.')]));
    await session.prepare();
    expect(seen[0]!.budget).toBe(15_000);
    expect(seen[0]!.percent).toBeCloseTo((100 * seen[0]!.tokens) / 20_000, 6);
  });
});

describe('K23: pre_compact retains and injects, post_compact reads; each has a time-out', () => {
  it('K23: a message that an observer retains remains in this compaction, and may leave in the next', async () => {
    let retain = ['m4', 'm5'];
    const { session, hooks } = await opened([observer('memory', { preCompact: () => ({ retain }) })]);
    const { run } = await session.prepare();
    expect(run.kind).toBe('committed');
    const shown = () => session.view.flatMap(({ source }) => (source ? [source.id] : []));
    expect(shown()).toEqual(expect.arrayContaining(['m4', 'm5']));
    expect(shown()).not.toContain('m6');
    expect(run.record!.hooks).toEqual([
      expect.objectContaining({
        plugin: 'memory',
        hook: 'pre_compact',
        outcome: 'done',
        message: 'retains 2',
      }),
    ]);
    expect(hooks()).toHaveLength(1);
    retain = [];
    await session.operator.compact({ target: 0.1 });
    expect(shown()).not.toContain('m4');
  });

  it('K23: a message that an observer retains leaves with a warning if nothing would fit next to it', async () => {
    const memory = observer('memory', { preCompact: () => ({ retain: ['m4', 'm5'] }) });
    const { session, told } = await opened([memory], { ...STAGED, roster: [] });
    await session.append({ ...read([user(prose(4_600, 7))])[0]!, id: 'newest' });
    const { run, reading } = await session.prepare();
    expect([run.kind, reading.pressure < 1]).toEqual(['committed', true]);
    expect(session.view.some(({ source }) => source?.id === 'm4')).toBe(false);
    expect(told).toContainEqual(
      expect.objectContaining({ kind: 'warning', message: expect.stringContaining('retain did not fit') }),
    );
  });

  it.each(['memory:', undefined])(
    'K23: values that a plugin sets in a hook are its session’s, those of open() are shared (store %s)',
    async (place) => {
      let shared: PluginApi | undefined;
      const seen: unknown[] = [];
      const counts = definePlugin({
        name: 'counts',
        open: (api) => void (shared = api),
        observer: {
          async preCompact(_, { values }) {
            seen.push(await values.all());
            await values.set('runs', Number((await values.get('runs')) ?? 0) + 1);
            await shared!.values.set('runs', Number((await shared!.values.get('runs')) ?? 0) + 1);
          },
        },
      });
      const store = place === undefined ? {} : { store: await openStore(place) };
      const spillway = await engine(5_000, STAGED, { plugins: [counts], ...store });
      for (const id of ['a', 'b']) {
        const session = place === undefined ? spillway.session({ id }) : await spillway.open({ id });
        await session.append(...read(chat()));
        await session.operator.compact({ target: 0.5 });
        await session.operator.compact({ target: 0.1 });
      }
      expect(seen).toEqual([{}, { runs: 1 }, {}, { runs: 1 }]);
      expect(await shared!.values.get('runs')).toBe(4);
    },
  );

  it('K23: a value that is not JSON is refused, and the error names plugin and value', async () => {
    const ring: Record<string, unknown> = {};
    ring.ring = ring;
    const keeps = observer('keeps', { preCompact: (_, { values }) => values.set('ring', ring) });
    const { session } = await opened([keeps]);
    const { run } = await session.prepare();
    expect(run.record!.hooks).toEqual([
      expect.objectContaining({
        outcome: 'threw',
        message: expect.stringMatching(/PLUGIN_FAILED.*keeps.*values\.set\('ring'\)/) as unknown,
      }),
    ]);
  });

  it('K23: injected texts follow the summary, the next compaction replaces them, and undo restores them', async () => {
    let turn = 0;
    const memory = observer('memory', {
      preCompact: () => ({ inject: `Remembered ${++turn}: the port is 8443.` }),
    });
    const notes = observer('notes', { preCompact: () => ({ inject: ['first', 'second'] }) });
    const { session } = await opened([memory, notes]);
    await session.prepare();
    const carried = () =>
      session.view
        .filter(({ message }) => message.label === 'injected')
        .map(({ message }) => [message.role, shownText({ message } as never)]);
    expect(carried()).toEqual([
      ['assistant', 'Remembered 1: the port is 8443.'],
      ['assistant', 'first'],
      ['assistant', 'second'],
    ]);
    await session.append(
      ...read([says('Done.'), ...talk(8, 150, 500)]).map((message, i) => ({ ...message, id: `n${i}` })),
    );
    await session.operator.compact({ target: 0.3 });
    expect(carried().filter(([, text]) => text!.startsWith('Remembered'))).toEqual([
      ['assistant', 'Remembered 2: the port is 8443.'],
    ]);
    await session.operator.undo();
    expect(carried()[0]).toEqual(['assistant', 'Remembered 1: the port is 8443.']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no disk');
      },
      'threw',
      /no disk/,
    ],
    ['rejects', () => Promise.reject(new Error('no net')), 'threw', /no net/],
    ['never settles', never, 'late', /has not settled in 5 ms/],
    ['answers a text', () => 'yes' as never, 'wrong', /no answer/],
    ['retains what is not there', () => ({ retain: ['nobody'] }), 'wrong', /retains nobody/],
    [
      'retains everything',
      (event: PreCompact) => ({ retain: event.messages.map(({ id }) => id) }),
      'wrong',
      /retains \d+ tokens; at most/,
    ],
    ['injects a book', () => ({ inject: 'word '.repeat(4_000) }), 'wrong', /injects \d+ tokens; at most/],
  ] as const)(
    'K23: an observer that %s loses only its own answer, and is reported by plugin and hook',
    async (_, preCompact, outcome, words) => {
      const { session, hooks } = await opened(
        [
          observer('bad', { preCompact: preCompact as never }),
          observer('good', { preCompact: () => ({ retain: ['m4'] }) }),
        ],
        { ...STAGED, pluginLimits: { preCompactMs: 5 } },
      );
      const { run } = await session.prepare();
      expect(run.kind).toBe('committed');
      expect(session.view.some(({ source }) => source?.id === 'm4')).toBe(true);
      expect(
        hooks()
          .map(({ plugin, outcome: came }: any) => [plugin, came])
          .toSorted(),
      ).toEqual([
        ['bad', outcome],
        ['good', 'done'],
      ]);
      const failed = await failures(session);
      expect(failed).toEqual([
        expect.objectContaining({
          plugin: 'bad',
          hook: 'pre_compact',
          outcome,
          message: expect.stringMatching(words),
        }),
      ]);
    },
  );

  it('K23: a hook that hangs after a compaction is given up, reported, and listed as in flight', async () => {
    let end = (): void => undefined;
    const hung = observer('hung', { postCompact: () => new Promise<void>((done) => (end = done)) });
    const { spillway, session } = await opened([hung], { ...STAGED, pluginLimits: { postCompactMs: 5 } });
    const { run } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(await failures(session)).toEqual([
      expect.objectContaining({ plugin: 'hung', hook: 'post_compact', outcome: 'late' }),
    ]);
    expect(spillway.plugins).toEqual([
      expect.objectContaining({
        name: 'hung',
        roles: ['observer'],
        inFlight: [expect.objectContaining({ hook: 'post_compact', sessionId: session.id })],
      }),
    ]);
    end();
    await new Promise(setImmediate);
    expect(spillway.plugins[0]!.inFlight).toEqual([]);
  });

  it('K23: a message that arrives while a hook runs enters the log once, after it', async () => {
    let go = (): void => undefined;
    const slow = observer('slow', { preCompact: () => new Promise<void>((done) => (go = done)) });
    const { session } = await opened([slow]);
    const preparing = session.prepare();
    await new Promise(setImmediate);
    const appended = session.append(said('late', 'One more.'));
    go();
    await Promise.all([preparing, appended]);
    expect(idsOf(session).filter((id) => id === 'late')).toEqual(['late']);
    expect(session.view.at(-1)!.message.id).toBe('late');
  });

  it('K23: post_compact runs when an operator approves the plan that waited', async () => {
    const seen: PostCompact[] = [];
    const look = observer('look', { postCompact: (event) => void seen.push(event) });
    const { session } = await opened([look], { ...STAGED, compaction: { approval: 'ask' } });
    await expect(session.prepare())
      .rejects.toMatchObject({ code: 'COMPACTION_PENDING' })
      .catch(() => undefined);
    expect(seen).toEqual([]);
    const record = await session.operator.approve();
    expect(seen).toEqual([expect.objectContaining({ success: true, record })]);
  });
});
