import { describe, expect, it } from '@jest/globals';
import { createSpillway } from '../../../../src/index.js';

/** Turns of the event loop that others have while work goes on. */
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

const history = (length: number) =>
  Array.from({ length }, (_, at) => ({ role: at % 2 ? 'assistant' : 'user', content: `part ${at}` }));

describe('a long history', () => {
  it('is followed in slices, the whole of it in order, and only what is new of the next one', async () => {
    const session = (await createSpillway({ model: 'gpt-4o', store: 'memory:' })).session();
    const messages = history(10_001);
    expect(await turnsDuring(() => session.follow({ messages }))).toBeGreaterThan(3);
    expect(session.log.length).toBe(10_001);
    expect(session.log.at(7_345).parts).toEqual([{ type: 'text', text: 'part 7345' }]);
    const next = [...messages, ...history(2)];
    expect((await session.follow({ messages: next })).appended).toHaveLength(2);
  });

  it('is read for a compaction in slices', async () => {
    const session = (await createSpillway({ inputBudget: 50_000 })).session();
    await session.follow({ messages: history(10_001) });
    expect(await turnsDuring(() => session.prepare())).toBeGreaterThan(2);
    expect(session.reading.pressure).toBeLessThan(1);
  });

  it('may hold one text of many million characters, which is counted in slices', async () => {
    const session = (await createSpillway({ model: 'gpt-4o' })).session();
    const content = 'to the mill and back '.repeat(400_000);
    const other = (await createSpillway({ model: 'gpt-4o' })).session();
    await other.append({ id: 'm0', role: 'user', origin: 'user', parts: [{ type: 'text', text: content }] });
    expect(
      await turnsDuring(() => session.follow({ messages: [{ role: 'user', content }] })),
    ).toBeGreaterThan(3);
    const [sliced, whole] = [session, other].map(({ log }) => log.at(0).size.tokens);
    expect(Math.abs(sliced! - whole!)).toBeLessThanOrEqual(content.length / 65_536);
  });
});
