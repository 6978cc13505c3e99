import Anthropic from '@anthropic-ai/sdk';
import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { simulateReadableStream, streamText, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import OpenAI from 'openai';
import { compactAiSdk, compactAnthropic, compactOpenAI } from '../../src/faces/adapters/index.js';
import { createSpillway } from '../../src/index.js';
import { startEmulator } from '../emulator/index.js';
import { aiSdk, claude } from './clients.js';
import { callId, legal, offersRecall, opened, recalls, says, talked, usage, WIRED } from './recall-talk.js';
import { place } from './sessions/stores.js';
import { engine, prose, logged } from './support.js';

describe.each(WIRED)('N15: recall that the drop-in offers and answers: $name', (wired) => {
  const { format, open } = wired;

  it('N15: the model recalls what had left, the client sees one answer, and the log has everything', async () => {
    const emulator = await startEmulator(says('Built.'));
    const { store, again } = await place('sqlite');
    const session = await (await engine(2_500, {}, { store, format })).open({ id: 'mill' });
    const rewound: unknown[] = [];
    session.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    const { ask, history } = open(emulator, session, { recall: true });
    await talked(ask, session);
    expect(emulator.received.at(-1)!.text).toContain('"recall"');
    const before = emulator.received.length;
    const spent = session.operator.costs.primary.calls;
    expect(emulator.received.at(-1)!.text).not.toContain('number 4711');
    emulator.script = [recalls({ query: 'key oak box' }), says('In the oak box.')];
    const answer = await ask('Where is the key?');
    expect(answer).toMatchObject({ text: 'In the oak box.', tools: [], finish: 'stop', input: 220 });
    expect(emulator.received.length - before).toBe(2);
    expect(emulator.received.at(-1)!.text).toContain('number 4711');
    expect(JSON.stringify(history)).not.toContain('recall');
    expect(session.operator.costs.primary.calls - spent).toBe(2);
    const own = logged(session).filter(({ unknownToClient }) => unknownToClient);
    expect(own.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    // The client's history still matches: here, and in a process that opens the session again.
    await ask('Thanks. Go on.');
    const later = await (await engine(2_500, {}, { store: await again(), format })).open({ id: 'mill' });
    const next = open(emulator, later, { recall: true }, history);
    later.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    for (let turn = 0; turn < 3; turn++) await next.ask(`Then ${turn}: ${prose(600, 50 + turn)}`);
    const last = await (await engine(2_500, {}, { store: await again(), format })).open({ id: 'mill' });
    last.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    await open(emulator, last, { recall: true }, history).ask('And the roof?');
    expect(rewound).toEqual([]);
    expect((await last.load()).log.length).toBe(history.length - 1 + 2);
    legal(emulator);
  });

  it('N15: two concurrent requests of one conversation each get their own answer', async () => {
    const { emulator, session, ask, history } = await opened(wired);
    await talked(ask, session);
    const other = open(emulator, session, { recall: true }, structuredClone(history));
    const found = recalls({ query: 'key oak box' });
    emulator.script = [found, says('In the oak box.'), says('It turns.')];
    const [key, wheel] = await Promise.all([ask('Where is the key?'), other.ask('Does the wheel turn?')]);
    expect([key.text, wheel.text]).toEqual(['In the oak box.', 'It turns.']);
    expect(emulator.received.at(-1)!.text).not.toContain('Where is the key?');
    legal(emulator);
  });

  it('N15: a recall next to a call of the client is answered, and the client sees only its own call', async () => {
    // Automatic recall would hide it if the result of the tool were removed unread.
    const quiet = { recall: { automatic: 'off' } } as const;
    const { emulator, session, rewound, ask } = await opened(wired, true, quiet);
    await talked(ask, session);
    const look = { id: callId(), name: 'look', arguments: { at: 'the box' } };
    emulator.script = [recalls({ query: 'key oak box' }, { toolCalls: [look] }), says('Found.')];
    const found = await ask('Find the key.');
    expect(found.tools).toEqual(['look']);
    // An agent of LangChain runs its own tool within the call.
    const last = format === 'langchain' ? found : await ask(`And? ${prose(400, 99)}`);
    expect(last).toMatchObject({ text: 'Found.', tools: format === 'langchain' ? ['look'] : [] });
    const sent = emulator.received.at(-1)!.text;
    expect([sent.includes('number 4711'), sent.includes('Seen.')]).toEqual([true, true]);
    expect(rewound).toEqual([]);
    legal(emulator);
  });

  it('N15: a model that recalls in a loop reads that a recall was its last, and is then stopped', async () => {
    const { emulator, session, ask } = await opened(wired, 2);
    await talked(ask, session);
    const before = emulator.received.length;
    emulator.otherwise = ({ body }) =>
      offersRecall(body) ? recalls({ query: 'key oak box' }) : says('I give up.');
    expect(await ask('Where is the key?')).toMatchObject({ text: 'I give up.', tools: [], finish: 'stop' });
    expect(emulator.received.length - before).toBe(3);
    expect(emulator.received.at(-1)!.text).toContain('This was the last recall');
    // A model that recalls although it was offered no recall is stopped as well.
    emulator.otherwise = () => recalls({ query: 'key oak box' });
    expect(await ask('And now?')).toMatchObject({ tools: [], finish: 'stop' });
    expect(emulator.received.length - before).toBe(6);
    emulator.otherwise = says('Built.');
    expect(await ask('Go on.')).toMatchObject({ text: 'Built.' });
    legal(emulator);
  });

  it('N15: no recall is offered if it is switched off', async () => {
    const { emulator, ask } = await opened(wired, false);
    await ask('Build a mill.');
    expect(emulator.received.at(-1)!.text).not.toContain('"recall"');
  });
});

it.each(WIRED)('N15: text before a recall and text after it become one answer: $name', async (wired) => {
  const { emulator, session, rewound, ask } = await opened(wired);
  await talked(ask, session);
  emulator.script = [
    recalls({ query: 'key' }, { text: 'Let me look. ', reasoning: 'Hm, the key.' }),
    recalls({ query: 'oak box' }, { reasoning: 'Not yet.' }),
    { text: 'In the oak box.', reasoning: 'There.', usage },
  ];
  expect(await ask('Where is the key?')).toMatchObject({
    text: 'Let me look. In the oak box.',
    tools: [],
  });
  await ask('Thanks.');
  expect(rewound).toEqual([]);
  legal(emulator);
});

const countOf = (text: string, word: string): number => text.split(word).length - 1;

describe.each(WIRED)('N15: the request after a recall: $name', (wired) => {
  const { name } = wired;

  it('N15: contains each answer that it continues, in order, and later requests contain them once', async () => {
    const { emulator, session, ask } = await opened(wired);
    await talked(ask, session);
    emulator.script = [
      recalls({ query: 'key' }, { text: 'First ALPHA.', reasoning: 'Hm.' }),
      recalls({ query: 'oak box' }, { text: 'Then BETA.' }),
      says('Done.'),
    ];
    await ask('Where is the key?');
    const [second, third] = emulator.received.slice(-2).map(({ text }) => text);
    expect([second!, third!].map((text) => countOf(text, 'First ALPHA.'))).toEqual([1, 1]);
    const said = [
      third!.lastIndexOf('First ALPHA.'),
      // The recalled passages may have been condensed meanwhile.
      third!.indexOf('Read back from this session'),
      third!.lastIndexOf('Then BETA.'),
    ];
    expect(said).not.toContain(-1);
    expect(said).toEqual([...said].sort((a, b) => a - b));
    await ask('Thanks.');
    const { text } = emulator.received.at(-1)!;
    expect(['First ALPHA.', 'Then BETA.'].map((word) => countOf(text, word))).toEqual([1, 1]);
    legal(emulator);
  });

  it('N15: is not sent if the client’s output limit cut the answer within the recall', async () => {
    // LangChain joins the pieces itself, and does not report that some are missing.
    if (name === 'langchain, streamed') return;
    const { emulator, session, ask, history } = await opened(wired);
    await talked(ask, session);
    const before = emulator.received.length;
    const cut = { id: callId(), name: 'recall', arguments: name.startsWith('anthropic') ? {} : '{"que' };
    emulator.script = [{ text: 'Well.', toolCalls: [cut], finish: 'length', usage }];
    const answer = await ask('Where is the key?');
    expect(answer).toMatchObject({ text: 'Well.', tools: [] });
    expect(answer.finish).not.toMatch(/stop|tool/);
    expect(emulator.received.length - before).toBe(1);
    expect(JSON.stringify(history)).not.toContain('recall');
    await ask('Go on.');
    expect(emulator.received.at(-1)!.text.includes(cut.id)).toBe(false);
    legal(emulator);
  });
});

describe('N15: a tool that the provider ran next to a recall', () => {
  it('N15: is in the request after the recall with its result, for Anthropic’s Messages API', async () => {
    const emulator = await startEmulator();
    const content = [
      { type: 'text', text: 'Searching.' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'mills' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: [{ type: 'web_search_result', url: 'https://e.x', title: 'Mills', encrypted_content: 'E' }],
      },
      { type: 'tool_use', id: 'toolu_1', name: 'recall', input: { query: 'mill' } },
    ];
    emulator.script = [
      {
        status: 200,
        body: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          stop_reason: 'tool_use',
          content,
          usage: { input_tokens: 5, output_tokens: 5 },
        },
      },
    ];
    emulator.otherwise = says('Done.');
    const session = (await engine(2_500, {}, { format: 'anthropic' })).session();
    const plain = new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });
    await compactAnthropic(plain, session, { recall: true }).messages.create({
      model: 'm',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Build a mill.' }],
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    });
    const [, asked] = emulator.received[1]!.body.messages as readonly { readonly content: unknown }[];
    expect(asked!.content).toEqual(content);
  });

  it('N15: is in the request after the recall with its result, for OpenAI’s Responses API', async () => {
    const emulator = await startEmulator();
    const output = [
      { type: 'reasoning', id: 'rs_x', summary: [] },
      {
        type: 'mcp_call',
        id: 'mcp_1',
        name: 'create_issue',
        server_label: 'gh',
        arguments: '{}',
        output: 'Issue 7.',
        error: null,
      },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_r1',
        name: 'recall',
        arguments: '{"query":"mill"}',
        status: 'completed',
      },
    ];
    const response = {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'm',
      output,
      usage: null,
    };
    emulator.script = [{ status: 200, body: response }];
    emulator.otherwise = says('Done.');
    const session = (await engine(2_500, {}, { format: 'openai-responses' })).session();
    const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
    const { output: shown } = await compactOpenAI(
      plain,
      { responses: session },
      { recall: true },
    ).responses.create({ model: 'm', store: false, input: 'Build a mill.' });
    expect((emulator.received[1]!.body.input as readonly unknown[]).slice(1, 4)).toEqual(output);
    expect(shown.slice(0, 2)).toEqual(output.slice(0, 2));
  });

  it('N15: is in the request after the recall with its result, for the AI SDK', async () => {
    const session = (await engine(2_500, {}, { format: 'ai-sdk' })).session();
    const asked: LanguageModelV3CallOptions[] = [];
    const parts: readonly LanguageModelV3StreamPart[] = [
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Searching.' },
      { type: 'text-end', id: '0' },
      {
        type: 'tool-call',
        toolCallId: 's1',
        toolName: 'search',
        input: '{"q":"mills"}',
        providerExecuted: true,
      },
      { type: 'tool-result', toolCallId: 's1', toolName: 'search', result: { found: 'Mills' } },
      { type: 'tool-call', toolCallId: 'r1', toolName: 'recall', input: '{"query":"mill"}' },
    ];
    const tokens = { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0, text: 5, reasoning: 0 };
    const model = wrapLanguageModel({
      model: new MockLanguageModelV3({
        doStream: async (call) => {
          asked.push(call);
          const isFirst = asked.length === 1;
          const said = isFirst ? parts : parts.slice(0, 3);
          const unified = isFirst ? 'tool-calls' : 'stop';
          const usage = { inputTokens: tokens, outputTokens: tokens };
          const finish = { type: 'finish' as const, finishReason: { unified, raw: unified } as const, usage };
          return { stream: simulateReadableStream({ chunks: [...said, finish] }) };
        },
      }),
      middleware: compactAiSdk(session, { recall: true }),
    });
    const { text } = streamText({ model, prompt: 'Build a mill.' });
    await text;
    expect(asked).toHaveLength(2);
    expect(asked[1]!.prompt[1]).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'text', text: 'Searching.' },
        { type: 'tool-call', toolCallId: 's1', providerExecuted: true },
        { type: 'tool-result', toolCallId: 's1', output: { type: 'json', value: { found: 'Mills' } } },
        { type: 'tool-call', toolCallId: 'r1' },
      ],
    });
  });
});

it.each([claude(false), aiSdk('chat', false)])(
  'N15: the request after a recall reserves as much room for the answer: $name',
  async ({ format, open }) => {
    const emulator = await startEmulator();
    const settings = { window: 4_000, reserve: { output: 50 } };
    const session = (await createSpillway({ settings, format })).session();
    const reserves: number[] = [];
    emulator.otherwise = () => {
      reserves.push(session.reading.budget.reserve.output);
      return reserves.length === 1 ? recalls({ query: 'oak' }) : says('Built.');
    };
    await open(emulator, session, { recall: true }).ask('Build a mill.');
    expect(reserves).toEqual([100, 100]);
  },
);
