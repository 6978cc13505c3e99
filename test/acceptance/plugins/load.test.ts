import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createContainer, openSpillway, SERVICES } from '../../../src/container/index.js';
import { createSpillway, definePlugin, openaiChat, SpillwayError, type Plugin } from '../../../src/index.js';
import { opened, quarter, read, says, spillway, system, talk, temporaryFolder, user } from '../support.js';

const packages = resolve('test', 'acceptance', 'plugins', 'packages');
const folder = temporaryFolder();

/** Writes a package into a folder of its own, and returns its path. */
function written(name: string, manifest: unknown, module?: string): string {
  const path = join(folder.path, name);
  mkdirSync(path, { recursive: true });
  const own = {
    name,
    type: 'module',
    main: './index.js',
    ...(manifest !== undefined && { spillway: manifest }),
  };
  writeFileSync(join(path, 'package.json'), JSON.stringify(own));
  if (module !== undefined) writeFileSync(join(path, 'index.js'), module);
  return path;
}

/** A package whose package.json ends in the middle. */
function damaged(name: string): string {
  const path = written(name, {});
  writeFileSync(join(path, 'package.json'), '{"name": "torn", ');
  return path;
}

async function refusal(...plugins: (string | Plugin)[]): Promise<SpillwayError> {
  return refusalOf({ plugins });
}

async function refusalOf(options: Parameters<typeof createSpillway>[0]): Promise<SpillwayError> {
  try {
    await createSpillway({ counter: quarter, ...options });
  } catch (error) {
    if (error instanceof SpillwayError) return error;
    throw error;
  }
  throw new Error('it was loaded');
}

const compactor = (name: string): Plugin =>
  definePlugin({ name, compactor: { compact: ({ messages }) => ({ messages }) } });

const REFUSED: readonly (readonly [what: string, make: () => string, code: string, words: RegExp])[] = [
  [
    'a path where nothing is',
    () => join(folder.path, 'nowhere'),
    'PLUGIN_UNKNOWN',
    /nowhere\. There is nothing at/,
  ],
  [
    'a package that is not installed',
    () => 'spillway-nobody',
    'PLUGIN_UNKNOWN',
    /npm install spillway-nobody/,
  ],
  ['no manifest', () => written('bare', undefined, ''), 'PLUGIN_INVALID', /no field spillway/],
  ['a role that is none', () => written('king', { role: 'king' }, ''), 'PLUGIN_INVALID', /observer/],
  ['an unknown field', () => written('odd', { hooks: [] }, ''), 'PLUGIN_INVALID', /hooks/],
  ['no module', () => written('empty', { role: 'observer' }), 'PLUGIN_INVALID', /no entry/],
  [
    'a module that is not its own',
    () => written('thief', { role: 'observer', module: '../fine/index.js' }, ''),
    'PLUGIN_INVALID',
    /module \.\.\/fine.*a file in/,
  ],
  [
    'a module that throws',
    () => written('boom', {}, 'throw new Error("no database");'),
    'PLUGIN_INVALID',
    /no database/,
  ],
  [
    'no export',
    () => written('mute', {}, 'export const a = 1;'),
    'PLUGIN_INVALID',
    /no export plugin.*allowed: a/,
  ],
  [
    'a role without its part',
    () => written('half', { role: 'compactor' }, 'export const plugin = {};'),
    'PLUGIN_INVALID',
    /no compactor, which its manifest names/,
  ],
  [
    'a part without its role',
    () => written('sly', {}, 'export const plugin = { compactor: { compact() {} } };'),
    'PLUGIN_INVALID',
    /a compactor, which its manifest does not name/,
  ],
  [
    'a stage that is missing',
    () => written('short', { stages: ['mine'] }, 'export const plugin = { stages: [] };'),
    'PLUGIN_INVALID',
    /no mine among its stages/,
  ],
  [
    'a hook that is no function',
    () => written('blunt', { role: 'observer' }, 'export const plugin = { observer: { preCompact: 1 } };'),
    'PLUGIN_INVALID',
    /preCompact is no function/,
  ],
  [
    'an export that is no object',
    () => written('plain', {}, 'export const plugin = 5;'),
    'PLUGIN_INVALID',
    /no object/,
  ],
  ['a damaged package.json', () => damaged('torn'), 'PLUGIN_INVALID', /package\.json: .*JSON/],
  [
    'open() that throws',
    () => written('shut', {}, 'export const plugin = { open() { throw new Error("no key"); } };'),
    'PLUGIN_FAILED',
    /open\(\) threw: no key/,
  ],
];

