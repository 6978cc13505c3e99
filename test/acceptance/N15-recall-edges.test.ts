import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, Output, streamText, tool, wrapLanguageModel, type ToolSet } from 'ai';
import {
  createAgent,
  createMiddleware,
  providerStrategy,
  tool as langchainTool,
  toolStrategy,
} from 'langchain';
import OpenAI from 'openai';
import { z } from 'zod';
import {
  compactAiSdk,
  compactAnthropic,
  compactLangChain,
  compactOpenAI,
} from '../../src/faces/adapters/index.js';
import { openStore, type Session } from '../../src/index.js';
import { startEmulator, type Act, type Emulator } from '../emulator/index.js';
import { chat, claude, responses, type Ask } from './clients.js';
import { callId, legal, offersRecall, opened, recalls, says, talked, usage, WIRED } from './recall-talk.js';
import { engine, prose, times } from './support.js';

const look = () => ({ id: callId(), name: 'look', arguments: { at: 'the box' } });

/** How an answer ended for its client. */
const endOf = (asked: ReturnType<Ask>): Promise<unknown> =>
  asked.then(
    ({ finish }) => finish,
    () => 'failed',
  );

describe.each(WIRED)('N15: edges of recall: $name', (wired) => {
  const isStream = wired.name.includes('streamed');
  const isLangChain = wired.format === 'langchain';
  // The other clients do not include reasoning in their answers.
  const tellsThoughts = /anthropic|responses|compatible/.test(wired.name);

  it('N15: reasoning before a recall and a call of the client is kept, and no item is sent twice', async () => {
    const { emulator, session, rewound, ask, history } = await opened(wired);
    await talked(ask, session);
    const reasoning = 'Hm, the key.';
    emulator.script = [recalls({ query: 'key oak box' }, { reasoning, toolCalls: [look()] }), says('Found.')];
    const found = await ask('Find the key.');
    expect(found.tools).toEqual(['look']);
    if (tellsThoughts) expect(JSON.stringify(history)).toContain(reasoning);
    if (!isLangChain) await ask('And?');
    await ask('Go on.');
    expect(rewound).toEqual([]);
    legal(emulator);
    for (const { body } of emulator.received) {
      const ids = JSON.stringify(body).match(/"rs_\d+"/g) ?? [];
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('N15: two recalls in one answer are both answered', async () => {
    const { emulator, session, rewound, ask } = await opened(wired);
    await talked(ask, session);
    const second = { id: callId(), name: 'recall', arguments: { query: 'mill' } };
    emulator.script = [recalls({ query: 'key oak box' }, { toolCalls: [second] }), says('In the oak box.')];
    expect(await ask('Where is the key?')).toMatchObject({ text: 'In the oak box.', tools: [] });
    expect(emulator.received.at(-1)!.text).toContain('number 4711');
    await ask('Thanks.');
    expect(rewound).toEqual([]);
    legal(emulator);
  });

  it('N15: a recall with arguments that cannot be read is answered with the reason', async () => {
    const { emulator, session, ask } = await opened(wired);
    await talked(ask, session);
    // Unstreamed answers of Anthropic contain arguments as an object, which cannot be broken.
    emulator.script = [recalls('key oak box'), says('I see.')];
    expect(await ask('Where is the key?')).toMatchObject({ text: 'I see.', tools: [] });
    expect(emulator.received.at(-1)!.text).toContain('Nothing was recalled');
    await ask('Thanks.');
    legal(emulator);
  });

  it.each<[string, Act]>([
    ['its connection is lost', 'cut'],
    ['its stream ends in an error', 'stream-error'],
    ['the server has failed', 'server-error'],
    // LangChain accepts both.
    ...(isStream && !isLangChain
      ? [['its stream just ends', { text: 'In the oak box.', breaksOff: true }] as [string, Act]]
      : []),
  ])(
    'N15: the request after a recall does not end as complete when %s, and the next call works',
    async (_, act) => {
      const { emulator, session, ask } = await opened(wired);
      await talked(ask, session);
      // How the client ends the same fault without a recall.
      emulator.script = [act];
      const plain = await endOf(ask('Where is the key?'));
      emulator.script = [recalls({ query: 'key oak box' }, { text: 'Let me look. ' }), act];
      const before = emulator.received.length;
      const found = await endOf(ask('Where is the key?'));
      // The AI SDK ends a stream that already has text with an error, and otherwise fails without an answer.
      const hasSpoken = wired.format === 'ai-sdk' && isStream && found === 'error';
      expect(found).toBe(hasSpoken ? 'error' : plain);
      expect(found).not.toBe('stop');
      expect(emulator.received.length - before).toBe(2);
      expect(await ask('Go on.')).toMatchObject({ text: 'Built.' });
      legal(emulator);
    },
  );

  it('N15: an answer that breaks off within a recall causes no further request', async () => {
    // LangChain joins the pieces itself, and does not report that some are missing.
    if (!isStream || isLangChain) return;
    const { emulator, session, ask } = await opened(wired);
    await talked(ask, session);
    const before = emulator.received.length;
    emulator.script = [recalls({ query: 'key oak box' }, { text: 'Let me look. ', breaksOff: true })];
    expect(await endOf(ask('Where is the key?'))).not.toBe('tool_calls');
    expect(emulator.received.length - before).toBe(1);
    expect(await ask('Go on.')).toMatchObject({ text: 'Built.' });
    legal(emulator);
  });

  it('N15: a client that aborts during the request after a recall ends that request, and the next call works', async () => {
    const { emulator, session, ask } = await opened(wired);
    await talked(ask, session);
    const given = new AbortController();
    let further: ((value?: unknown) => void) | undefined;
    const reached = new Promise((resolve) => (further = resolve));
    emulator.script = [recalls({ query: 'key oak box' })];
    emulator.otherwise = () => {
      further!();
      return isStream ? 'stall' : 'never';
    };
    const asked = endOf(ask('Where is the key?', { signal: given.signal }));
    await reached;
    given.abort();
    expect(await asked).not.toBe('stop');
    emulator.otherwise = says('Built.');
    expect(await ask('Go on.')).toMatchObject({ text: 'Built.' });
    legal(emulator);
  });

  it('N15: recalled passages leave the view again through later compactions', async () => {
    const { emulator, session, rewound, ask } = await opened(wired);
    await talked(ask, session);
    emulator.script = [recalls({ query: 'key oak box' }), says('In the oak box.')];
    await ask('Where is the key?');
    expect(emulator.received.at(-1)!.text).toContain('number 4711');
    for (let turn = 0; turn < 6; turn++) await ask(`Then ${turn}: ${prose(600, 50 + turn)}`);
    expect(session.view.some(({ message }) => message.unknownToClient)).toBe(false);
    expect(rewound).toEqual([]);
    legal(emulator);
  });
});

describe('N15: a model that must call a tool', () => {
  const tools = [{ type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } }];

  it('N15: must call a tool of the client after its recalls, with the client’s `tool_choice`', async () => {
    const emulator = await startEmulator(({ body }) =>
      offersRecall(body) ? recalls({ query: 'mill' }) : { toolCalls: [look()], usage },
    );
    const session = (await engine(2_500, {}, { format: 'openai-chat' })).session();
    const client = compactOpenAI(
      new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }),
      { chat: session },
      { recall: 2 },
    );
    const { choices } = await client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Build a mill.' }],
      tools,
      tool_choice: 'required',
    });
    expect(choices[0]!.message.tool_calls).toHaveLength(1);
    expect(choices[0]!.finish_reason).toBe('tool_calls');
    expect(emulator.received.map(({ body }) => [offersRecall(body), body.tool_choice])).toEqual([
      [true, 'required'],
      [true, 'required'],
      [false, 'required'],
    ]);
    legal(emulator);
  });

  it('N15: may call no tool after its recalls if the client has none', async () => {
    const emulator = await startEmulator(({ body }) =>
      offersRecall(body) ? recalls({ query: 'mill' }) : says('Built.'),
    );
    const session = (await engine(2_500, {}, { format: 'anthropic' })).session();
    const client = compactAnthropic(
      new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 }),
      session,
      { recall: 1 },
    );
    const { content } = await client.messages.create({
      model: 'm',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Build a mill.' }],
    });
    expect(content).toMatchObject([{ type: 'text', text: 'Built.' }]);
    expect(emulator.received.map(({ body }) => body.tool_choice)).toEqual([undefined, { type: 'none' }]);
    legal(emulator);
  });
});

