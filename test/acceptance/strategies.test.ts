import type { RunOverrides, Session } from '../../src/index.js';
import { validateOpenAiChat } from '../../src/testkit/index.js';
import { prose, step, system, user, times, type Chat } from '../support/chats.js';
import {
  engine,
  jsonLines,
  preparedAt,
  read,
  sessionOf,
  shownText,
  spillway,
  talk,
  temporaryFolder,
  writer,
} from './support.js';

const folder = temporaryFolder();
const BUDGET = 20_000;

/** Tools first, then talk: something for every strategy. */
const CHAT: Chat[] = [
  system('Be brief.'),
  user('Build a mill.'),
  ...times(10, (i) => step('read', { path: `src/m${i}.ts` }, prose(600, i))),
  ...talk(16, 250),
];

const GOOD = 'Written by the summarizer: the user wants a mill, and the agent has read its parts.';
const throws = (): never => {
  throw new Error('no model today');
};

async function opened(
  settings: object,
  { profile = 'staged', answer }: { readonly profile?: string; readonly answer?: () => string } = {},
) {
  const by = answer && writer(answer);
  const made = await engine(BUDGET, settings, { profile, ...(by && { summarizer: by.summarizer }) });
  const session = made.session();
  session.append(...read(CHAT));
  return { session, asked: by?.asked ?? [] };
}

/** The labels of derived messages in the view. */
const labelsOf = (session: Session): string[] =>
  session.view.flatMap(({ message: { label } }) => (label === undefined ? [] : [label]));
const isPruned = ({ operator }: Session): boolean =>
  operator.ledger.records.some(({ plan }) =>
    plan.edits.some(({ stage }) => ['snip', 'micro', 'collapse'].includes(stage)),
  );

async function compacted(strategy: RunOverrides['strategy'], more: Parameters<typeof opened>[1] = {}) {
  const { session, asked } = await opened({ compaction: { strategy } }, more);
  const prepared = await preparedAt(session, 0.995).catch((error: { code: string }) => error);
  return { session, asked, prepared };
}

describe('S12: the strategies that an operator can choose', () => {
  it('prune: removes and condenses, writes no summary and asks no model', async () => {
    const { session, asked } = await compacted('prune', { answer: () => GOOD });
    expect(isPruned(session)).toBe(true);
    expect(labelsOf(session)).not.toContain('summary');
    expect(asked).toEqual([]);
    expect(session.operator.history[0]!.plan.edits.filter(({ slot }) => slot)).toEqual([]);
  });

  it('drop: removes the oldest messages down to the target, and does nothing else', async () => {
    const { session } = await compacted('drop', { answer: throws });
    expect(labelsOf(session)).toEqual(['notice']);
    expect(isPruned(session)).toBe(false);
    expect(session.reading.pressure).toBeLessThanOrEqual(0.6);
    expect(session.reading.pressure).toBeGreaterThan(0.5);
    const gone = session.operator.explain().map(({ status }) => status === 'superseded');
    // One span, from the oldest message on; pinned messages remain.
    expect(gone.lastIndexOf(true) - gone.indexOf(true) + 1).toBe(gone.filter(Boolean).length);
    expect(gone.slice(0, 3)).toEqual([false, false, true]);
  });

  it('summarize: writes a summary and does not prune', async () => {
    const { session, asked } = await compacted('summarize', { answer: () => GOOD });
    expect(isPruned(session)).toBe(false);
    expect(labelsOf(session)).toEqual(['summary']);
    expect(session.view.map(shownText).join('\n')).toContain(GOOD);
    expect(asked.length).toBeGreaterThan(0);
  });

  it('checkpoint: makes the plan wait for approval', async () => {
    const { session, prepared } = await compacted('checkpoint');
    expect(prepared).toMatchObject({ code: 'COMPACTION_PENDING' });
    expect(session.operator.history).toEqual([]);
    await session.operator.approve(session.operator.pending!.plan.hash);
    expect((await session.prepare()).run.kind).toBe('below-gate');
    expect(session.operator.history).toHaveLength(1);
  });

  it('a list combines strategies', async () => {
    const { session } = await compacted(['prune', 'drop'], { answer: throws });
    const acted = session.operator.history[0]!.plan.stages.filter(({ outcome }) => outcome === 'applied');
    expect(acted.map(({ stage }) => stage)).toEqual(expect.arrayContaining(['micro', 'drop']));
    expect(session.reading.pressure).toBeLessThanOrEqual(0.6);
    const waiting = await compacted(['drop', 'checkpoint'], { answer: throws });
    expect(waiting.prepared).toMatchObject({ code: 'COMPACTION_PENDING' });
    const edits = waiting.session.operator.pending!.plan.edits.filter(({ kind }) => kind === 'supersede');
    expect(new Set(edits.map(({ stage }) => stage))).toEqual(new Set(['drop']));
  });

  it('an unknown name is refused, and so is `delegate` without a compactor', async () => {
    for (const [strategy, what] of [
      ['delegate', /compaction\.strategy.*compactor plugin/s],
      [['drop', 'delegate'], /compaction\.strategy.*compactor plugin/s],
      ['forget', /compaction\.strategy.*prune \| drop \| summarize/s],
    ] as const)
      await expect(opened({ compaction: { strategy } })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(what),
      });
  });

  it('the audit contains the strategy of a run, whether it completed or did nothing', async () => {
    const { session } = await compacted('drop', { answer: throws });
    const events = await session.operator.audit();
    const strategyOf = (kind: string) => events.find((event) => event.kind === `compaction.${kind}`)!.body;
    expect(strategyOf('triggered')).toMatchObject({ strategy: ['drop'] });
    expect(strategyOf('completed')).toMatchObject({ strategy: ['drop'] });
    const { session: idle } = await opened({ compaction: { strategy: 'prune' }, roster: ['snip'] });
    await idle.operator.compact({ target: 0.99 });
    expect((await idle.operator.audit()).at(-1)).toMatchObject({
      kind: 'compaction.noop',
      body: { strategy: ['prune'] },
    });
  });
});

