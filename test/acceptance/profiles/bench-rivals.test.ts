import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchReport } from '../../../src/faces/cli/bench/tables.js';
import { prose, says, step, system, user } from '../../support/chats.js';
import { jsonLines, readJson, spillway, talk, temporaryFolder } from '../support.js';

const folder = temporaryFolder();
const sessions = join(folder.path, 'sessions');
mkdirSync(sessions);
for (const seed of [1, 2])
  writeFileSync(
    join(sessions, `mill-${seed}.jsonl`),
    jsonLines([
      system('Be brief.'),
      user('Build a mill.'),
      ...step(
        'read',
        { path: `src/wheel_${seed}.ts` },
        `export const paddles${seed}42 = 1\n${prose(400, seed)}`,
      ),
      says(`The wheel stands in src/wheel_${seed}.ts, it exports paddles${seed}42.`),
      ...talk(6 + 4 * seed, 300),
      ...step('edit', { path: `src/wheel_${seed}.ts`, old: `paddles${seed}42` }, 'ok'),
      says('Done.'),
    ]),
  );

const benched = (...args: string[]) => spillway(['bench', sessions, '--windows', '3000', ...args]);

async function report(...args: string[]): Promise<BenchReport> {
  const { code, err } = await benched('--json', ...args);
  expect([code, err.slice(0, 300)]).toEqual([0, expect.stringMatching(/^\{/)]);
  return JSON.parse(err) as BenchReport;
}

/** An adapter as comparisons have it: convert, run, convert back. */
const adapter = (name: string, run: string): string =>
  folder.file(
    name,
    `export default { pkg: 'a-package@1.2.3', prepare: (messages) => ({ native: messages }),
      async run({ native }, budget) { ${run} }, finish: (out) => out };\n`,
  );
/** The system message, and as many of the newest as fit by its own measure. */
const NEWEST = `const kept = []; let size = 0;
  for (const one of native.slice(1).reverse()) {
    size += JSON.stringify(one).length / 4;
    if (size > 0.7 * budget) break;
    kept.unshift(one);
  }
  while (kept[0]?.role === 'tool') kept.shift();
  return [native[0], ...kept];`;

describe('N10: the bench: adapters of other packages, each in a process of its own', () => {
  it('N10: runs an adapter, and reports its package and how long it took', async () => {
    const newest = adapter('newest.mjs', NEWEST);
    const { policies, packages, rounds } = await report('--policies', 'staged', '--peer', newest, '--memory');
    expect([policies, packages]).toEqual([['staged', 'newest'], { newest: 'a-package@1.2.3' }]);
    const [, row] = rounds[0]!.rows;
    expect(row).toMatchObject({ policy: 'newest', sessions: 2, over: 0, broken: 0, failed: 0 });
    expect(row!.compactions).toBeGreaterThan(0);
    expect(row!.meanMs).toBeGreaterThan(0);
    // The heap may shrink: other tests of this process free memory meanwhile.
    expect(rounds[0]!.rows.map(({ heapBytes }) => heapBytes)).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
  });

  it('N10: counts what an adapter does wrong, and goes on after one that ends its process', async () => {
    const loud = adapter('loud.mjs', `console.log('x'); throw new Error('out of paper')`);
    const ends = adapter('ends.mjs', 'process.exit(3)');
    const orphans = adapter('orphans.mjs', `return native.filter((one) => !one.tool_calls).slice(0, 4)`);
    const args = [loud, ends, orphans].flatMap((file) => ['--peer', file]);
    const { rounds } = await report('--policies', 'keep-newest', ...args);
    const [first, one, two, three] = rounds[0]!.rows;
    expect(one).toMatchObject({ failure: 'out of paper', compactions: 0 });
    expect(two).toMatchObject({ failure: 'the adapter ended its process (3)', compactions: 0 });
    expect([one!.failed, two!.failed]).toEqual([one!.failed, one!.failed]);
    expect(one!.failed).toBeGreaterThan(0);
    expect(three!.broken).toBeGreaterThan(0);
    expect(first).toMatchObject({ failed: 0, broken: 0 });
  });

  it('N10: restarts an adapter that ended between two compactions', async () => {
    const fades = adapter('fades.mjs', 'setTimeout(() => process.exit(3), 1); return native.slice(-1);');
    const { rounds } = await report('--policies', 'keep-newest', '--peer', fades);
    expect(rounds[0]!.rows[1]!.compactions).toBeGreaterThan(0);
  });

  it.each<[string, () => string[], RegExp]>([
    ['no such file', () => ['gone.mjs'], /no such file/],
    [
      'no adapter',
      () => [folder.file('none.mjs', 'export const compact = 1;\n')],
      /default export has a function `run`/,
    ],
    [
      'one that cannot compact',
      () => [folder.file('cannot.mjs', `export default { cannot: 'needs a server', run() {} };\n`)],
      /needs a server/,
    ],
    [
      'one that imports what is not there',
      () => [folder.file('lone.mjs', `import 'no-such-package';\n`)],
      /no-such-package/,
    ],
    [
      'two of one name',
      () => [adapter('twin.mjs', NEWEST), adapter('twin.mjs', NEWEST)],
      /two of the name twin/,
    ],
  ])('N10: refuses an adapter and says what is wrong: %s', async (_, files, said) => {
    const { code, err } = await benched(...files().flatMap((file) => ['--peer', file]));
    expect([code, err]).toEqual([1, expect.stringMatching(/^CONFIG_INVALID/)]);
    expect(err).toMatch(said);
  });
});

/** One run of the bench's own policies with all options. Each test looks at a part of it. */
const POLICIES = ['--policies', 'staged,keep-newest', '--seed', '7'];
const markdown = join(folder.path, 'bench.md');
const written = join(folder.path, 'before.json');
let whole: BenchReport;
beforeAll(async () => {
  const sheets = ['--prices', 'claude-sonnet-4-5,gpt-5'];
  whole = await report(...POLICIES, '--equal', ...sheets, '--markdown', markdown, '--report', written);
});

describe('N10: the bench: at equal tokens, with intervals, by price sheets', () => {
  it('N10: finds the budget at which a policy sends as much as the first', () => {
    const { rows, equal } = whole.rounds[0]!;
    const [staged, newest] = equal!;
    expect(rows[1]!.meanTokens).toBeGreaterThan(1.05 * staged!.meanTokens);
    expect(Math.abs(newest!.meanTokens / staged!.meanTokens - 1)).toBeLessThan(0.05);
    expect(newest!.budget).toBeLessThan(3_000);
    expect(staged).toEqual({ ...rows[0], meanMs: expect.anything() });
    // The window decides what is from afar, not the budget of a policy.
    expect(newest!.neededFromAfar).toBe(staged!.neededFromAfar);
  });

  it('N10: gives an interval for each figure', () => {
    expect(whole.seed).toBe(7);
    const { intervals } = whole.rounds[0]!.rows[1]!;
    for (const { low, high } of Object.values(intervals)) expect(low).toBeLessThanOrEqual(high);
    expect(intervals.meanTokens.low).toBeLessThan(intervals.meanTokens.high);
    // In every session one policy carries the wheel and the other loses it.
    expect(intervals.behind.low).toBeGreaterThan(0);
  });

  it('N10: reports what the input costs by named price sheets, and refuses an unknown one', async () => {
    const [staged, newest] = whole.rounds[0]!.rows;
    for (const sheet of ['claude-sonnet-4-5', 'gpt-5'])
      expect(newest!.cost[sheet]).toBeGreaterThan(staged!.cost[sheet]!);
    expect(staged!.cost['claude-sonnet-4-5']).toBeGreaterThan(staged!.cost['gpt-5']!);
    const { code, err } = await benched('--prices', 'nobody-has-this-model');
    expect([code, err]).toEqual([1, expect.stringMatching(/--prices.*nobody-has-this-model/s)]);
  });
});

describe('N10: the bench: resumed, written, and compared with an earlier one', () => {
  it('N10: resumes after it was killed, and does not measure complete figures again', async () => {
    const tally = join(folder.path, 'tally.txt');
    const counts = folder.file(
      'counts.mjs',
      `import { appendFileSync } from 'node:fs';
       export const compact = (messages) => { appendFileSync(${JSON.stringify(tally)}, '.'); return messages.slice(-1); };\n`,
    );
    const state = join(folder.path, 'state.jsonl');
    const run = () => report('--policies', `keep-newest,${counts}`, '--state', state);
    const dots = (): number => readFileSync(tally, 'utf8').length;
    const whole = await run();
    const once = dots();
    expect((await run()).rounds).toEqual(whole.rounds);
    expect(dots()).toBe(once);
    // Killed while it wrote the last figure.
    const text = readFileSync(state, 'utf8');
    writeFileSync(state, text.slice(0, -20));
    const again = await run();
    const counted = ({ rounds }: BenchReport) =>
      rounds[0]!.rows.map(({ kept, compactions }) => [kept, compactions]);
    expect(counted(again)).toEqual(counted(whole));
    expect(dots()).toBeGreaterThan(once);
    expect(dots()).toBeLessThan(2 * once);
    expect(readFileSync(state, 'utf8').split('\n')).toHaveLength(text.split('\n').length);
    // A line that was torn, with another one written after it.
    writeFileSync(state, text.replace('\n{"key"', '\n{"key":"torn{"key"'));
    expect(counted(await run())).toEqual(counted(whole));
    // A file that was made and never written to.
    writeFileSync(state, '');
    expect(counted(await run())).toEqual(counted(whole));
    expect((await benched('--state', folder.path)).err).toMatch(/^OUTPUT_UNWRITABLE: .* "a directory"/);
    writeFileSync(state, text.replace(/^.*\n/, '{"bench":"0.0.0"}\n'));
    const { code, err } = await benched('--state', state);
    expect([code, err]).toEqual([1, expect.stringMatching(/figures of 0\.0\.0/)]);
  });

  it('N10: writes the tables as Markdown, with versions and intervals', () => {
    const text = readFileSync(markdown, 'utf8');
    expect(text).toMatch(/^Spillway \d+\.\d+\.\d+ \([0-9a-f]{7}.*\), Node v\d+/);
    expect(text).toMatch(/### A window of 3,000: 2 sessions, \d+ calls/);
    expect(text).toMatch(/\| policy \| told \| kept \| from afar \|.*\| gpt-5 \| behind staged \|/);
    expect(text).toMatch(/\| staged \| 3,000 \| [\d.]+ % \| [\d.]+ % \([\d.]+–[\d.]+\) \|/);
    expect(text).toMatch(/At as many tokens as staged sends:\n\n\| policy/);
  });

  it('N10: gives the same figures for the same seed, and --check fails and names those that are worse', async () => {
    const again = join(folder.path, 'again.json');
    const held = await benched(...POLICIES, '--check', written, '--report', again);
    expect([held.code, held.err]).toEqual([0, expect.stringMatching(/no figure is worse/)]);
    const { rounds } = readJson(again) as BenchReport;
    const { intervals } = rounds[0]!.rows[1]!;
    expect(whole.rounds[0]!.rows[1]!.intervals).toEqual(intervals);

    const file = join(folder.path, 'better.json');
    const better = structuredClone(whole) as any;
    better.rounds[0].rows[0].meanTokens *= 0.9;
    better.rounds[0].rows[1].over = -1;
    better.rounds[0].rows[1].meanMs = 0; // times are not compared
    writeFileSync(file, JSON.stringify(better));
    const { code, err } = await benched(...POLICIES, '--check', file);
    expect(code).toBe(1);
    expect(err).toMatch(/^staged at 3000: meanTokens is \d+[.\d]*, was \d+[.\d]*$/m);
    expect(err).toMatch(/^keep-newest at 3000: over is 0, was -1$/m);
    expect(err).toMatch(/^2 figures are worse/m);
    const over = await benched(...POLICIES, '--check', file, '--report', file);
    expect([over.code, readJson(file)]).toEqual([1, { ...whole, rounds: expect.any(Array) }]);
    writeFileSync(file, JSON.stringify(better));
    const fewer = await benched('--policies', 'staged', '--check', file);
    expect([fewer.code, fewer.err]).toEqual([
      1,
      expect.stringMatching(/keep-newest at 3000: was not measured/),
    ]);
    for (const none of ['{}', '{"rounds":[{}]}', '{"rounds":[null]}']) {
      writeFileSync(file, none);
      expect((await benched('--check', file)).err).toMatch(/INPUT_UNREADABLE.*better\.json/s);
    }
  });
});