describe('N15: recall is not offered', () => {
  const of = async (format: string) => {
    const emulator = await startEmulator(says('Built.'));
    const session = (await engine(2_500, {}, { format })).session();
    const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
    const sessions = format === 'openai-chat' ? { chat: session } : { responses: session };
    return { emulator, client: compactOpenAI(plain, sessions, { recall: true }) };
  };
  const messages = [{ role: 'user' as const, content: 'Build a mill.' }];

  it.each<[string, object]>([
    ['a function of that name', { tools: [{ type: 'function', function: { name: 'recall' } }] }],
    ['a custom tool of that name', { tools: [{ type: 'custom', custom: { name: 'recall' } }] }],
    ['functions of old', { functions: [{ name: 'look', parameters: {} }] }],
    ['no tool to be called', { tool_choice: 'none' }],
    ['several answers', { n: 2 }],
  ])('N15: in a chat with %s', async (_, more) => {
    const { emulator, client } = await of('openai-chat');
    await client.chat.completions.create({ model: 'm', messages, ...more });
    const tools = emulator.received[0]!.body.tools ?? [];
    expect(tools).toEqual((more as { tools?: unknown }).tools ?? []);
  });

  it.each<[string, object]>([
    [
      'a function of that name',
      { tools: [{ type: 'function', name: 'recall', parameters: null, strict: false }] },
    ],
    ['a custom tool of that name', { tools: [{ type: 'custom', name: 'recall' }] }],
    ['a history that the provider keeps', { previous_response_id: 'resp_1' }],
  ])('N15: in responses with %s', async (_, more) => {
    const { emulator, client } = await of('openai-responses');
    await client.responses.create({ model: 'm', store: false, input: messages, ...more });
    const tools = emulator.received[0]!.body.tools ?? [];
    expect(tools).toEqual((more as { tools?: unknown }).tools ?? []);
  });
});

