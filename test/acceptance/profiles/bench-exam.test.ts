import { createServer } from 'node:http';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchReport } from '../../../src/faces/cli/bench/tables.js';
import { originOf } from '../../support/listening.js';
import { jsonLines, prose, says, spillway, step, system, talk, temporaryFolder, user } from '../support.js';

const folder = temporaryFolder();
const chat = [
  system('Be brief.'),
  user('Build a mill.'),
  ...step('read', { path: 'src/wheel.ts' }, `export const paddles42 = 1\n${prose(400, 1)}`),
  says('The wheel stands in src/wheel.ts.'),
  user('Never rename what it exports: paddles42 must stay.'),
  says('I leave it alone.'),
  ...talk(8, 300),
  user('And now the secret word is kestrel.'),
  says('Noted.'),
];
const session = folder.file('mill.jsonl', jsonLines(chat));
const exams = join(folder.path, 'exams');
mkdirSync(exams);
const exam = (name: string, of: object): void => writeFileSync(join(exams, name), JSON.stringify(of));
const questions = [
  { id: 'A1', kind: 'T4', q: 'What does the wheel export?', key: 'paddles42', points: ['paddles42'] },
  { id: 'A2', kind: 'T1', q: 'What is the secret word?', key: 'kestrel', points: ['kestrel'] },
];
exam('A.json', { session: 'mill', cut: chat.length - 2, questions });
exam('B.json', { session: 'another', cut: 3, questions });

interface Asked {
  readonly model: string;
  readonly system: string;
  readonly user: string;
  readonly key: string | undefined;
}

/** Plays each model: `answer` gives what it says to a request. */
let asked: Asked[] = [];
let answer: (one: Asked, before: number) => string | number = () => 500;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => void (body += chunk));
  request.on('end', () => {
    const { model, messages } = JSON.parse(body);
    const one = {
      model,
      system: messages[0].content,
      user: messages[1].content,
      key: request.headers.authorization,
    };
    const said = answer(one, asked.filter(({ user: same }) => same === one.user).length);
    asked.push(one);
    if (typeof said === 'number') return void response.writeHead(said).end('no room');
    const usage = { prompt_tokens: 100, completion_tokens: 10 };
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: said } }], usage }));
  });
});
const url = `${await originOf(server)}/v1`;

/** Answers from the context, in a fence as models do. The third reading of a context misses the answer. */
const reads = ({ user: text }: Asked, before: number): string => {
  const knows = text.includes('paddles42') && before < 2 ? 'It exports paddles42.' : 'unknown';
  return `Here you are:\n\`\`\`json\n${JSON.stringify({ A1: knows, A2: 'owl (guess)' })}\n\`\`\``;
};
const grades = ({ user: sheet }: Asked): string =>
  JSON.stringify(
    Object.fromEntries(JSON.parse(sheet).map((one: any) => [one.id, one.answer.includes(one.key) ? 1 : 0])),
  );
beforeEach(() => {
  asked = [];
  answer = (one, before) => (one.model === 'reader-1' ? reads(one, before) : grades(one));
});

const FIXED = ['bench', session, '--windows', '3000', '--policies', 'staged,keep-newest', '--exam', exams];
const MODELS = ['--endpoint', url, '--key', 'OWN_KEY', '--reader', 'reader-1', '--grader', 'grader-1'];
const ask = (...more: string[]) => spillway([...FIXED, ...MODELS, ...more], { OWN_KEY: 'a-key' });

