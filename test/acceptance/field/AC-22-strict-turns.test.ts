import { validateOpenAiChat } from '../../../src/testkit/index.js';
import { prose, read, says, step, system, talk, user, wordsOf, type Chat, sessionOf } from '../support.js';

/** What the chat templates of Mistral and Gemma refuse: apart from calls and results, user and assistant must alternate. */
function refusedByTemplate(messages: readonly unknown[]): string[] {
  const chat = messages as readonly (Chat & { readonly tool_calls?: unknown })[];
  const faults: string[] = [];
  if (chat.slice(1).some(({ role }) => role === 'system')) faults.push('a second system message');
  const speaking = chat.filter(
    ({ role, tool_calls }) => role === 'user' || (role === 'assistant' && !tool_calls),
  );
  speaking.forEach(({ role }, i) => {
    const expected = i % 2 === 0 ? 'user' : 'assistant';
    if (role !== expected) faults.push(`${role} where ${expected} is due, at ${i}`);
  });
  return faults;
}

const CHAT: Chat[] = [
  system('Be brief.'),
  system('Mind the weather.'),
  user('Build a mill.'),
  user('By the river.'),
  says('Gladly.'),
  ...step('look', { at: 'gate' }, prose(60, 1), 'I look first.'),
  user('And then?'),
  system('It is raining.'),
  ...talk(12, 120),
  ...step('look', { at: 'wheel' }, prose(60, 2)),
  says('It turns.'),
  says('It does.'),
  user('And now?'),
];

describe('AC-22: templates that want one system message and strict turns', () => {
  it.each([40_000, 2_500, 900])(
    'AC-22: with a budget of %d no request is refused, and both system messages and the question remain',
    async (budget) => {
      const session = await sessionOf(budget, CHAT, { turns: 'strict' });
      for (let call = 0; call < 3; call++) {
        const { messages } = await session.prepare();
        expect(refusedByTemplate(messages)).toEqual([]);
        expect(validateOpenAiChat(messages)).toEqual([]);
        const words = wordsOf(messages);
        for (const kept of ['Be brief.', 'Mind the weather.', 'And now?']) expect(words).toContain(kept);
        await session.append(
          ...read([
            says('It runs.'),
            ...step('look', { at: call }, prose(80, 5 + call)),
            user(`More, ${call}.`),
          ]).map((message, i) => ({ ...message, id: `c${call}.${i}` })),
        );
      }
      if (budget < 2_600) expect(session.operator.history).not.toEqual([]);
    },
  );

  it('AC-22: two assistant messages that are merged keep both thoughts and the refusal', async () => {
    const thinks = (content: string, thought: string) => ({ ...says(content), reasoning_content: thought });
    const session = await sessionOf(
      40_000,
      [
        user('Build a mill.'),
        thinks('Gladly.', 'By the river?'),
        { ...thinks('Where?', 'Not by the road.'), refusal: 'No road.' },
        user('By the river.'),
      ],
      { turns: 'strict' },
    );
    expect((await session.prepare()).messages[1]).toEqual({
      role: 'assistant',
      content: 'Gladly.\n\nWhere?',
      reasoning_content: 'By the river?\n\nNot by the road.',
      refusal: 'No road.',
    });
  });

  it('AC-22: without the setting the messages are not changed', async () => {
    const session = await sessionOf(40_000, CHAT);
    expect((await session.prepare()).messages).toEqual(CHAT);
  });
});