describe('N15: an item next to a recall', () => {
  const recall = () => ({
    type: 'function_call',
    id: `fc_${callId()}`,
    call_id: callId(),
    name: 'recall',
    arguments: '{"query":"mill"}',
    status: 'completed',
  });
  const item = (type: string, more: object = {}) => ({
    type,
    id: `i_${callId()}`,
    call_id: callId(),
    ...more,
  });
  const answer = (output: readonly object[]): Act => ({
    status: 200,
    body: { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output, usage: null },
  });

  it.each<[string, readonly object[], number]>([
    ['a custom tool', [item('custom_tool_call', { name: 'patch', input: '*** Begin' })], 1],
    ['a patch', [item('apply_patch_call', { operation: {}, status: 'completed' })], 1],
    ['an approval', [{ type: 'mcp_approval_request', id: 'mcpr_1', name: 'x', arguments: '{}' }], 1],
    ['a search of the web', [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }], 2],
    [
      'a shell that the provider ran',
      [
        { type: 'shell_call', id: 'sh_1', call_id: 'sh', action: {}, status: 'completed' },
        { type: 'shell_call_output', id: 'sho_1', call_id: 'sh', output: [] },
      ],
      2,
    ],
  ])(
    'N15: %s reaches the client, and ends the answer if the client has to act on it',
    async (_, items, requests) => {
      const emulator = await startEmulator();
      emulator.script = [answer([...items, recall()])];
      emulator.otherwise = says('Built.');
      const session = (await engine(2_500, {}, { format: 'openai-responses' })).session();
      const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
      const client = compactOpenAI(plain, { responses: session }, { recall: true });
      const { output, output_text: words } = await client.responses.create({
        model: 'm',
        store: false,
        input: 'Build a mill.',
      });
      expect(emulator.received).toHaveLength(requests);
      expect(output.slice(0, items.length)).toEqual(items);
      expect([output.length, words]).toEqual(
        requests === 1 ? [items.length, ''] : [items.length + 1, 'Built.'],
      );
    },
  );
});

it.each([undefined, true])(
  'N15: recall is offered only after a compaction if the provider may keep the history (store: %s)',
  async (store) => {
    const emulator = await startEmulator(says('Built.'));
    const session = (await engine(2_500, {}, { format: 'openai-responses' })).session();
    const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
    const client = compactOpenAI(plain, { responses: session }, { recall: true });
    const input: OpenAI.Responses.ResponseInputItem[] = [];
    const ask = async (words: string) => {
      input.push({ role: 'user', content: words });
      const { output } = await client.responses.create({ model: 'm', input, ...(store && { store }) });
      input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
      return offersRecall(emulator.received.at(-1)!.body);
    };
    expect(await ask('Build a mill.')).toBe(false);
    const offered: boolean[] = [];
    for (let turn = 0; turn < 8; turn++) offered.push(await ask(`Question ${turn}: ${prose(400, turn)}`));
    expect(session.operator.history.length).toBeGreaterThan(0);
    expect(offered.at(-1)).toBe(true);
    emulator.script = [recalls({ query: 'mill' }), says('So.')];
    await ask('What is it?');
    expect(JSON.stringify(input)).not.toContain('recall');
    legal(emulator);
  },
);

