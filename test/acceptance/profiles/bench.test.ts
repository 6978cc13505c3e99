import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchRound } from '../../../src/faces/cli/bench/round.js';
import { rivalLane } from '../../../src/faces/cli/bench/lane.js';
import { rivalNamed } from '../../../src/faces/cli/bench/rival.js';
import { chatHistoryOf } from '../../../src/faces/cli/bench/subject.js';
import { callOf, prose, resultOf, says, step, system, user, type Chat } from '../../support/chats.js';
import { jsonLines, read, spillway, talk, temporaryFolder } from '../support.js';

const folder = temporaryFolder();

/** Names that appear early, much talk, and a step that uses them. */
const CHAT: Chat[] = [
  system('Be brief.'),
  user('Build a mill.'),
  ...step('read', { path: 'src/wheel_shaft.ts' }, `export const paddleCount42 = 1\n${prose(400, 1)}`),
  says('Read. The shaft stands in src/wheel_shaft.ts, and it exports paddleCount42.'),
  ...talk(14, 300),
  callOf([['last', 'edit', { path: 'src/wheel_shaft.ts', old: 'paddleCount42' }]]),
  resultOf('last', 'ok'),
  says('Done.'),
];
const sessions = join(folder.path, 'sessions');
mkdirSync(sessions);
writeFileSync(join(sessions, 'long.jsonl'), jsonLines(CHAT));
writeFileSync(join(sessions, 'short.jsonl'), jsonLines(CHAT.slice(0, 5)));
writeFileSync(join(sessions, 'long.probes.jsonl'), '{"fact":"no session"}\n');

const policy = (name: string, body: string): string => folder.file(name, `export const compact = ${body};\n`);

interface Report {
  readonly policies: readonly string[];
  readonly rounds: readonly BenchRound[];
}

async function measured(policies: readonly string[], ...args: string[]): Promise<Report> {
  const all = ['bench', sessions, '--policies', policies.join(','), '--windows', '3000', '--json', ...args];
  const { code, err } = await spillway(all);
  expect([code, err.slice(0, 300)]).toEqual([0, expect.any(String)]);
  return JSON.parse(err) as Report;
}