describe('K5: plugins are loaded by their manifest, and only if they are named', () => {
  it('K5: from a path in a file, relative to that file, with knobs in the settings', async () => {
    const file = folder.file(
      'spillway.yaml',
      `plugins: [${JSON.stringify(`${packages}/notes`)}]\nknobs:\n  notes:\n    most: 25\n`,
    );
    const { config } = await createSpillway({ counter: quarter, configFile: file });
    expect(config.knobs).toEqual({ notes: { most: 25, tone: 'plain' } });
    expect(config.origin('knobs.notes.most')).toBe(`file ${file}`);
    expect(config.entries).toContainEqual({
      path: 'knobs.notes.tone',
      value: 'plain',
      origin: 'default',
      description: 'How notes are worded.',
    });
    mkdirSync(join(folder.path, 'below', 'plugins'), { recursive: true });
    const beside = written(
      'below/plugins/near',
      { role: 'observer' },
      'export const plugin = { observer: { postCompact() {} } };',
    );
    const own = folder.file('below/own.yaml', 'plugins: [./plugins/near]\n');
    expect(beside).toContain('near');
    await expect(createSpillway({ counter: quarter, configFile: own })).resolves.toBeDefined();
  });

  it('K5: from an installed package, and by an environment variable', async () => {
    written(
      'node_modules/spillway-installed',
      { role: ['observer'] },
      'export default { observer: { preCompact() {} } };',
    );
    const file = folder.file('installed.yaml', 'plugins: [spillway-installed]\n');
    await expect(createSpillway({ counter: quarter, configFile: file })).resolves.toBeDefined();
    const env = { SPILLWAY_PLUGINS: JSON.stringify([`${packages}/notes`]), SPILLWAY_KNOBS_NOTES_MOST: '15' };
    const { config } = await createSpillway({ counter: quarter, env });
    expect(config.knobs).toEqual({ notes: { most: 15, tone: 'plain' } });
    expect(config.origin('knobs.notes.most')).toBe('env SPILLWAY_KNOBS_NOTES_MOST');
  });

  it.each([
    ['main', { main: './index.js' }],
    ['index.js', {}],
    ['exports', { exports: './index.js' }],
    ['exports for import alone', { exports: { '.': { types: './index.d.ts', import: './index.js' } } }],
    ['the module of its manifest', { main: './gone.js', spillway: { module: 'index.js' } }],
  ])('K5: with the entry that package.json names: %s', async (kind, own) => {
    const path = written(`entry-${kind.replaceAll(/\W/g, '-')}`, {}, 'export const plugin = {};');
    const name = path.split('/').at(-1);
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, type: 'module', spillway: {}, ...own }));
    const { plugins } = await createSpillway({ counter: quarter, plugins: [path] });
    expect(plugins.map((plugin) => plugin.name)).toEqual([name]);
  });

  it('K5: knobs can differ for each agent, and bad values are reported by path and with what is allowed', async () => {
    const plugins = [`${packages}/notes`];
    const settings = {
      knobs: { notes: { tone: 'loud' } },
      agents: { 'primary/reviewer': { knobs: { notes: { most: 5 } } } },
    };
    const { config } = await createSpillway({ counter: quarter, plugins, settings });
    expect(config.agents['primary/reviewer']!.knobs).toEqual({ notes: { most: 5, tone: 'loud' } });
    const error = await refusalOf({ plugins, settings: { knobs: { notes: { most: 55, colour: 'red' } } } });
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.faults.map(({ subject }) => subject)).toEqual(['knobs.notes.colour', 'knobs.notes.most']);
    expect(error.faults[1]).toMatchObject({ allowed: 'a whole number from 1 to 50, a multiple of 5' });
    const unloaded = await refusalOf({ settings: { knobs: { notes: { most: 5 } } } });
    expect(unloaded.faults.map(({ subject }) => subject)).toEqual(['knobs.notes']);
  });

  it('K5: the library gives the knobs of plugins, stages and settings as JSON Schema', async () => {
    const { knobs } = await createSpillway({ counter: quarter, plugins: [`${packages}/notes`] });
    expect(knobs.plugins['notes']!.properties).toMatchObject({
      most: { type: 'integer', minimum: 1, maximum: 50, multipleOf: 5, default: 10, title: 'Most' },
      tone: { enum: ['plain', 'loud'], default: 'plain', description: 'How notes are worded.' },
    });
    expect(knobs.stages['snip']!.properties!['mode']).toMatchObject({ enum: ['remove', 'stub'] });
    expect(knobs.schema.properties!['target']).toMatchObject({ minimum: 0, maximum: 1, default: 0.6 });
    expect(knobs.values.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['target', 'stages.snip.mode', 'knobs.notes.most']),
    );
  });

  it('K5: nothing is loaded that is not named, and an agent cannot name plugins of its own', async () => {
    written('trap', { role: 'observer' }, 'globalThis.sprung = true;');
    await createSpillway({ counter: quarter });
    expect(globalThis).not.toHaveProperty('sprung');
    const error = await refusalOf({ settings: { agents: { primary: { plugins: ['./trap'] } } } });
    expect(error.faults.map(({ subject }) => subject)).toEqual(['agents.primary.plugins']);
  });

  it('K5: from code; a second plugin with the same name is refused', async () => {
    await expect(createSpillway({ counter: quarter, plugins: [compactor('first')] })).resolves.toBeDefined();
    const twice = await refusal(`${packages}/notes`, `${packages}/notes`);
    expect([twice.code, twice.facts['plugin']]).toEqual(['PLUGIN_DUPLICATE', 'notes']);
  });

  it.each([
    ['no name', {}],
    ['a name that none may have', { name: 'My plugin' }],
    ['fields of another type', { name: 'mine', stages: {} }],
  ])('K5: a plugin from code with %s is refused', async (_, plugin) => {
    expect(await refusalOf({ plugins: [plugin as Plugin] })).toMatchObject({ code: 'PLUGIN_INVALID' });
  });

  it('K5: from a container of the host, by the service Plugin', async () => {
    const container = createContainer();
    const seen: string[] = [];
    const opens = definePlugin({ name: 'bound', open: ({ name }) => void seen.push(name) });
    container.bind(SERVICES.Plugin).toConstantValue(opens);
    container.bind(SERVICES.TokenCounter).toConstantValue(quarter);
    const engine = await openSpillway(container);
    expect([seen, engine.plugins.map(({ name }) => name)]).toEqual([['bound'], ['bound']]);
    container.bind(SERVICES.Plugin).toConstantValue(definePlugin({ name: 'bound' }));
    await expect(openSpillway(container)).rejects.toMatchObject({ code: 'PLUGIN_DUPLICATE' });
  });

  it.each(REFUSED)(
    'K5: one error with its own code names the plugin and the fault: %s',
    async (_, make, code, words) => {
      const error = await refusal(make());
      expect(error.code).toBe(code);
      expect(error.message).toMatch(words);
      expect(error.message).toMatch(/plugin \S/);
    },
  );

  it('K5: a load that passes its deadline fails, and the error says what has not settled', async () => {
    const limits = { settings: { pluginLimits: { loadMs: 5 } } };
    const slow = written('slow', {}, 'await new Promise(() => {});');
    const module = await refusalOf({ plugins: [slow], ...limits });
    expect(module.code).toBe('PLUGIN_LATE');
    expect(module.message).toMatch(/plugin slow.*its module has not settled in 5 ms/);
    const stuck = written('stuck', {}, 'export const plugin = { open: () => new Promise(() => {}) };');
    const opening = await refusalOf({ plugins: [stuck], ...limits });
    expect([opening.code, opening.message]).toEqual([
      'PLUGIN_LATE',
      expect.stringMatching(/open\(\) has not settled/),
    ]);
  });
});

