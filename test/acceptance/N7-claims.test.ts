import { describe, expect, it } from '@jest/globals';
import { engine, prose, step, system, user, says, type Chat } from './support.js';
import { openaiChat } from '../../src/index.js';

const RULES = [
  'Never push to the release branch without asking me first.',
  'Always run the linter before you commit anything.',
  'You must not touch the billing module.',
  'Keep the public API exactly as it is.',
  'Do not add any dependency that is not MIT licensed.',
];

const BUDGET = 6_000;

/** A long session: rules are said here and there, work goes on for ever. */
function session(turns: number): Chat[] {
  const chat: Chat[] = [system('You are a coding agent.'), user('Please work through the backlog.')];
  for (let turn = 0; turn < turns; turn++) {
    const at = turn % 20 === 3 ? (turn - 3) / 20 : -1;
    chat.push(user(RULES[at] ?? `Go on with item ${turn}, please.`));
    for (let i = 0; i < 3; i++) {
      const file = `src/module${turn}/worker${i}.ts`;
      chat.push(
        ...step(
          'read_file',
          { path: file },
          `export const handlerName${turn}x${i} = 1;\n${prose(120, turn * 3 + i)}`,
        ),
      );
    }
    chat.push(...step('write_file', { path: `src/module${turn}/result.ts`, content: 'done' }, 'written'));
    chat.push(says(`Item ${turn} is finished.`));
  }
  return chat;
}

