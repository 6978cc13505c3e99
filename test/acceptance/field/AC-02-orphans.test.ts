import { replaySession } from '../../../src/index.js';
import { validateOpenAiChat } from '../../../src/testkit/index.js';
import { callOf, prose, read, resultOf, says, sessionOf, talk, user, times, type Chat } from '../support.js';

interface Kept {
  readonly legal: boolean;
  readonly notices: readonly string[];
  readonly messages: readonly Chat[];
}

async function sent(chat: readonly Chat[], budget = 100_000): Promise<Kept> {
  const { messages, notices } = await (await sessionOf(budget, chat)).prepare();
  return {
    legal: validateOpenAiChat(messages).length === 0,
    notices: notices.map(({ kind }) => kind),
    messages: messages as Chat[],
  };
}

/** Parallel calls whose results come in another order, a user message between them, text next to the calls. */
const parallel = (i: number): Chat[] => [
  callOf(
    ['x', 'y', 'z'].map((name) => [`${name}${i}`, 'Read', { path: `src/${name}${i}.ts` }] as const),
    `Reading three, round ${i}.`,
  ),
  resultOf(`z${i}`, prose(200, 3 * i)),
  user(`By the way ${i}.`),
  resultOf(`x${i}`, prose(200, 3 * i + 1)),
  resultOf(`y${i}`, prose(200, 3 * i + 2)),
];

describe('AC-02: orphaned call or result, HTTP 400', () => {
  it('puts every result directly after its calls if results come out of order with a user message between them', async () => {
    const { legal, messages, notices } = await sent([
      user('Go.'),
      ...parallel(0),
      says('Done.'),
      user('And?'),
    ]);
    expect(legal).toBe(true);
    expect(messages.map(({ role, tool_call_id: id }) => id ?? role)).toEqual([
      'user',
      'assistant',
      'z0',
      'x0',
      'y0',
      'user',
      'assistant',
      'user',
    ]);
    expect(notices).toEqual(['displaced-result', 'displaced-result']);
  });

  it('answers a call whose result never came, and reports it as interrupted', async () => {
    const { legal, notices } = await sent([
      user('Go.'),
      callOf([
        ['a', 'Bash', {}],
        ['b', 'Bash', {}],
      ]),
      resultOf('b', 'ok'),
      says('Odd.'),
      user('And?'),
    ]);
    expect([legal, notices]).toEqual([true, ['interrupted-call']]);
  });

  it('sends a result without a call as text of the user', async () => {
    const { legal, notices, messages } = await sent([
      user('Go.'),
      resultOf('gone', 'forty-two'),
      says('I see.'),
      user('And?'),
    ]);
    expect([legal, notices]).toEqual([true, ['orphan-result']]);
    expect(messages[1]).toMatchObject({ role: 'user', content: expect.stringContaining('forty-two') });
  });

  it('sends a late result and a second result legally, and reports each', async () => {
    const late = await sent([
      user('Go.'),
      callOf([['a', 'Bash', {}]]),
      says('Too slow.'),
      resultOf('a', 'late'),
      user('And?'),
    ]);
    expect([late.legal, late.notices]).toEqual([true, ['interrupted-call', 'late-result']]);
    const twice = await sent([
      user('Go.'),
      callOf([['a', 'Bash', {}]]),
      resultOf('a', 'one'),
      resultOf('a', 'two'),
      says('Twice?'),
      user('And?'),
    ]);
    expect([twice.legal, twice.notices]).toEqual([true, ['duplicate-result']]);
    expect(JSON.stringify(twice.messages)).toContain('two');
  });

  it('keeps every request of a long session with mixed text and results legal, through many compactions', async () => {
    const chat: Chat[] = [user('Go.')];
    for (let i = 0; i < 30; i++) {
      chat.push(...parallel(i));
      if (i % 4 === 0) chat.push(says('Halfway.'), resultOf(`x${i}`, 'again'), ...talk(1, 100, i));
      if (i % 5 === 0) chat.push(resultOf(`lost${i}`, prose(50, i)));
      if (i % 7 === 0) chat.push(callOf([[`cut${i}`, 'Bash', { i }]], 'Trying.'));
    }
    chat.push(says('Done.'));
    const session = await sessionOf(4_000, []);
    let calls = 0;
    for await (const { prepared } of replaySession(session, read(chat))) {
      calls++;
      expect(validateOpenAiChat(prepared!.messages)).toEqual([]);
    }
    expect(calls).toBeGreaterThan(40);
    expect(session.operator.history.length).toBeGreaterThan(5);
  });

  it('keeps or removes a call and its result together in both modes of snip', async () => {
    const chat = [user('Go.'), ...times(20, (i) => parallel(i)), says('Done.'), user('And?')];
    for (const mode of ['stub', 'remove'] as const) {
      const session = await sessionOf(10_000, chat, { stages: { snip: { mode, protectTokens: 0 } } });
      const { messages, notices, run } = await session.prepare();
      expect(run.kind).toBe('committed');
      expect(validateOpenAiChat(messages)).toEqual([]);
      expect(notices.filter(({ kind }) => kind !== 'displaced-result')).toEqual([]);
    }
  });
});