describe('S10: a plugin package adds a stage', () => {
  const chat = [system('You help.'), user('Go.'), says('Yes.'), ...talk(12, 150)];

  it('S10: the roster can name it, with options, in the library and on the command line', async () => {
    const settings = {
      safetyMargin: 0,
      plugins: [`${packages}/rosters`],
      roster: [{ stage: 'forget', opensAt: 0.7 }],
      stages: { forget: { exchanges: 9 } },
      target: 0.5,
    };
    const engine = await createSpillway({ counter: quarter, inputBudget: 5_000, settings });
    const session = engine.session();
    void session.append(...read(chat));
    const { run } = await session.prepare();
    expect(opened(run)).toEqual(['forget']);
    expect(run.kind).toBe('committed');
    const file = folder.file('roster.json', JSON.stringify(settings));
    const { code, out, err } = await spillway(['stages'], { SPILLWAY_CONFIG: file });
    expect([code, err, out]).toEqual([0, '', expect.stringMatching(/forget +70\.0 % +Forgets the oldest/)]);
  });
});

describe('K5: a plugin brings summarizers, token counters and formats', () => {
  const words = {
    name: 'words',
    exact: false,
    count: (text: string) => text.split(/\s+/).filter(Boolean).length,
  };
  const terse = {
    name: 'terse',
    endpoint: 'terse',
    summarize: () => Promise.resolve({ text: 'They talked of boats.', finishReason: 'stop', model: 'terse' }),
  };
  const spoken = { ...openaiChat, name: 'spoken' };
  const bag = definePlugin({ name: 'bag', counters: [words], summarizers: [terse], formats: [spoken] });

  it('K5: named in counter, summarizer and format; an unknown name is refused with a list of the known ones', async () => {
    const settings = {
      counter: 'words',
      summarizer: 'terse',
      roster: ['full'],
      target: 0.5,
      safetyMargin: 0,
    };
    const engine = await createSpillway({ plugins: [bag], inputBudget: 4_000, format: 'spoken', settings });
    const session = engine.session();
    expect([session.format, engine.knobs.schema.properties!['counter']!.enum]).toEqual([
      'spoken',
      ['auto', 'o200k_base', 'cl100k_base', 'heuristic', 'words'],
    ]);
    await session.append(...read([system('You help.'), user('Go.'), says('Yes.'), ...talk(12, 150)]));
    // In words; four characters a token would be 3,700.
    expect(session.reading.tokens).toBeLessThan(3_400);
    const run = await session.operator.compact();
    expect(run.record!.calls).toEqual([expect.objectContaining({ summarizer: 'terse', outcome: 'filled' })]);
    expect(session.view.map(({ message }) => JSON.stringify(message.parts)).join()).toContain(
      'They talked of boats.',
    );
    expect(session.operator.history[0]!.summarizer).toEqual({ from: 'code', name: 'terse' });
    const error = await refusalOf({
      plugins: [bag],
      settings: { summarizer: 'loud' },
      counter: undefined as never,
    });
    expect(error.faults).toEqual([
      expect.objectContaining({
        subject: 'summarizer',
        found: 'loud',
        allowed: 'none | extractive | model | terse',
      }),
    ]);
  });

  it('K5: a format with a name that is taken is refused, and the error names the plugin', async () => {
    const error = await refusal(definePlugin({ name: 'greedy', formats: [openaiChat] }));
    expect([error.code, error.message]).toEqual([
      'PLUGIN_DUPLICATE',
      expect.stringMatching(/plugin greedy.*openai-chat among its formats/),
    ]);
  });
});
