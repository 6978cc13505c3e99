import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { compactAiSdk, compactAnthropic, compactLangChain } from '../../../src/faces/adapters/index.js';
import type { ConfigSources, Session } from '../../../src/index.js';
import { validators } from '../../../src/testkit/index.js';
import { engine, prose, times } from '../support.js';

/* Claude pauses a turn (`pause_turn`): the client sends the unfinished answer back as it is, and Claude goes on from there. */

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

const OLD: Said[] = times(10, (i) => [
  asks(`Part ${i}? ${prose(200, i)}`),
  answers(words(`Part ${i}: ${prose(200, 50 + i)}`)),
]);
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

const logged = ({ log }: Session): string[] => times(log.length, (seq) => JSON.stringify(log.at(seq).parts));

describe('a turn that the provider paused', () => {
  it('is the end of the request even with compaction.continue on', async () => {
    const session = await following(HALTED, { compaction: { continue: 'on' } });
    expect((await sentFor(session)).slice(-2)).toEqual([QUESTION, PAUSED]);
    expect((await session.prepare()).messages.at(-1)).toEqual(PAUSED);
    expect(session.log.length).toBe(HALTED.length);
  });

  it('leads to no question to the host with compaction.continue ask', async () => {
    const session = await following(HALTED, { compaction: { continue: 'ask' } });
    expect((await session.prepare()).run.continue).toBeUndefined();
  });

  it('is the end of the request even if the host calls continue', async () => {
    const session = await following(HALTED);
    await session.continue();
    expect((await sentFor(session)).at(-1)).toEqual(PAUSED);
    await session.follow({ messages: [...HALTED, GOES_ON] });
    await session.continue();
    expect(logged(session).at(-1)).toContain('Continue');
  });

  it('makes a passage that an operator gives back wait until the turn has gone on', async () => {
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

  it('remains uncut until it has gone on, and then its call leaves together with its result', async () => {
    const session = await following(HALTED);
    await session.operator.compact({ target: 0.1 });
    expect((await session.prepare()).messages.slice(-2)).toEqual([QUESTION, PAUSED]);
    const later = times(8, (i) => [asks(prose(150, i)), answers(words(prose(150, 30 + i)))]);
    const whole = [...HALTED, GOES_ON, ...later, asks('And now?')];
    for (let length = HALTED.length + 1; length <= whole.length; length += 2) {
      await session.follow({ messages: whole.slice(0, length) });
      await session.operator.compact({ target: 0.9 - length / 100 }).catch(() => undefined);
      const sent = JSON.stringify((await session.prepare()).messages);
      expect(sent.includes('"tool_use_id":"srvtoolu_1"')).toBe(sent.includes('"id":"srvtoolu_1"'));
    }
  });

  it.each(['anthropic', 'langchain'])('is the end of the request in the %s format', async (format) => {
    const messages = HALTED.map(({ role, content }) =>
      format === 'anthropic' ? { role, content } : { type: role === 'user' ? 'human' : 'ai', content },
    );
    const session = (await engine(4_000, { compaction: { continue: 'on' } })).session({ format });
    await session.follow({ messages });
    expect(JSON.stringify((await sentFor(session)).at(-1))).toContain('srvtoolu_1');
  });

  it('gets no recall tool, whose result would come between its call and its result', async () => {
    const spillway = await engine(4_000);
    const bodies: { readonly tools?: unknown; readonly messages?: unknown; readonly prompt?: unknown }[] = [];
    const answer = (body: (typeof bodies)[number]) => (bodies.push(body), Promise.resolve({ content: [] }));
    const client = compactAnthropic({ messages: { create: answer } }, spillway, { recall: true });
    const { wrapGenerate } = compactAiSdk(spillway, { recall: true });
    const { wrapModelCall } = compactLangChain(spillway, { recall: true });
    const call = sdkCall('s1', { providerExecuted: true });
    for (const isPaused of [false, true]) {
      const messages = [QUESTION, ...(isPaused ? [PAUSED] : [])];
      await client.messages.create({ messages } as never);
      const prompt = [
        { role: 'user', content: words7('Search.') },
        ...(isPaused ? [{ role: 'assistant', content: [call] }] : []),
      ];
      await wrapGenerate!({ model: { modelId: 'm', doGenerate: answer }, params: { prompt } } as never);
      const said = [new HumanMessage('Search.'), ...(isPaused ? [new AIMessage(PAUSED as never)] : [])];
      const request = { messages: said, tools: [], model: 'm', systemMessage: new SystemMessage('') };
      await wrapModelCall(request, answer);
    }
    const offers = bodies.map(({ tools }) => JSON.stringify(tools ?? []).includes('"recall"'));
    expect(offers).toEqual(Array.from({ length: 6 }, (_, at) => at < 3));
  });
});

/* A program that runs at the provider calls the client's tools, step by step: it waits for each, and its own result comes last. */

type Wire = Readonly<Record<string, unknown>>;

const INPUT = { path: 'src/mill.ts' };
const words7 = (value: string) => [{ type: 'text', text: value }];
const calling = (id: string, by: string): Block => ({
  type: 'tool_use',
  id,
  name: 'look',
  input: INPUT,
  caller: { type: 'code_execution_20260120', tool_id: by },
});
const runs = (id: string): Block => ({ type: 'server_tool_use', id, name: 'code_execution', input: {} });
const ended = (id: string): Block => ({ type: 'code_execution_tool_result', tool_use_id: id, content: {} });
const sdkCall = (id: string, more: Wire): Block => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'look',
  input: INPUT,
  ...more,
});
const sdkResult = (id: string, value: string): Block => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'look',
  output: { type: 'text', value },
});
const calledBy = (by: string): Wire => ({
  providerOptions: { anthropic: { caller: { type: 'code_execution_20260120', toolId: by } } },
});
const LOOK = { name: 'look', args: INPUT };