describe('K3: strategies per agent and per run', () => {
  it('an agent and its children can have a strategy of their own', async () => {
    const made = await engine(BUDGET, {
      compaction: { strategy: 'summarize' },
      agents: { 'primary/reviewer': { compaction: { strategy: 'drop', summarizeFirst: false } } },
    });
    const labels = [];
    for (const agentPath of ['primary', 'primary/reviewer', 'primary/reviewer/linter']) {
      const session = made.session({ agentPath });
      session.append(...read(CHAT));
      await preparedAt(session, 0.99);
      labels.push(labelsOf(session));
    }
    expect(labels).toEqual([['summary'], ['notice'], ['notice']]);
  });

  it.each<[RunOverrides, string[]]>([
    [{ strategy: 'drop', summarize: false }, ['notice']],
    [{ strategy: 'summarize' }, ['summary']],
    [{ strategy: ['prune', 'drop'], summarize: false, target: 0.1 }, ['notice']],
  ])('a manual run uses %j for itself alone', async (overrides, labels) => {
    const { session } = await opened({});
    expect((await session.operator.compact({ target: 0.3, ...overrides })).kind).toBe('committed');
    expect(labelsOf(session)).toEqual(expect.arrayContaining(labels));
    expect(session.reading.pressure).toBeLessThanOrEqual(overrides.target ?? 0.3);
    session.append(...read(talk(20, 250, 400)).map((message) => ({ ...message, id: `b${message.id}` })));
    const { run } = await preparedAt(session, 0.99);
    expect(run.record!.plan.edits.map(({ stage }) => stage)).not.toContain('drop');
  });

  it('a manual run does nothing below a threshold of its own', async () => {
    const { session } = await opened({});
    const { pressure } = session.reading;
    expect(await session.operator.compact({ threshold: pressure + 0.01, target: 0.3 })).toMatchObject({
      kind: 'below-gate',
      reason: expect.stringContaining('threshold'),
    });
    expect((await session.operator.compact({ threshold: pressure - 0.01, target: 0.3 })).kind).toBe(
      'committed',
    );
  });

  it('a manual run can have its own prompt, or no summarizer', async () => {
    const prompt = folder.file('ours.md', 'Write like our foreman.\n---\nAt most {{maxTokens}} tokens.');
    const { session, asked } = await opened({}, { answer: () => GOOD });
    await session.operator.compact({ strategy: 'summarize', target: 0.3, prompt });
    expect(asked.map(({ prompt }) => prompt)).toEqual([expect.stringContaining('Write like our foreman.')]);
    const { session: other, asked: none } = await opened({}, { answer: () => GOOD });
    await other.operator.compact({ strategy: 'drop', target: 0.3, summarize: false });
    expect(none).toEqual([]);
    expect(labelsOf(other)).toEqual(['notice']);
  });

  it('a plan uses the same overrides, and a manual checkpoint waits for approval', async () => {
    const { session } = await opened({});
    const { plan } = await session.operator.plan({ strategy: 'drop', summarize: false, target: 0.3 });
    expect(plan!.edits.map(({ stage }) => stage)).toContain('drop');
    expect(session.operator.history).toEqual([]);
    const run = await session.operator.compact({ strategy: ['summarize', 'checkpoint'], target: 0.3 });
    expect([run.kind, session.operator.pending?.plan.hash]).toEqual(['pending', run.plan!.hash]);
  });

  it.each<[object, RegExp]>([
    [{ strategy: 'forget' }, /strategy of a run.*forget.*prune, drop/s],
    [{ strategy: 'delegate' }, /compactor plugin/],
    [{ target: 1.5 }, /target of a run.*1\.5/s],
    [{ threshold: -1 }, /threshold of a run/],
    [{ prompt: 'no-such-prompt' }, /no-such-prompt/],
  ])('a manual run refuses %j', async (overrides, what) => {
    const { session } = await opened({}, { answer: () => GOOD });
    await expect(session.operator.compact(overrides as RunOverrides)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(what),
    });
    expect(session.operator.history).toEqual([]);
  });

  it('a manual run refuses a prompt if there is no summarizer', async () => {
    const { session } = await opened({});
    await expect(session.operator.compact({ prompt: 'auto' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('Configure a summarizer'),
    });
  });

  it('the command line has the same overrides', async () => {
    const file = folder.file('chat.jsonl', jsonLines(CHAT));
    const run = async (...args: string[]) => {
      const { code, out, err } = await spillway(['compact', file, '--window', '20000', '--json', ...args]);
      expect(code).toBe(0);
      expect(validateOpenAiChat(JSON.parse(out))).toEqual([]);
      return { out, report: JSON.parse(err) as { run: { kind: string; reason: string } } };
    };
    const dropped = await run('--strategy', 'drop', '--no-summarizer', '--target', '0.3');
    expect(dropped.out).toContain('Earlier messages left out');
    expect(dropped.out).not.toContain('Summary of');
    const pruned = await run('--strategy', 'prune', '--target', '0.3');
    expect(pruned.out).not.toContain('Earlier messages left out');
    expect((await run('--strategy', 'drop', '--threshold', '0.99')).report.run.kind).toBe('below-gate');
    const wrong = await spillway(['compact', file, '--strategy', 'forget']);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('prune, drop, summarize')]);
  });
});

