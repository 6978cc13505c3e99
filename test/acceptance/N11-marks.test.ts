import { recallTool, type Session } from '../../src/index.js';
import { engine, prose, says, step, system, talk, user, times, type Chat } from './support.js';

const RECALL = { type: 'function', function: recallTool };
const READ = { type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } };
const START = [system('Be brief.'), user('Build a mill at Oakford.'), says('Gladly.')];

/** The request that goes out when a client with these tools sends these messages. */
async function sent(session: Session, messages: readonly Chat[], tools: readonly object[]): Promise<Chat[]> {
  await session.follow({ model: 'gpt-4o', messages, tools });
  return (await session.prepare()).messages as Chat[];
}

const shown = (messages: readonly Chat[]): string => JSON.stringify(messages);
const HANDLE = /\[[^[\]\n]*; (?:recall )?m\d+[^\]]*\]/g;

describe('N11: texts mention recall only if the agent has the tool', () => {
  const work = times(12, (i) => step('read_file', { path: `a${i}` }, prose(300, i)));
  const first = [...START, ...work, ...talk(20, 110), user('And now?')];
  const open = async (): Promise<Session> => (await engine(4_000)).session();

  it('N11: without the tool, stubs and digests give their handles and nothing more', async () => {
    const text = shown(await sent(await open(), first, [READ]));
    expect(text.match(HANDLE)!.length).toBeGreaterThan(0);
    expect(text).not.toContain('recall');
  });

  it.each([
    ['of its own', [READ, RECALL]],
    ['of a host that names it', [{ ...RECALL, function: { ...recallTool, name: 'mcp__spillway__recall' } }]],
  ])('N11: with a tool %s, every handle says `recall`', async (_, tools) => {
    const text = shown(await sent(await open(), first, tools));
    const marks = text.match(HANDLE)!;
    expect(marks.length).toBeGreaterThan(0);
    expect(marks.filter((mark) => !mark.includes('; recall '))).toEqual([]);
  });

  it('N11: text of a compaction stays the same after the tool has gone, and each plan records if it was there', async () => {
    const session = await open();
    const before = await sent(session, first, [READ, RECALL]);
    const after = await sent(session, [...first, says('Well.'), user('Good.')], [READ]);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(session.operator.history[0]!.plan.inputs.recall).toBe(true);
    const longer = [...first, says('Well.'), user('Good.'), ...talk(60, 110, 7), user('And then?')];
    await sent(session, longer, [READ]);
    expect(session.operator.history.at(-1)!.plan.inputs).not.toHaveProperty('recall');
  });
});