/** By format: what the user says, and what the model does in a turn: it runs a program of two steps, then answers. */
const PROGRAMS: Readonly<Record<string, (id: string, text: string) => Wire[]>> = {
  anthropic: (id, text) => [
    { role: 'user', content: text },
    { role: 'assistant', content: [words('I run it.'), runs(`s${id}`), calling(`c${id}`, `s${id}`)] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${id}`, content: text }] },
    { role: 'assistant', content: [calling(`d${id}`, `s${id}`)] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `d${id}`, content: text }] },
    { role: 'assistant', content: [ended(`s${id}`), words(text)] },
  ],
  langchain: (id, text) => [
    { type: 'human', content: text },
    {
      type: 'ai',
      content: [runs(`s${id}`), calling(`c${id}`, `s${id}`)],
      tool_calls: [{ ...LOOK, id: `c${id}` }],
    },
    { type: 'tool', tool_call_id: `c${id}`, content: text },
    { type: 'ai', content: [calling(`d${id}`, `s${id}`)], tool_calls: [{ ...LOOK, id: `d${id}` }] },
    { type: 'tool', tool_call_id: `d${id}`, content: text },
    { type: 'ai', content: [ended(`s${id}`), words(text)] },
  ],
  'openai-responses': (id, text) => {
    const call = (one: string): Wire => ({
      type: 'function_call',
      call_id: one,
      name: 'look',
      arguments: '{}',
      caller: { type: 'program', caller_id: `s${id}` },
    });
    return [
      { role: 'user', content: text },
      { type: 'program', id: `pr${id}`, call_id: `s${id}`, code: 'look()', fingerprint: 'f' },
      call(`c${id}`),
      { type: 'function_call_output', call_id: `c${id}`, output: text },
      call(`d${id}`),
      { type: 'function_call_output', call_id: `d${id}`, output: text },
      { type: 'program_output', id: `po${id}`, call_id: `s${id}`, result: 'ok', status: 'completed' },
      { role: 'assistant', content: text },
    ];
  },
  'ai-sdk': (id, text) => [
    { role: 'user', content: words7(text) },
    {
      role: 'assistant',
      content: [sdkCall(`s${id}`, { providerExecuted: true }), sdkCall(`c${id}`, calledBy(`s${id}`))],
    },
    { role: 'tool', content: [sdkResult(`c${id}`, text)] },
    { role: 'assistant', content: [sdkCall(`d${id}`, calledBy(`s${id}`))] },
    { role: 'tool', content: [sdkResult(`d${id}`, text)] },
    { role: 'assistant', content: [sdkResult(`s${id}`, 'ok'), ...words7(text)] },
  ],
};

describe('calls that a program of the provider makes remain with it', () => {
  it.each(Object.keys(PROGRAMS))('in the %s format', async (format) => {
    const field = format === 'openai-responses' ? 'input' : 'messages';
    const session = (await engine(1_200)).session({ format });
    const history: Wire[] = [];
    let compactions = 0;
    for (let turn = 0; turn < 8; turn++)
      for (const item of PROGRAMS[format]!(String(turn), prose(60, turn))) {
        history.push(item);
        await session.follow({ [field]: history });
        const { messages, run } = await session.prepare();
        if (run.kind === 'committed') compactions++;
        expect(validators.get(format)!({ [field]: messages })).toEqual([]);
        const sent = JSON.stringify(messages);
        for (const [, by] of sent.matchAll(/"(?:tool_id|toolId|caller_id)":"(s\d+)"/g))
          expect(sent).toMatch(new RegExp(`"(?:id|toolCallId|call_id)":"${by}"`));
      }
    expect(compactions).toBeGreaterThan(1);
  });

  it('an approval that the provider asks for in the AI SDK remains with its call', async () => {
    const session = (await engine(900)).session({ format: 'ai-sdk' });
    const history: Wire[] = [];
    for (let turn = 0; turn < 8; turn++) {
      const [call, approvalId, text] = [`s${turn}`, `a${turn}`, prose(60, turn)];
      for (const item of [
        { role: 'user', content: words7(text) },
        {
          role: 'assistant',
          content: [
            sdkCall(call, { providerExecuted: true }),
            { type: 'tool-approval-request', approvalId, toolCallId: call },
          ],
        },
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved: true }] },
        { role: 'assistant', content: [sdkResult(call, text), ...words7(text)] },
      ]) {
        history.push(item);
        await session.follow({ messages: history });
        const { messages, notices } = await session.prepare();
        expect(validators.get('ai-sdk')!({ messages })).toEqual([]);
        expect(notices.map(({ kind }) => kind)).not.toContain('orphan-approval');
      }
    }
  });
});