it('N15: a model that recalls without end is stopped after 100 recalls, even if the host sets no limit', async () => {
  const emulator = await startEmulator(({ body }) =>
    offersRecall(body) ? recalls({ query: 'mill' }) : says('Built.'),
  );
  const session = (await engine(20_000, {}, { format: 'openai-chat' })).session();
  const { ask } = chat(false).open(emulator, session, { recall: Infinity });
  expect(await ask('Build a mill.')).toMatchObject({ text: 'Built.' });
  expect(emulator.received).toHaveLength(101);
});

it.each([{ previousResponseId: 'resp_1' }, { conversation: 'conv_1' }, {}])(
  'N15: recall is offered through the AI SDK only if the client sends its history itself: %j',
  async (kept) => {
    const emulator = await startEmulator();
    const session = (await engine(2_500, {}, { format: 'ai-sdk' })).session();
    const model = wrapLanguageModel({
      model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).responses('m'),
      middleware: compactAiSdk(session, { recall: true }),
    });
    await generateText({ model, prompt: 'How high?', providerOptions: { openai: kept } });
    expect(JSON.stringify(emulator.received[0]!.body).includes('"recall"')).toBe(
      Object.keys(kept).length === 0,
    );
  },
);

it.each([{ previous_response_id: 'resp_1' }, {}])(
  'N15: recall is offered through LangChain only if the client sends its history itself: %j',
  async (kept) => {
    const emulator = await startEmulator();
    const session = (await engine(2_500, {}, { format: 'langchain' })).session();
    const configuration = { baseURL: emulator.url };
    const model = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'k', useResponsesApi: true, configuration });
    const keeps = createMiddleware({
      name: 'keeps',
      wrapModelCall: (request, handler) => handler({ ...request, modelSettings: kept }),
    });
    const middleware = [keeps, createMiddleware(compactLangChain(session, { recall: true }))];
    await createAgent({ model, tools: [], middleware }).invoke({
      messages: [new HumanMessage('How high?')],
    });
    const { body } = emulator.received[0]!;
    expect(body).toMatchObject(kept);
    expect(JSON.stringify(body).includes('"recall"')).toBe(Object.keys(kept).length === 0);
  },
);

