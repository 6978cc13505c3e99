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
});