describe('N7: claims are carried verbatim through many compactions', () => {
  it('every rule a user set, word for word, in one claims message inside its share', async () => {
    const spillway = await engine(BUDGET);
    const talk = spillway.session();
    let messages: readonly unknown[] = [];
    for (const message of openaiChat.parse(session(110)).messages) {
      if (message.role === 'assistant') ({ messages } = await talk.prepare());
      talk.append(message);
    }
    expect(talk.operator.history.length).toBeGreaterThanOrEqual(20);
    const sent = JSON.stringify(messages).replaceAll('\\"', '"');
    for (const rule of RULES) expect(sent).toContain(rule);

    const claims = talk.view.filter(({ message }) => message.label === 'claims');
    expect(claims).toHaveLength(1);
    expect(claims[0]!.size.tokens).toBeLessThanOrEqual(0.08 * BUDGET);
    expect(claims[0]!.message).toMatchObject({ role: 'assistant', origin: 'synthetic' });
  });

  it('files that were written, as the calls say', async () => {
    const spillway = await engine(BUDGET);
    const talk = spillway.session();
    talk.append(...openaiChat.parse(session(60)).messages);
    await talk.prepare();
    const text = JSON.stringify(talk.view.find(({ message }) => message.label === 'claims')?.message.parts);
    expect(text).toMatch(/created: src\/module\d+\/result\.ts/);
  });

  it('N7: typed, each with where it stands and whether it still holds; words that name a bound end it', async () => {
    const talk = (await engine(BUDGET)).session();
    talk.append(
      ...openaiChat.parse([
        user('Do not push. Keep the public API exactly as it is. Never commit secrets.'),
        says('I decided to split the parser because it has two owners.'),
        ...step('TodoWrite', { todos: [{ content: 'split', status: 'completed' }] }, 'ok'),
        ...step('bash', { command: 'npm test' }, '2 failed, 3 passed'),
        ...step('bash', { command: 'npm run lint' }, '4 problems (4 errors)'),
        ...step('bash', { command: 'npm run lint' }, 'All files pass linting.\n0 problems'),
        user('You may push now. ok, commit it.'),
      ]).messages,
    );
    expect(talk.operator.claims.map(({ kind, status, id }) => [kind, status, id])).toEqual([
      ['constraint', 'superseded', 'm0'],
      ['constraint', 'live', 'm0'],
      ['constraint', 'live', 'm0'],
      ['todo', 'done', 'm2'],
      ['error', 'live', 'm5'],
      ['check', 'done', 'm9'],
    ]);
    expect(talk.operator.claims[0]).toMatchObject({ text: 'Do not push.', endedBy: 'You may push now.' });
  });

  it('N7: a check that fails ends by the same check, or by one that holds it, passing', async () => {
    const after = async (...runs: readonly (readonly [string, string])[]): Promise<readonly string[]> => {
      const talk = (await engine(BUDGET)).session();
      talk.append(
        ...openaiChat.parse([
          user('Mend the build.'),
          ...step('bash', { command: 'npx jest test/parser' }, 'expected 3, got 4\n1 failed, 7 passed'),
          ...runs.flatMap(([command, output]) => step('bash', { command }, output)),
        ]).messages,
      );
      return talk.operator.claims.filter(({ kind }) => kind === 'error').map(({ text }) => text);
    };
    const failure = 'npx jest test/parser → “expected 3, got 4; 1 failed, 7 passed”';
    expect(await after()).toEqual([failure]);
    expect(await after(['npx jest test/parser', '8 passed'])).toEqual([]);
    expect(await after(['npm test', '120 passed'])).toEqual([]);
    expect(await after(['npx jest test/parser/one.test.ts', '1 passed'])).toEqual([failure]);
    expect(await after(['npx jest test/parser -t commas', '1 passed'])).toEqual([failure]);
    expect(await after(['npx tsc', 'ok'])).toEqual([failure]);
    expect(await after(['cat log', '8 passed'])).toEqual([failure]);
  });

  it('N7: at most 8 % of the budget and 4,000 tokens, however many bounds a user set', async () => {
    for (const [budget, count, words] of [
      [6_000, 60, 80],
      [100_000, 350, 400],
    ] as const) {
      const rules = Array.from({ length: count }, (_, i) => [
        user(
          `${prose(words, i)} Never rename table ledger_${i}; it must stay below ${i} rows at all times of the day.`,
        ),
        says('Understood.'),
      ]).flat();
      const talk = (await engine(budget)).session();
      talk.append(...openaiChat.parse([user('Tidy the ledgers.'), ...rules, user('And now?')]).messages);
      await talk.operator.compact();
      const claims = talk.view.filter(({ message }) => message.label === 'claims');
      expect(claims).toHaveLength(1);
      expect(claims[0]!.size.tokens).toBeGreaterThan(0.25 * Math.min(0.08 * budget, 4_000));
      expect(claims[0]!.size.tokens).toBeLessThanOrEqual(Math.min(0.08 * budget, 4_000));
    }
  });

  it('N7: open failures and loaded instructions are sent again when they left, with their source', async () => {
    const talk = (await engine(BUDGET)).session();
    const work = Array.from({ length: 30 }, (_, i) =>
      step('read_file', { path: `src/worker${i}.ts` }, prose(180, i)),
    ).flat();
    talk.append(
      ...openaiChat.parse([
        user('Mend the build.'),
        says('I decided to pin the compiler because the newest one drops decorators.'),
        ...step('Skill', { skill: 'release-notes' }, prose(90, 90)),
        ...step('bash', { command: 'npm test -- parser' }, 'expected 3, got 4\n1 failed, 7 passed'),
        ...work,
        says('On it.'),
      ]).messages,
    );
    await talk.operator.compact({ target: 0.3 });
    const [claims] = talk.view.filter(({ message }) => message.label === 'claims');
    const text = claims!.message.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
    const sent = JSON.stringify(talk.view.map(({ message }) => message.parts));
    expect(sent).toContain('I decided to pin the compiler because the newest one drops decorators.');
    expect(text).toMatch(/- npm test -- parser → “.*1 failed, 7 passed” \[m\d+\]/);
    expect(text).toMatch(/- Skill release-notes \(\d+ tokens\) \[recall m3#0\]/);
  });

  const edit = (path: string) => step('edit_file', { path, old: 'a', new: 'b' }, 'done');
  const bash = (command: string, output = '') => step('bash', { command }, output);
  const claimsAfter = async (...work: readonly Chat[]): Promise<string> => {
    const talk = (await engine(BUDGET)).session();
    const reads = Array.from({ length: 30 }, (_, i) =>
      step('read_file', { path: `src/worker${i}.ts` }, prose(180, i)),
    ).flat();
    talk.append(...openaiChat.parse([user('Mend the build.'), ...work, ...reads, says('On it.')]).messages);
    await talk.operator.compact({ target: 0.3 });
    const [claims] = talk.view.filter(({ message }) => message.label === 'claims');
    return claims!.message.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
  };

  it('N7: what passed, what was changed after it, and what is in no commit', async () => {
    const tested = step('bash', { command: 'npm test' }, '8 passed');
    const committed = step('bash', { command: 'git commit -am "Mend a"' }, '[main 1234567] Mend a');

    const text = await claimsAfter(...edit('src/a.ts'), ...tested, ...committed, ...edit('src/b.ts'));
    expect(text).toContain('- npm test → “8 passed”; 1 file changed since [m4]');
    expect(text).toContain('Files changed in this session, newest commit “[main 1234567] Mend a” [m6]:');
    expect(text).toContain('- modified since that commit: src/b.ts\n- modified before it: src/a.ts');

    const make = (path: string) => step('write_file', { path, content: 'x' }, 'done');
    const made = await claimsAfter(
      ...make('src/c.ts'),
      ...committed,
      ...edit('src/c.ts'),
      ...make('src/d.ts'),
    );
    expect(made).toContain('- modified since that commit: src/c.ts\n- created since that commit: src/d.ts');

    const status = step('bash', { command: 'git status --short' }, ' M src/a.ts');
    const none = await claimsAfter(...edit('src/a.ts'), ...tested, ...status);
    expect(none).toContain('- npm test → “8 passed” [m4]');
    expect(none).toContain('Files changed in this session, no call made a commit:\n- modified: src/a.ts');
  });

  it('N7: no file that came and went with the work: a trial, and what a run writes again and again', async () => {
    const text = await claimsAfter(
      ...edit('src/a.ts'),
      ...step('write_file', { path: 'src/trial.test.ts', content: 'x' }, 'written'),
      ...bash('rm src/trial.test.ts'),
      ...bash('npm test', '8 passed'),
      ...[1, 2, 3].flatMap(() => bash('rm -f coverage.out && git status --short', ' M src/a.ts')),
    );
    expect(text).toContain('- modified: src/a.ts');
    expect(text).not.toContain('deleted');
    // Nor does it stand against what passed before it went.
    expect(text).toContain('- npm test → “8 passed” [m8]');
  });

  it.each<[string, readonly Chat[]]>([
    ['that was there before', bash('rm src/old.ts')],
    [
      'that was there before, and deleted again by git',
      [...bash('rm src/old.ts'), ...bash('git rm src/old.ts')],
    ],
    ['that was read before', [...step('read_file', { path: 'src/old.ts' }, 'x'), ...bash('rm src/old.ts')]],
    [
      'that a commit may have',
      [
        ...step('write_file', { path: 'src/old.ts', content: 'x' }, 'written'),
        ...bash('git add -A && git commit -qm "Begin"'),
        ...bash('rm src/old.ts'),
      ],
    ],
    [
      'that was there before and was made anew',
      [
        ...bash('rm src/old.ts'),
        ...step('write_file', { path: 'src/old.ts', content: 'x' }, 'written'),
        ...bash('rm src/old.ts'),
      ],
    ],
    [
      'that the user speaks of',
      [
        ...step('write_file', { path: 'src/old.ts', content: 'x' }, 'written'),
        user('What does old.ts do?'),
        ...bash('rm src/old.ts'),
      ],
    ],
  ])('N7: a deleted file %s', async (_, work) => {
    expect(await claimsAfter(...edit('src/a.ts'), ...work)).toMatch(/^- deleted.*: src\/old\.ts$/m);
  });
});