describe('K20: drop becomes summarize-first if a summarizer can be called', () => {
  const asOperator = (answer: () => string, settings: object = {}) =>
    opened(settings, { profile: 'operator', answer });

  it('a written summary is used, and the run ends at the target', async () => {
    const { session, asked } = await asOperator(() => GOOD);
    await preparedAt(session, 0.99);
    expect(asked).toHaveLength(1);
    expect(session.view.map(shownText).join('\n')).toContain(GOOD);
    expect(session.reading.pressure).toBeLessThanOrEqual(0.6);
  });

  it('a failure falls back to drop without an error, with the reason in the record and the audit', async () => {
    const { session, asked } = await asOperator(throws);
    const { run } = await preparedAt(session, 0.99);
    expect(run.kind).toBe('committed');
    expect(asked).toHaveLength(1);
    expect(labelsOf(session)).toEqual(['notice']);
    expect(session.reading.pressure).toBeLessThanOrEqual(0.6);
    const fallbacks = [
      expect.stringMatching(/^auto m.*: the summarizer threw$/),
      expect.stringMatching(/^all: dropped/),
    ];
    expect(run.record!.fallbacks).toEqual(fallbacks);
    expect(
      (await session.operator.audit()).find(({ kind }) => kind === 'compaction.completed')!.body,
    ).toMatchObject({ strategy: ['drop'], fallbacks });
    expect(JSON.stringify([run, session.view])).not.toContain('no model today');
  });

  it('without `summarizeFirst` or without a summarizer it is drop alone from the start', async () => {
    for (const settings of [{ compaction: { summarizeFirst: false } }, { summarizer: 'none' as const }]) {
      const { session, asked } = await asOperator(() => GOOD, settings);
      await preparedAt(session, 0.99);
      expect([asked, labelsOf(session)]).toEqual([[], ['notice']]);
    }
  });

  it('the strategy summarize keeps our own digest if a model fails', async () => {
    const { session } = await asOperator(throws, { compaction: { strategy: 'summarize' } });
    await preparedAt(session, 0.99);
    expect(labelsOf(session)).toEqual(['summary']);
  });
});

describe('K1: dropping reaches the lower threshold if nothing else does', () => {
  const LARGE = (count: number): Chat[] => [
    system('Be brief.'),
    user('Build a mill.'),
    ...talk(count / 2, 0.9 * (BUDGET / (count + 1)), 700),
  ];

  it.each([8, 10])('with %d large messages, which no summary may replace', async (count) => {
    const session = await sessionOf(BUDGET, LARGE(count), {}, { profile: 'operator' });
    const { run } = await preparedAt(session, 0.97);
    expect(run.kind).toBe('committed');
    expect(session.reading.pressure).toBeLessThanOrEqual(0.6);
    expect((await session.prepare()).run.kind).toBe('below-gate');
  });

  it('in a manual run too', async () => {
    const session = await sessionOf(BUDGET, LARGE(8), {}, { profile: 'operator' });
    expect((await session.operator.compact()).kind).toBe('committed');
    expect(session.reading.pressure).toBeLessThanOrEqual(0.6);
  });
});