describe('N15: answers of the AI SDK', () => {
  const opened = async (script: readonly Act[]) => {
    const emulator = await startEmulator();
    emulator.script = [...script];
    const session = (await engine(2_500, {}, { format: 'ai-sdk' })).session();
    const provider = createOpenAI({ baseURL: emulator.url, apiKey: 'k' });
    return wrapLanguageModel({
      model: provider.chat('m'),
      middleware: compactAiSdk(session, { recall: true }),
    });
  };
  const words = [recalls({ query: 'mill' }, { text: 'Let me check.' }), says('It is 417 cm.')];

  it('N15: keep the texts before and after a recall apart, streamed or not', async () => {
    const text = 'Let me check.\n\nIt is 417 cm.';
    expect(await streamText({ model: await opened(words), prompt: 'How high?' }).text).toBe(text);
    expect((await generateText({ model: await opened(words), prompt: 'How high?' })).text).toBe(text);
  });

  it.each([false, true])(
    'N15: continue from sealed reasoning that has no text (streamed: %s)',
    async (stream) => {
      const session = (await engine(2_500, {}, { format: 'ai-sdk' })).session();
      const finish = { usage: {}, finishReason: { unified: 'stop' } };
      const sealed = { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'sealed' } };
      const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'recall', input: '{"query":"mill"}' };
      const asked = { ...call, providerMetadata: { openai: { itemId: 'fc_1' } } };
      const answers = [
        [{ type: 'reasoning', text: '', providerMetadata: sealed }, asked],
        [{ type: 'text', text: 'Hm.' }],
      ];
      const events = [
        [
          { type: 'reasoning-start', id: 'rs_1:0', providerMetadata: sealed },
          { type: 'reasoning-end', id: 'rs_1:0', providerMetadata: sealed },
          asked,
        ],
        [],
      ];
      const prompts: unknown[] = [];
      const next = (list: unknown[][], { prompt }: { readonly prompt: unknown }): unknown[] => {
        prompts.push(prompt);
        return list[prompts.length - 1]!;
      };
      const model = {
        modelId: 'gpt-5',
        doGenerate: (params: never) => Promise.resolve({ ...finish, content: next(answers, params) }),
        doStream: (params: never) =>
          Promise.resolve({
            stream: ReadableStream.from([...next(events, params), { type: 'finish', ...finish }]),
          }),
      };
      const { wrapGenerate, wrapStream } = compactAiSdk(session, { recall: true });
      const params = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'How high?' }] }] };
      const wrap = (stream ? wrapStream : wrapGenerate) as unknown as (
        of: object,
      ) => Promise<{ readonly stream: AsyncIterable<unknown> }>;
      const answer = await wrap({ model, params });
      if (stream) for await (const event of answer.stream) void event;
      expect(JSON.stringify(prompts[1])).toMatch(/"rs_1".*"fc_1".*"tool-result"/);
    },
  );

  it('N15: are offered no recall if a structured output is asked for', async () => {
    const emulator = await startEmulator(says('{"h":417}'));
    const session = (await engine(2_500, {}, { format: 'ai-sdk' })).session();
    const provider = createOpenAI({ baseURL: emulator.url, apiKey: 'k' });
    const model = wrapLanguageModel({
      model: provider.chat('m'),
      middleware: compactAiSdk(session, { recall: true }),
    });
    const tools = { look: tool({ inputSchema: z.object({ at: z.string() }) }) } as unknown as ToolSet;
    const output = Output.object({ schema: z.object({ h: z.number() }) });
    const { output: given } = await generateText({ model, prompt: 'How high?', tools, output });
    expect(given).toEqual({ h: 417 });
    expect(JSON.stringify(emulator.received[0]!.body.tools)).not.toContain('recall');
  });

  it('N15: report a refused request after a recall once, as any other error', async () => {
    const model = await opened([words[0]!, 'overloaded']);
    const heard: unknown[] = [];
    const onError = ({ error }: { error: unknown }): void => void heard.push(error);
    const { fullStream } = streamText({ model, prompt: 'How high?', maxRetries: 0, onError });
    const types: string[] = [];
    for await (const { type } of fullStream) types.push(type);
    expect(types.filter((type) => type === 'error')).toHaveLength(1);
    expect(heard).toHaveLength(1);
  });
});

it.each(['helper', 'signal'])(
  'N15: a client that aborts Anthropic’s stream helper after a recall gets an abort: by %s',
  async (how) => {
    const emulator = await startEmulator();
    let further: ((value?: unknown) => void) | undefined;
    const reached = new Promise((resolve) => (further = resolve));
    emulator.script = [recalls({ query: 'mill' })];
    emulator.otherwise = () => {
      further!();
      return 'stall';
    };
    const session = (await engine(2_500, {}, { format: 'anthropic' })).session();
    const plain = new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });
    const given = new AbortController();
    const stream = compactAnthropic(plain, session, { recall: true }).messages.stream(
      { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Build a mill.' }] },
      { signal: given.signal },
    );
    const events: string[] = [];
    stream.on('abort', () => events.push('abort')).on('error', () => events.push('error'));
    const spoken = new Promise((resolve) => stream.on('text', resolve));
    const ended = stream.finalMessage().catch((error: unknown) => error);
    await Promise.all([reached, spoken]);
    if (how === 'helper') stream.abort();
    else given.abort();
    expect(await ended).toBeInstanceOf(Anthropic.APIUserAbortError);
    expect([events, stream.aborted]).toEqual([['abort'], true]);
  },
);

