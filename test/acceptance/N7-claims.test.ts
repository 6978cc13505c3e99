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
    expect(talk.history.length).toBeGreaterThanOrEqual(34);
    const sent = JSON.stringify(messages).replaceAll('\\"', '"');
    for (const rule of RULES) expect(sent).toContain(rule);

    const claims = talk.view.filter(({ message }) => message.label === 'claims');
    expect(claims).toHaveLength(1);
    expect(claims[0]!.size.tokens).toBeLessThanOrEqual(0.48 * BUDGET);
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

  it('N7: typed, each with where it stands and whether it still holds; newer words end older ones', async () => {
    const talk = (await engine(BUDGET)).session();
    talk.append(
      ...openaiChat.parse([
        user('Do not push. Keep the public API exactly as it is.'),
        says('I decided to split the parser because it has two owners.'),
        ...step('TodoWrite', { todos: [{ content: 'split', status: 'completed' }] }, 'ok'),
        ...step('bash', { command: 'npm test' }, '2 failed, 3 passed'),
        user('ok, push now'),
      ]).messages,
    );
    expect(talk.claims.map(({ kind, status, id }) => [kind, status, id])).toEqual([
      ['constraint', 'superseded', 'm0'],
      ['constraint', 'live', 'm0'],
      ['decision', 'live', 'm1'],
      ['todo', 'done', 'm2'],
      ['error', 'live', 'm5'],
      ['check', 'live', 'm5'],
    ]);
    expect(talk.claims[0]).toMatchObject({ text: 'Do not push.', endedBy: 'ok, push now' });
  });

  it('N7: decisions, open failures, the last end of a check and loaded instructions are sent again when they left', async () => {
    const talk = (await engine(BUDGET)).session();
    const work = Array.from({ length: 30 }, (_, i) =>
      step('read_file', { path: `src/worker${i}.ts` }, prose(180, i)),
    ).flat();
    talk.append(
      ...openaiChat.parse([
        user('Mend the build.'),
        says('I decided to pin the compiler because the newest one drops decorators.'),
        ...step('Skill', { skill: 'release-notes' }, prose(50, 90)),
        ...step('bash', { command: 'npm run lint' }, '0 problems'),
        ...step('bash', { command: 'npm test -- parser' }, 'expected 3, got 4\n1 failed, 7 passed'),
        ...work,
        says('On it.'),
      ]).messages,
    );
    await talk.compact({ target: 0.3 });
    const [claims] = talk.view.filter(({ message }) => message.label === 'claims');
    const text = claims!.message.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
    const sent = JSON.stringify(talk.view.map(({ message }) => message.parts));
    expect(sent).toContain('I decided to pin the compiler because the newest one drops decorators.');
    expect(text).toMatch(/- npm test -- parser → “.*1 failed, 7 passed/);
    expect(text).toContain('- npm run lint → passed: “0 problems”');
    expect(text).toMatch(/- Skill release-notes \(\d+ tokens\) \[recall m3#0\]/);
  });
});