describe('N10: the bench: any policies, on the same calls, at the same budget, by the same count', () => {
  it('N10: reports what each policy kept, also from long ago, sent, rewrote and broke', async () => {
    const { policies, rounds } = await measured(['staged', 'keep-newest']);
    expect(policies).toEqual(['staged', 'keep-newest']);
    const [{ window, rows, short }] = rounds as [BenchRound];
    expect([window, short]).toEqual([3_000, [join(sessions, 'short.jsonl')]]);
    const [staged, newest] = rows as [BenchRound['rows'][number], BenchRound['rows'][number]];
    for (const row of rows)
      expect(row).toMatchObject({ sessions: 1, calls: 18, over: 0, broken: 0, failed: 0, neededFromAfar: 4 });
    // The digest holds what the agent said about the file. The newest messages do not.
    expect([staged.keptFromAfar, newest.keptFromAfar]).toEqual([1, 0]);
    expect(staged.meanTokens).toBeLessThan(newest.meanTokens);
    expect(staged.rewritten).toBeLessThan(newest.rewritten);
  });

  it('N10: takes a policy from a module, keeps what it returned, and counts what it does wrong', async () => {
    const last = policy('last.mjs', '(messages) => messages.filter((one) => !one.tool_calls).slice(0, 6)');
    const nothing = policy('nothing.mjs', 'async () => { throw new Error("out of paper") }');
    const words = policy('words.mjs', '() => "no list"');
    const all = policy('all.mjs', '(messages) => messages');
    const { rounds } = await measured([last, nothing, words, all]);
    const [one, two, three, four] = rounds[0]!.rows;
    expect(one).toMatchObject({ failed: 0, over: 0 });
    expect(one!.broken).toBeGreaterThan(0); // a result without its call
    expect(two).toMatchObject({ failure: 'out of paper', compactions: 0 });
    expect(three).toMatchObject({ failure: 'returned no list of messages' });
    expect(two!.failed).toBeGreaterThan(0);
    expect(four).toMatchObject({ failed: 0, broken: 0, kept: 1, keptFromAfar: 1 });
    expect(four!.over).toBeGreaterThan(0);
  });

  it('N10: runs a policy that only clears tool results, and reports calls over the window', async () => {
    const { rounds } = await measured(['clear-tools']);
    const [row] = rounds[0]!.rows;
    expect(row).toMatchObject({ broken: 0, failed: 0 });
    expect([row!.over > 0, row!.kept > 0]).toEqual([true, true]);
  });

  it('N10: writes a table and a report', async () => {
    const report = join(folder.path, 'bench.json');
    const args = ['bench', sessions, '--windows', '3000,64000', '--report', report];
    const { code, err, out } = await spillway(args);
    expect([code, out]).toEqual([0, '']);
    expect(err).toMatch(/window 3,000 {2}1 session, 18 calls; 1 never passes the window/);
    expect(err).toMatch(/policy +kept +from afar +mean sent +rewritten +compactions +over +illegal +failed/);
    expect(err).toMatch(/^keep-newest .* 0\.0 % /m);
    expect(err).toMatch(/window 64,000 {2}0 sessions, 0 calls; 2 never pass the window/);
    expect(err).toMatch(/left out: [^\n]*, [^\n]*$/m);
    expect(err).not.toMatch(/ 100\.0 % .* – /);
    const { rounds } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    expect(rounds.map(({ files }) => files.length)).toEqual([1, 0]);
  });

  it('N10: compares with a policy that always fails, and takes a profile if a folder has the same name', async () => {
    const nothing = policy('mute.mjs', '() => { throw new Error("out of paper") }');
    const here = process.cwd();
    mkdirSync(join(folder.path, 'staged'));
    process.chdir(folder.path);
    try {
      const { rounds } = await measured([nothing, 'keep-newest', 'staged'], '--equal', '--windows', '1');
      const told = [rounds[0]!.rows, rounds[0]!.equal!].map((rows) => rows.map(({ budget }) => budget));
      expect(told).toEqual([
        [1, 1, 1],
        [1, 1, 1],
      ]);
    } finally {
      process.chdir(here);
    }
  });

  it('N10: reports a policy that gives no answer in time', async () => {
    const hangs = policy('hangs.mjs', '() => new Promise(() => {})');
    const history = await chatHistoryOf(read(CHAT));
    const lane = rivalLane(await rivalNamed(hangs), history, 500, { limitMs: 20 });
    const errors: unknown[] = [];
    for await (const { error } of lane.calls) if (error) errors.push(error.message);
    expect(new Set(errors)).toEqual(new Set(['gave no answer within 0.02 s']));
  });

  it.each<[string, readonly string[], RegExp]>([
    ['no such module', ['--policies', 'staged,./gone.mjs'], /CONFIG_INVALID.*gone\.mjs/s],
    ['a module without a policy', ['--policies', 'staged,EMPTY'], /no function of that name/],
    [
      'no such profile',
      ['--policies', 'nobody'],
      /PROFILE_UNKNOWN: policy.*nobody.*staged, keep-newest, clear-tools/,
    ],
    ['no such session', ['gone.jsonl'], /INPUT_UNREADABLE: gone\.jsonl/],
    ['no window', ['--windows', '8000,none'], /whole numbers above 0/],
    ['no session', ['--report', 'REPORT'], /a folder without a session/],
  ])('N10: refuses wrong arguments and says what is wrong: %s', async (name, args, said) => {
    const empty = folder.file('empty.mjs', 'export const nothing = 1;\n');
    const bare = join(folder.path, 'bare');
    mkdirSync(bare, { recursive: true });
    const given = args.map((arg) => arg.replace('EMPTY', empty).replace('REPORT', join(bare, 'r.json')));
    const { code, err } = await spillway(['bench', name === 'no session' ? bare : sessions, ...given]);
    expect(code).toBe(1);
    expect(err).toMatch(said);
  });
});