describe('N15: streams of the clients', () => {
  it.each([true, false])(
    'N15: count usage once if every chunk contains it (recalled: %s)',
    async (recalled) => {
      const { emulator, session, ask } = await opened(chat(true));
      await talked(ask, session);
      const spoken: Act = { text: 'In the oak box, I think.', usage, usageInEach: true };
      emulator.script = recalled ? [recalls({ query: 'key' }, { usageInEach: true }), spoken] : [spoken];
      const { calls } = session.operator.costs.primary;
      expect(await ask('Where is the key?')).toMatchObject({ input: recalled ? 220 : 110 });
      expect(session.operator.costs.primary.calls - calls).toBe(recalled ? 2 : 1);
    },
  );

  it.each([chat(true), responses(true), claude(true)])(
    'N15: contain no recall in either copy of a split stream: $name',
    async ({ format }) => {
      const emulator = await startEmulator();
      emulator.script = [recalls({ query: 'mill' }), says('Q')];
      const session = (await engine(2_500, {}, { format })).session();
      const [one, other] = (await streamOf(format, emulator, session)).tee();
      for (const copy of [await textOf(one), await textOf(other)]) {
        expect(copy).not.toContain('recall');
        expect(copy).toContain('"Q"');
      }
      expect(emulator.received).toHaveLength(2);
    },
  );
});

type Teed = { tee(): [AsyncIterable<unknown>, AsyncIterable<unknown>] };

async function streamOf(format: string, emulator: Emulator, session: Session): Promise<Teed> {
  const options = { apiKey: 'k', maxRetries: 0 };
  const messages = [{ role: 'user' as const, content: 'Build a mill.' }];
  if (format === 'anthropic') {
    const client = compactAnthropic(new Anthropic({ baseURL: emulator.origin, ...options }), session, {
      recall: true,
    });
    return client.messages.create({ model: 'm', max_tokens: 100, messages, stream: true });
  }
  const plain = new OpenAI({ baseURL: emulator.url, ...options });
  const sessions = format === 'openai-chat' ? { chat: session } : { responses: session };
  const client = compactOpenAI(plain, sessions, { recall: true });
  return format === 'openai-chat'
    ? client.chat.completions.create({ model: 'm', messages, stream: true })
    : client.responses.create({ model: 'm', store: false, input: messages, stream: true });
}

async function textOf(events: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const event of events) text += JSON.stringify(event);
  return text;
}

it('N15: a stream ends in a retryable error if another process changes its session meanwhile', async () => {
  const emulator = await startEmulator();
  emulator.script = [recalls({ query: 'key' }, { text: 'Let me look. ' })];
  const store = await openStore('memory:');
  const open = async () => (await engine(3_000, {}, { store })).open({ id: 'mill' });
  const [one, other] = await Promise.all([open(), open()]);
  const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
  const client = compactOpenAI(plain, { chat: one }, { recall: true });
  const messages = [{ role: 'user' as const, content: 'Where is the key?' }];
  const stream = await client.chat.completions.create({ model: 'm', stream: true, messages });
  const events = stream[Symbol.asyncIterator]();
  const reading = async (): Promise<void> => {
    while (!(await events.next()).done)
      await other.follow({ messages: [{ role: 'user', content: 'A ship!' }] });
  };
  await expect(reading()).rejects.toMatchObject({ code: 'LEDGER_CONFLICT', retryable: true });
  await client.chat.completions.create({ model: 'm', messages });
  legal(emulator);
});

it.each(['v0', 'v1'] as const)(
  'N15: an agent of LangChain on OpenAI’s Responses API sends each item back once (%s)',
  async (outputVersion) => {
    const emulator = await startEmulator();
    const session = (await engine(2_500, {}, { format: 'langchain' })).session();
    const model = new ChatOpenAI({
      model: 'm',
      apiKey: 'k',
      maxRetries: 0,
      useResponsesApi: true,
      outputVersion,
      configuration: { baseURL: emulator.url },
    });
    const own = langchainTool(() => 'Seen.', { name: 'look', schema: z.object({ at: z.string() }) });
    const middleware = [createMiddleware(compactLangChain(session, { recall: true }))];
    const agent = createAgent({ model, tools: [own], middleware });
    let messages: BaseMessage[] = [];
    const ask = async (words: string): Promise<AIMessage> => {
      ({ messages } = await agent.invoke({ messages: [...messages, new HumanMessage(words)] }));
      return messages.at(-1) as AIMessage;
    };
    emulator.script = [
      recalls({ query: 'mill' }, { text: 'Let me look. ', reasoning: 'Hm.' }),
      recalls({ query: 'wall' }, { reasoning: 'So.', toolCalls: [look()] }),
      says('Found.'),
    ];
    emulator.otherwise = says('Built.');
    expect((await ask('Find the key.')).text).toBe('Found.');
    expect(messages.filter((message) => message instanceof ToolMessage).map(({ name }) => name)).toEqual([
      'look',
    ]);
    expect((await ask('Go on.')).text).toBe('Built.');
    for (const { body } of emulator.received) {
      const items = body.input as readonly {
        readonly id?: string;
        readonly call_id?: string;
        readonly type?: string;
      }[];
      const ids = items.flatMap(({ id }) => (id === undefined ? [] : [id]));
      expect(new Set(ids).size).toBe(ids.length);
      const calls = items.flatMap(({ type, call_id: id }) => (type === 'function_call' ? [id] : []));
      const outputs = items.flatMap(({ type, call_id: id }) => (type === 'function_call_output' ? [id] : []));
      expect(new Set(calls).size).toBe(calls.length);
      expect([...outputs].sort()).toEqual([...calls].sort());
    }
  },
);

