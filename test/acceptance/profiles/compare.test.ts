import { describe, expect, it } from '@jest/globals';
import {
  callOf,
  jsonLines,
  prose,
  resultOf,
  says,
  spillway,
  step,
  system,
  talk,
  temporaryFolder,
  user,
  type Chat,
} from '../support.js';

const folder = temporaryFolder();

/** Names that are said early, much talk, and a step that uses them. */
const CHAT: Chat[] = [
  system('Be brief.'),
  user('Build a mill.'),
  ...step('read', { path: 'src/wheel_shaft.ts' }, `export const paddleCount42 = 1\n${prose(400, 1)}`),
  says('Read.'),
  ...talk(14, 300),
  callOf([['last', 'edit', { path: 'src/wheel_shaft.ts', old: 'paddleCount42' }]]),
  resultOf('last', 'ok'),
  says('Done.'),
];
const file = folder.file('chat.jsonl', jsonLines(CHAT));
const compared = (...args: string[]) =>
  spillway(['replay', file, '--window', '4000', '--compare', 'staged,operator', ...args]);

interface Compared {
  readonly policies: readonly string[];
  readonly files: readonly {
    readonly policies: readonly {
      readonly name: string;
      readonly calls: readonly { index: number; held: number; needed: number; tokens: number }[];
      readonly totals: Readonly<Record<string, number | null>>;
    }[];
    readonly differences: readonly { a: string; b: string; index: number; wordsA: string; wordsB: string }[];
  }[];
}

describe('N10: what another profile would have kept, cost and broken on your own sessions', () => {
  it('side by side, as JSON: every call, what it sent, held, rewrote and broke, and the first difference', async () => {
    const { code, err } = await compared('--json', '--model', 'gpt-4o');
    expect(code).toBe(0);
    const { policies, files } = JSON.parse(err) as Compared;
    expect(policies).toEqual(['staged', 'operator']);
    const [staged, operator] = files[0]!.policies;
    expect(staged!.calls.map(({ index }) => index)).toEqual(operator!.calls.map(({ index }) => index));
    expect(staged!.calls).toHaveLength(CHAT.filter(({ role }) => role === 'assistant').length);
    for (const { totals } of [staged!, operator!]) {
      expect(totals).toMatchObject({ unreachable: 0, broken: 0, summaryCalls: 0 });
      expect(totals['compactions']).toBeGreaterThan(0);
      expect(totals['rewrittenTokens']).toBeLessThan(totals['sentTokens']!);
      expect(totals['cost']).toBeGreaterThan(0);
      expect(totals['highestPressure']).toBeLessThanOrEqual(1);
    }
    // The last step names the file and the word that were read at the beginning.
    const last = staged!.calls.findLast(({ needed }) => needed > 0)!;
    expect(last.needed).toBeGreaterThanOrEqual(2);
    const [difference] = files[0]!.differences;
    expect(difference).toMatchObject({ a: 'staged', b: 'operator' });
    expect(difference!.wordsA).not.toBe(difference!.wordsB);
    const before = CHAT.filter(({ role }, i) => role === 'assistant' && i < difference!.index).length;
    expect(staged!.calls.slice(0, before).map(({ tokens }) => tokens)).toEqual(
      operator!.calls.slice(0, before).map(({ tokens }) => tokens),
    );
  });

  it('what was kept differs where one of them drops', async () => {
    const drops = folder.file(
      'drops.yaml',
      'extends: operator\nsummarizer: none\npins: { firstUser: false }\nwindow: 4000\n',
    );
    const wide = folder.file('wide.yaml', 'window: 64000\n');
    const { err } = await spillway(['replay', file, '--compare', `${wide},${drops}`, '--json']);
    const [all, dropping] = (JSON.parse(err) as Compared).files[0]!.policies;
    expect(all!.totals).toMatchObject({ kept: 1, compactions: 0, cost: null });
    expect(dropping!.totals['kept']).toBeLessThan(1);
    expect(dropping!.totals['meanTokens']).toBeLessThan(all!.totals['meanTokens']!);
  });

  it('as a table', async () => {
    const { err, out } = await compared();
    expect(out).toBe('');
    expect(err).toMatch(
      /policy +kept +from afar +mean sent +highest +compactions +rewritten +model calls +cost +broken/,
    );
    expect(err).toMatch(/^staged .* %/m);
    expect(err).toMatch(/staged and operator first differ before message \d+/);
  });

  it('holds a policy that is not Spillway beside them, at the same budget', async () => {
    const mine = folder.file('mine.mjs', 'export default (messages) => messages.slice(0, 2);\n');
    const { err } = await spillway([
      'replay',
      file,
      '--window',
      '4000',
      '--compare',
      `${mine},staged`,
      '--json',
    ]);
    const [own, staged] = (JSON.parse(err) as Compared).files[0]!.policies;
    expect([own!.name, staged!.name]).toEqual([mine, 'staged']);
    expect(own!.totals).toMatchObject({ unreachable: 0, over: 0 });
    expect(own!.totals['meanTokens']).toBeLessThan(staged!.totals['meanTokens']!);
  });

  it('of one and the same profile it says that nothing differs', async () => {
    const { err } = await spillway([
      'replay',
      file,
      '--window',
      '4000',
      '--compare',
      'staged,staged',
      '--json',
    ]);
    expect((JSON.parse(err) as Compared).files[0]!.differences).toEqual([]);
  });

  it.each([
    [['--compare', 'staged'], /two or more/],
    [['--compare', 'staged,nobody'], /PROFILE_UNKNOWN/],
    [[file], /several with --compare/],
  ])('refuses %j', async (args, what) => {
    const { code, err } = await spillway(['replay', file, ...args]);
    expect([code, what.test(err)]).toEqual([1, true]);
  });
});
