import { judge, PLUGIN_RULES, type PluginSubject } from '../../../src/testkit/index.js';
import type { Plugin } from '../../../src/spi/index.js';

const limits = { loadMs: 200, hookMs: 200 };
const plugin = (own: Plugin): PluginSubject => ({ plugin: { name: 'mine', ...own }, limits });
const observes = (preCompact: unknown): PluginSubject =>
  plugin({ observer: { preCompact } } as unknown as Plugin);

const GOOD = plugin({
  observer: {
    async preCompact({ messages }, { values }) {
      await values.set('seen', messages.length);
      return { inject: 'The mill stands.' };
    },
  },
});

const WRONG: readonly (readonly [id: string, what: string, subject: PluginSubject])[] = [
  ['PLUGIN-01', 'is a package without a manifest', { folder: 'src' }],
  ['PLUGIN-02', 'is no plugin', { plugin: { observer: {} } }],
  [
    'PLUGIN-03',
    'throws in a hook',
    observes(() => {
      throw new Error('no pencil');
    }),
  ],
  ['PLUGIN-03', 'never settles', observes(() => new Promise(() => undefined))],
  ['PLUGIN-03', 'answers with what no hook takes', observes(() => ({ inject: 5 }))],
  [
    'PLUGIN-03',
    'compacts into no list',
    plugin({ compactor: { compact: () => 'all' } } as unknown as Plugin),
  ],
  ['PLUGIN-04', 'cannot be put to a session', plugin({ open: () => Promise.reject(new Error('locked')) })],
];

describe('N1: the rules of plugins', () => {
  it('hold for one that keeps them, and say what was not exercised', async () => {
    const verdicts = await judge(GOOD, PLUGIN_RULES);
    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
    expect(verdicts.filter(({ exercised }) => !exercised).map(({ id }) => id)).toEqual(['PLUGIN-01']);
  });

  it.each(WRONG)('%s: a plugin that %s is caught', async (id, _, subject) => {
    const verdicts = await judge(subject, PLUGIN_RULES);
    expect(verdicts.find((one) => one.id === id)).toMatchObject({ holds: false });
  });

  it('each has a wrong implementation', () => {
    expect([...new Set(WRONG.map(([id]) => id))]).toEqual(PLUGIN_RULES.map(({ id }) => id));
  });
});