async function report(...more: string[]): Promise<BenchReport> {
  const { code, err } = await ask('--json', ...more);
  expect([code, err.slice(0, 300)]).toEqual([0, expect.stringMatching(/^\{/)]);
  return JSON.parse(err) as BenchReport;
}

describe('N10: the bench: the continuation exam, by any OpenAI-compatible model', () => {
  it('N10: has each context read and graded as often as asked, and reports the grade of each reading', async () => {
    const { exam: round } = (await report()).rounds[0]!;
    expect(round).toMatchObject({ exams: 1, questions: 2 });
    const [staged, newest] = round!.rows;
    expect(staged).toMatchObject({ policy: 'staged', replicates: [0.5, 0.5, 0], missing: 0 });
    expect(staged!.grade).toBeCloseTo(1 / 3);
    expect(staged!.byKind).toEqual({ T1: 0, T4: expect.closeTo(2 / 3) });
    expect(staged!.meanTokens).toBeGreaterThan(0);
    expect(newest).toMatchObject({ policy: 'keep-newest', grade: 0, replicates: [0, 0, 0] });
    const twelve = { calls: 6, inputTokens: 600, outputTokens: 60 };
    expect(round!.usage).toEqual({ 'reader-1': twelve, 'grader-1': twelve });
  });

  it('N10: shows a reader only the context before the cut, and a grader neither context nor policy', async () => {
    await report('--replicates', '1');
    const readers = asked.filter(({ model }) => model === 'reader-1');
    const graders = asked.filter(({ model }) => model === 'grader-1');
    expect([readers.length, graders.length]).toEqual([2, 2]);
    for (const one of asked) expect(one.key).toBe('Bearer a-key');
    for (const { system: rules, user: text } of readers) {
      expect(text).toContain('What does the wheel export?');
      expect(text).toContain('Build a mill.');
      expect(rules + text).not.toMatch(/kestrel|keep-newest|staged/);
    }
    for (const { system: rules, user: sheet } of graders) {
      expect(JSON.parse(sheet)[1]).toEqual({
        id: 'A2',
        question: 'What is the secret word?',
        key: 'kestrel',
        points: ['kestrel'],
        answer: 'owl (guess)',
      });
      expect(rules + sheet).not.toMatch(/Build a mill|keep-newest|staged/);
    }
  });

  it('N10: goes on after a model failed, and does not pay for an answer twice', async () => {
    const state = join(folder.path, 'state.jsonl');
    const good = answer;
    answer = (one, before) =>
      one.model === 'grader-1'
        ? 503
        : one.user.includes('paddles42')
          ? good(one, before)
          : 'I would rather not.';
    const broken = await ask('--replicates', '1', '--state', state);
    expect(broken.code).toBe(0);
    expect(broken.err).toMatch(/^policy +told +tokens read +grade +T1 +T4 +each reading +missing$/m);
    expect(broken.err).toMatch(/^staged: grader-1 answered 503: no room$/m);
    expect(broken.err).toMatch(/^keep-newest: no JSON object in the answer: I would rather not\.$/m);
    asked = [];
    answer = good;
    const { rounds } = await report('--replicates', '1', '--state', state);
    // The state has the reader's answer for `staged`.
    expect(asked.map(({ model }) => model)).toEqual(['grader-1', 'reader-1', 'grader-1']);
    expect(rounds[0]!.exam!.rows.map(({ grade, missing }) => [grade, missing])).toEqual([
      [0.5, 0],
      [0, 0],
    ]);
    asked = [];
    await report('--replicates', '1', '--state', state);
    expect(asked).toEqual([]);
  });

  it('N10: shows a reader an empty context of a policy that fails at the cut', async () => {
    const late = folder.file(
      'late.mjs',
      `let left = 1;\nexport const compact = (messages) => { if (left-- > 0) return messages.slice(-1); throw new Error('late'); };\n`,
    );
    await report('--replicates', '1', '--policies', late);
    const [reader] = asked;
    expect(reader!.user).toMatch(/^<context>\n\n<\/context>/);
  });

  it('N10: writes the results to Markdown and to the page', async () => {
    const [markdown, html] = [join(folder.path, 'exam.md'), join(folder.path, 'exam.html')];
    await report('--replicates', '2', '--markdown', markdown, '--html', html);
    expect(readFileSync(markdown, 'utf8')).toMatch(
      /Read and graded: 2 questions on 1 session:\n\n\| policy \|.*\n.*\n\| staged \| 3,000 \| [\d,]+ \| 0\.50 \(0\.50–0\.50\) \| 0\.00 \| 1\.00 \| 0\.50 0\.50 \| 0 \|/,
    );
    expect(readFileSync(html, 'utf8')).toMatch(/What a reader answers from the context alone: staged 50 %/);
  });

  it('N10: asks no model if no exam is named', async () => {
    const { code } = await spillway(['bench', session, '--windows', '3000', '--endpoint', url]);
    expect([code, asked]).toEqual([0, []]);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['no reader', ['--exam', exams], /--exam.*no --reader/s],
    ['no such folder', ['--exam', join(folder.path, 'gone'), '--reader', 'r'], /INPUT_UNREADABLE.*no exam/s],
    ['no address', ['--exam', exams, '--reader', 'r', '--endpoint', 'nowhere'], /--endpoint.*nowhere/s],
  ])('N10: refuses wrong arguments and says what is wrong: %s', async (_, args, said) => {
    const { code, err } = await spillway(['bench', session, '--windows', '3000', ...args]);
    expect([code, err]).toEqual([1, expect.stringMatching(said)]);
  });

  it('N10: reports an exam that is invalid, of another session, or cut after the last step', async () => {
    const other = join(folder.path, 'others');
    mkdirSync(other);
    const args = ['bench', session, '--windows', '3000', '--exam', other, '--reader', 'r', '--endpoint', url];
    writeFileSync(join(other, 'C.json'), '{ "session": "mill", "cut": "late" }');
    expect((await spillway(args)).err).toMatch(/INPUT_UNREADABLE: .*C\.json/);
    writeFileSync(join(other, 'C.json'), JSON.stringify({ session: 'another', cut: 3, questions }));
    expect((await spillway(args)).err).toMatch(/exams of other sessions/);
    writeFileSync(join(other, 'C.json'), JSON.stringify({ session: 'mill', cut: 999, questions }));
    expect((await spillway(args)).err).toMatch(/INPUT_INDEX: the cut of an exam/);
  });
});