it.each([7, undefined, null, '', ['a']])(
  'N15: a recall to which the server gives the id %j is answered after the text before it',
  async (id) => {
    const { emulator, session, ask } = await opened(chat(false));
    await talked(ask, session);
    const call = { id, type: 'function', function: { name: 'recall', arguments: '{"query":"key oak box"}' } };
    const message = { role: 'assistant', content: 'Let me look.', tool_calls: [call] };
    const answer = { choices: [{ index: 0, finish_reason: 'tool_calls', message }] };
    emulator.script = [{ status: 200, body: answer }, says('In the oak box.')];
    expect((await ask('Where is the key?')).text).toBe('Let me look.\n\nIn the oak box.');
    const further = emulator.received.at(-1)!.body.messages as readonly object[];
    expect(further.at(-2)).toMatchObject({ role: 'assistant', content: 'Let me look.' });
    expect(further.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('number 4711') });
    await ask('Thanks.');
    legal(emulator);
  },
);

describe('N15: an agent of LangChain with a structured answer', () => {
  const HIGH = z.object({ h: z.number() });
  const opened = async (recall: boolean | number, format: object, isBare: boolean) => {
    const emulator = await startEmulator();
    const session = (await engine(2_500, {}, { format: 'langchain' })).session();
    const configuration = { baseURL: emulator.url };
    const model = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'k', maxRetries: 0, configuration });
    const own = langchainTool(() => 'Seen.', { name: 'look', schema: z.object({ at: z.string() }) });
    const middleware = [createMiddleware(compactLangChain(session, { recall }))];
    const agent = createAgent({
      model,
      tools: isBare ? [] : [own],
      middleware,
      responseFormat: format as ReturnType<typeof providerStrategy>,
    });
    const ask = async (past: readonly BaseMessage[] = []) =>
      (await agent.invoke({ messages: [...past, new HumanMessage('How high is it?')] })) as unknown as {
        readonly structuredResponse?: unknown;
        readonly messages: BaseMessage[];
      };
    return { emulator, ask };
  };
  type Asked = Pick<Emulator['received'][number], 'body'>;
  const toolsOf = ({ body }: Asked): string[] =>
    ((body.tools ?? []) as readonly { readonly function: { readonly name: string } }[]).map(
      (one) => one.function.name,
    );
  const extracts = (request: Asked) => ({
    id: callId(),
    name: toolsOf(request).find((name) => name !== 'recall' && name !== 'look') ?? 'none',
    arguments: { h: 417 },
  });

  it.each([
    ['of the provider', providerStrategy(HIGH)],
    ['of a model that can', HIGH],
  ])('N15: %s: is offered no recall, and returns its answer', async (_, format) => {
    const { emulator, ask } = await opened(true, format, true);
    emulator.otherwise = says('{"h":417}');
    expect((await ask()).structuredResponse).toEqual({ h: 417 });
    expect(emulator.received.flatMap(toolsOf)).toEqual([]);
  });

  it.each([
    ['after a recall', true, true],
    ['at the last recall', 1, true],
    ['at the last recall, beside its own tool', 1, false],
  ])(
    'N15: by a tool, %s: returns its answer with the usage of both requests, and no recall in its history',
    async (_, recall, isBare) => {
      const { emulator, ask } = await opened(recall, toolStrategy(HIGH), isBare);
      emulator.script = [recalls({ query: 'mill' })];
      emulator.otherwise = (request) =>
        request.body.tool_choice === 'none' ? says('417') : { toolCalls: [extracts(request)], usage };
      const { structuredResponse, messages } = await ask();
      expect(structuredResponse).toEqual({ h: 417 });
      expect(JSON.stringify(messages)).not.toContain('recall');
      const [, answer] = messages as [BaseMessage, AIMessage];
      expect(answer.usage_metadata).toMatchObject({ input_tokens: 220 });
      expect(answer.response_metadata.tokenUsage).toMatchObject({ promptTokens: 220 });
    },
  );

  it('N15: by a tool that is called next to a recall, returns its answer without a recall in its history', async () => {
    const { emulator, ask } = await opened(true, toolStrategy(HIGH), false);
    let turn = 0;
    emulator.otherwise = (request) =>
      turn++ === 0
        ? recalls({ query: 'mill' }, { toolCalls: [extracts(request)] })
        : { toolCalls: [extracts(request)], usage };
    const { structuredResponse, messages } = await ask();
    expect(structuredResponse).toEqual({ h: 417 });
    expect(messages.flatMap((one) => (one as AIMessage).tool_calls ?? []).map(({ name }) => name)).toEqual([
      toolsOf(emulator.received[0]!).find((name) => name.startsWith('extract')),
    ]);
    await ask(messages);
    const { text } = emulator.received.at(-1)!;
    expect([text.includes('no result'), text.includes('"name":"recall"')]).toEqual([false, true]);
    legal(emulator);
  });
});

