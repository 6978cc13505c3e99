import { createSpillway, type Disposition, type Message } from '../../../../src/index.js';

const words = (i: number): string =>
  Array.from({ length: 120 }, (_, n) => `word${(i * 7 + n) % 90}`).join(' ');

/** Plain talk: only summaries can make it smaller. */
function talk(from: number, to: number): Message[] {
  return Array.from({ length: to - from }, (_, n): Message => {
    const i = from + n;
    const isUser = i % 2 === 0;
    const text = isUser ? `Never touch vendor/part${i}.js. ${words(i)}` : words(i);
    return {
      id: `m${i}`,
      role: isUser ? 'user' : 'assistant',
      origin: isUser ? 'user' : 'model',
      parts: [{ type: 'text', text }],
    };
  });
}

const superseders = (dispositions: readonly Disposition[]): string[] => [
  ...new Set(dispositions.flatMap(({ status, by }) => (status === 'superseded' && by ? [by.stage] : []))),
];

it('a span is still explained by the stage that took it out after its digest has grown', async () => {
  const spillway = await createSpillway({
    inputBudget: 4_000,
    settings: { counter: 'heuristic', safetyMargin: 0 },
  });
  const session = spillway.session();
  session.append(...talk(0, 31));
  await session.prepare();
  const first = superseders(session.operator.explain());
  expect(first.length).toBeGreaterThan(0);
  expect(first).not.toContain('regrow');

  const before = session.operator.history.length;
  session.append(...talk(31, 61));
  await session.prepare();
  expect(session.operator.history.length).toBeGreaterThan(before);
  expect(superseders(session.operator.explain())).not.toContain('regrow');
});
