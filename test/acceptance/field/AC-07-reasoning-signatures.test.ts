import { engine } from '../support.js';
import { asks, loop, play, thoughtsIn, turn, type Wire } from '../thinking.js';

describe('AC-07: reasoning signatures', () => {
  it('AC-07: reasoning stays verbatim or goes; what a change invalidates is removed once, in the same step', async () => {
    const wire = [
      ...['a', 'b', 'c', 'd', 'e'].flatMap((name) => turn(name, 8)),
      asks('Go on.'),
      ...loop('z', 4),
    ];
    const thought = new Set(thoughtsIn(wire));
    const session = (await engine(6_000, {}, { format: 'anthropic' })).session();
    const calls = await play(session, wire);
    const compactions = calls.filter(({ committed }) => committed).length;
    expect(compactions).toBeGreaterThan(2);
    let gone = new Set<string>();
    let before: readonly Wire[] = [];
    for (const { messages, committed, signatures } of calls) {
      const stands = new Set(thoughtsIn(messages));
      for (const words of stands) {
        expect(thought).toContain(words);
        expect(gone).not.toContain(words);
      }
      const left = thoughtsIn(before).filter((words) => !stands.has(words));
      if (!committed) expect(left).toEqual([]);
      gone = new Set([...gone, ...left]);
      expect(signatures).toEqual([]);
      before = messages;
    }
    expect(gone.size).toBeGreaterThan(5);
  });

  it('AC-07: DeepSeek wants its reasoning back with the calls it led to', async () => {
    const wire = Array.from({ length: 30 }, (_, i) => [
      {
        role: 'assistant',
        reasoning_content: `I read file ${i}. ${'Why not? '.repeat(10)}`,
        content: '',
        tool_calls: [
          { id: `c${i}`, type: 'function', function: { name: 'Read', arguments: `{"path":"src/${i}.ts"}` } },
        ],
      },
      { role: 'tool', tool_call_id: `c${i}`, content: 'the mill stands '.repeat(60) },
    ]).flat();
    const { openaiChat } = await import('../../../src/index.js');
    const session = (await engine(4_000)).session();
    await session.append(...openaiChat.parse([{ role: 'user', content: 'Go.' }, ...wire]).messages);
    const { messages, run } = await session.prepare();
    expect(run.kind).toBe('committed');
    const calling = (messages as Record<string, unknown>[]).filter((message) => 'tool_calls' in message);
    expect(calling.length).toBeGreaterThan(0);
    for (const message of calling) expect(message['reasoning_content']).toMatch(/^I read file/);
  });
});