describe('N15: answers of LangChain models', () => {
  const words = [{ type: 'text', text: 'Let me look.' }];
  const at = { at: 'the box' };
  const answered = async (...answers: readonly AIMessage[]) => {
    const session = (await engine(2_500, {}, { format: 'langchain' })).session();
    const { wrapModelCall } = compactLangChain(session, { recall: true });
    const past = times(30, (i) => [new HumanMessage(`Wall ${i}: ${prose(90, i)}`), new AIMessage('Fine.')]);
    const sent: string[] = [];
    const request = { messages: [...past, new HumanMessage('And wall 3?')], tools: [], model: 'gpt-4o' };
    const said = (await wrapModelCall(
      { ...request, systemMessage: new SystemMessage('') } as never,
      (({ messages }: typeof request) => {
        sent.push(JSON.stringify(messages.map((message) => message.toDict())));
        return answers[sent.length - 1];
      }) as never,
    )) as AIMessageChunk;
    return { said, sent };
  };

  it('N15: if calls have no ids, the text remains and the recalled passages answer the call', async () => {
    const recall = { name: 'recall', args: { query: 'wall 3' } };
    const { said, sent } = await answered(
      new AIMessage({ content: words, tool_calls: [recall] }),
      new AIMessage({ content: words, tool_calls: [recall, { name: 'look', args: at }] }),
    );
    expect(said.content).toEqual([...words, ...words]);
    expect(said.tool_calls).toMatchObject([{ name: 'look' }]);
    expect(sent[1]!.includes('Read back from this session')).toBe(true);
    expect(sent[1]).not.toMatch(/no result|not in this log/);
  });

  it('N15: an answer that begins with a thought still does so with text next to the recall', async () => {
    const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: `sig:${thinking}` });
    const recall = { type: 'tool_use', id: 'r', name: 'recall', input: { query: 'wall 3' } };
    const call = { id: 'l', name: 'look', args: at };
    const look = { type: 'tool_use', id: 'l', name: 'look', input: at };
    const { said } = await answered(
      new AIMessage({
        content: [thought('a'), ...words, thought('b'), recall],
        tool_calls: [{ id: 'r', name: 'recall', args: recall.input }],
      }),
      new AIMessage({ content: [thought('c'), look], tool_calls: [call] }),
    );
    expect(said.content).toEqual([thought('a'), ...words, thought('c'), look]);
  });

  it('N15: all pieces of a recall are removed, and the client’s call remains', async () => {
    const pieces = [
      { id: 'r', name: 'recall', args: '{"query":', index: 0 },
      { args: '"wall 3"}', index: 0 },
      { id: 'l', name: 'look', args: JSON.stringify(at), index: 1 },
    ];
    const { said } = await answered(new AIMessageChunk({ content: '', tool_call_chunks: pieces }));
    const whole = said.concat(new AIMessageChunk(''));
    expect([whole.tool_calls, whole.invalid_tool_calls]).toMatchObject([[{ name: 'look', args: at }], []]);
  });
});
