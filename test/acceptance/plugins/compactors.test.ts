import { createSpillway, definePlugin, SpillwayError } from '../../../src/index.js';
import type { Plugin, Spillway } from '../../../src/index.js';
import { quarter, read, says, system, talk, temporaryFolder, user, preparedAt } from '../support.js';

const folder = temporaryFolder();

/** A compactor that keeps the newest four and says who it is. */
const compactor = (name: string): Plugin =>
  definePlugin({
    name,
    compactor: {
      compact: ({ messages }) => {
        const kept = new Set(messages.filter(({ fixed }, i) => fixed || i >= messages.length - 4));
        const first = messages.findIndex((message) => !kept.has(message));
        const list = messages.map((message, i) =>
          kept.has(message) ? [{ id: message.id }] : i === first ? [{ text: `Written by ${name}.` }] : [],
        );
        return { messages: list.flat() };
      },
    },
  });
const both = [compactor('first'), compactor('second')];

type Options = Parameters<typeof createSpillway>[0];

const opened = (options: Options = {}): Promise<Spillway> =>
  createSpillway({ counter: quarter, plugins: both, inputBudget: 5_000, ...options });

/** The code and the words of a refusal, and the subjects of its faults. */
async function refused(options: Options): Promise<{ subjects: string[]; code: string; message: string }> {
  try {
    await opened(options);
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    const { code, message, faults } = error;
    return { code, message, subjects: faults.map(({ subject }) => subject) };
  }
  throw new Error('it was opened');
}

/** Who wrote the text in place of the older messages of an agent, by record, audit and view. */
async function writerOf(engine: Spillway, agentPath: string): Promise<unknown> {
  const session = engine.session({ agentPath });
  await session.append(...read([system('You help.'), user('Go.'), says('Yes.'), ...talk(12, 150)]));
  const { run } = await preparedAt(session, 0.9);
  const bodies = (await session.operator.audit()).map(({ body }) => body as Record<string, unknown>);
  const text = JSON.stringify(session.view.map(({ message }) => message.parts));
  return {
    record: run.record?.hooks?.map(({ plugin, hook }) => `${plugin} ${hook}`),
    triggered: bodies[0]!['compactor'],
    completed: (bodies[1]!['hooks'] as { plugin: string }[]).map(({ plugin }) => plugin),
    view: /Written by (\w+)\./.exec(text)?.[1],
  };
}

const by = (name: string) => ({
  record: [`${name} compact`],
  triggered: name,
  completed: [name],
  view: name,
});

const DELEGATE = { strategy: 'delegate', compactor: 'first' } as const;

describe('K5: one compactor for each agent, named among those that are loaded', () => {
  it('K5: each agent path is compacted by the one that its settings, or those of its nearest parent, name', async () => {
    const engine = await opened({
      settings: {
        target: 0.5,
        compaction: DELEGATE,
        agents: { 'primary/reviewer': { compaction: { compactor: 'second' } } },
      },
    });
    expect(await writerOf(engine, 'primary')).toEqual(by('first'));
    expect(await writerOf(engine, 'primary/reviewer')).toEqual(by('second'));
    expect(await writerOf(engine, 'primary/reviewer/helper')).toEqual(by('second'));
    expect(await writerOf(engine, 'primary/linter')).toEqual(by('first'));
  });

  it.each(['staged', 'agent'])(
    'K5: the frontmatter of an agent file can name it, under profile %s',
    async (profile) => {
      const file = folder.file(
        `${profile}.md`,
        '---\nfeatures:\n  compaction:\n    strategy: delegate\n    compactor: second\n---\nYou review.\n',
      );
      const settings = {
        target: 0.5,
        compaction: { compactor: 'first' },
        agentFiles: { 'primary/reviewer': file },
      };
      const engine = await opened({ profile, settings });
      expect(await writerOf(engine, 'primary/reviewer')).toEqual(by('second'));
      expect(engine.config.settings.compaction).toMatchObject({ strategy: null, compactor: 'first' });
    },
  );

  it('K5: a single compactor need not be named', async () => {
    const settings = { target: 0.5, compaction: { strategy: 'delegate' } } as const;
    const engine = await opened({ plugins: [compactor('alone')], settings });
    expect(await writerOf(engine, 'primary')).toEqual(by('alone'));
  });

  it('K5: two compactors are refused at load by their names if no setting chooses one', async () => {
    const error = await refused({});
    expect([error.code, error.subjects]).toEqual(['CONFIG_INVALID', ['compaction.compactor']]);
    expect(error.message).toMatch(/first \| second.*One compactor an agent, and plugins first, second/s);
    const own = await refused({
      settings: { compaction: DELEGATE, agents: { 'primary/reviewer': { compaction: { compactor: null } } } },
    });
    expect(own.subjects).toEqual(['agents["primary/reviewer"].compaction.compactor']);
  });

  it('K5: a name that is not loaded is refused at load, and the error lists the names that are', async () => {
    const error = await refused({ settings: { compaction: { compactor: 'third' } } });
    expect([error.code, error.subjects]).toEqual(['CONFIG_INVALID', ['compaction.compactor']]);
    expect(error.message).toMatch(/third.*first \| second/s);
    const observer = definePlugin({ name: 'watch', observer: { postCompact: () => undefined } });
    const none = await refused({ plugins: [observer], settings: { compaction: { compactor: 'watch' } } });
    expect(none.message).toMatch(/no plugin that is loaded is a compactor/);
    const own = await refused({
      settings: { compaction: DELEGATE, agents: { primary: { compaction: { compactor: 'third' } } } },
    });
    expect(own.subjects).toEqual(['agents.primary.compaction.compactor']);
  });

  it('K5: the compactor is a knob, a choice among those that are loaded', async () => {
    const { knobs } = await opened({ settings: { compaction: DELEGATE } });
    const schema = knobs.schema.properties!['compaction']!.properties!['compactor']!;
    expect(schema.anyOf).toEqual([{ type: 'string', enum: ['first', 'second'] }, { type: 'null' }]);
    const value = knobs.values.find(({ path }) => path === 'compaction.compactor');
    expect(value).toMatchObject({ value: 'first', origin: 'code' });
  });
});
