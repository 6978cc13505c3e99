import { describe, expect, it } from '@jest/globals';
import type { ConfigSources, Session } from '../../../src/index.js';
import { engine, prose } from '../support.js';

/* Claude pauses a turn (`pause_turn`): its client sends the unfinished answer back as it is, and it goes on from there. */

type Block = Readonly<Record<string, unknown>>;
interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Block[];
}

const asks = (content: string): Said => ({ role: 'user', content });
const answers = (...content: Block[]): Said => ({ role: 'assistant', content });
const words = (text: string): Block => ({ type: 'text', text });
const search = (id: string): Block => ({
  type: 'server_tool_use',
  id,
  name: 'web_search',
  input: { query: 'mills' },
});
const found = (id: string): Block => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });

const OLD: Said[] = Array.from({ length: 10 }, (_, i) => [
  asks(`Part ${i}? ${prose(200, i)}`),
  answers(words(`Part ${i}: ${prose(200, 50 + i)}`)),
]).flat();
const QUESTION = asks('Search for what was said of mills.');
const PAUSED = answers(words(`I search. ${prose(500, 99)}`), search('srvtoolu_1'));
const HALTED = [...OLD, QUESTION, PAUSED];
const GOES_ON = answers(found('srvtoolu_1'), words('Mills are old.'));

async function following(
  messages: readonly Said[],
  settings: ConfigSources['settings'] = {},
): Promise<Session> {
  const session = (await engine(4_000, settings)).session({ format: 'anthropic' });
  await session.follow({ messages });
  return session;
}

/** What is sent for the newest message, which the session compacts for. */
async function sentFor(session: Session): Promise<readonly unknown[]> {
  const { messages, run } = await session.prepare();
  expect(run).toMatchObject({ kind: 'committed' });
  return messages;
}

const logged = ({ log }: Session): string[] =>
  Array.from({ length: log.length }, (_, seq) => JSON.stringify(log.at(seq).parts));

describe('a turn that the provider paused is sent back as it is', () => {
  it('nothing stands behind it where the agent is told to go on', async () => {
    const session = await following(HALTED, { compaction: { continue: 'on' } });
    expect((await sentFor(session)).slice(-2)).toEqual([QUESTION, PAUSED]);
    expect((await session.prepare()).messages.at(-1)).toEqual(PAUSED);
    expect(session.log.length).toBe(HALTED.length);
  });

  it('nor is the host asked whether to tell it', async () => {
    const session = await following(HALTED, { compaction: { continue: 'ask' } });
    expect((await session.prepare()).run.continue).toBeUndefined();
  });

  it('nor where a host has it go on', async () => {
    const session = await following(HALTED);
    await session.continue();
    expect((await sentFor(session)).at(-1)).toEqual(PAUSED);
    await session.follow({ messages: [...HALTED, GOES_ON] });
    await session.continue();
    expect(logged(session).at(-1)).toContain('Continue');
  });

  it('what an operator gives back waits until it has gone on', async () => {
    const session = await following(HALTED, { recall: { automatic: 'off' } });
    await session.prepare();
    const { text } = await session.operator.giveBack({ handle: 'm1', maxTokens: 200 });
    expect((await session.prepare()).messages.at(-1)).toEqual(PAUSED);
    expect(await session.operator.givenBack()).toMatchObject([{ state: 'waiting' }]);
    await session.follow({ messages: [...HALTED, GOES_ON, asks('And now?')] });
    expect(JSON.stringify((await session.prepare()).messages.at(-1))).toContain(
      JSON.stringify(text).slice(1, -1),
    );
  });

  it('stays whole until it has gone on, and its call goes with its result then', async () => {
    const session = await following(HALTED);
    await session.operator.compact({ target: 0.1 });
    expect((await session.prepare()).messages.slice(-2)).toEqual([QUESTION, PAUSED]);
    const later = Array.from({ length: 8 }, (_, i) => [
      asks(prose(150, i)),
      answers(words(prose(150, 30 + i))),
    ]).flat();
    const whole = [...HALTED, GOES_ON, ...later, asks('And now?')];
    for (let length = HALTED.length + 1; length <= whole.length; length += 2) {
      await session.follow({ messages: whole.slice(0, length) });
      await session.operator.compact({ target: 0.9 - length / 100 }).catch(() => undefined);
      const sent = JSON.stringify((await session.prepare()).messages);
      expect(sent.includes('"tool_use_id":"srvtoolu_1"')).toBe(sent.includes('"id":"srvtoolu_1"'));
    }
  });

  it.each(['anthropic', 'langchain'])('in the %s format', async (format) => {
    const messages = HALTED.map(({ role, content }) =>
      format === 'anthropic' ? { role, content } : { type: role === 'user' ? 'human' : 'ai', content },
    );
    const session = (await engine(4_000, { compaction: { continue: 'on' } })).session({ format });
    await session.follow({ messages });
    expect(JSON.stringify((await sentFor(session)).at(-1))).toContain('srvtoolu_1');
  });
});
