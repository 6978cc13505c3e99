import { describe, expect, it } from '@jest/globals';
import { createSpillway } from '../../../src/index.js';

/** Turns of the event loop that others have until work is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work().finally(() => (isOver = true));
  return turns;
}

const user = (content: string) => ({ role: 'user', content });

const reads = (count: number, resultOf: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => at).flatMap((at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `c${at}`,
          type: 'function',
          function: { name: 'read', arguments: `{"path":"src/part${at}.ts"}` },
        },
      ],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: resultOf(at) },
  ]);

const words = (count: number, at: number): string =>
  Array.from({ length: count }, (_, i) => `word${(i * 7_919) % 10_007}of${at}`).join(' ');

describe('AC-04: while one session does long work, others have their turns', () => {
  it('when long results that left are read for a question', async () => {
    const session = (await createSpillway({ inputBudget: 20_000 })).session();
    const messages = [
      user('Read all parts.'),
      ...reads(12, (at) => words(12_000, at)),
      { role: 'assistant', content: 'Read.' },
    ];
    await session.follow({ messages: [...messages, user('Go on.')] });
    await session.prepare();
    await session.follow({
      messages: [
        ...messages,
        user('Go on.'),
        { role: 'assistant', content: 'Done.' },
        user('What of src/part3.ts and word77of3?'),
      ],
    });
    expect(await turnsDuring(() => session.prepare())).toBeGreaterThan(10);
  });
});
