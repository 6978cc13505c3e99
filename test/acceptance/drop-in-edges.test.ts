import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, wrapLanguageModel, type ModelMessage } from 'ai';
import { createMiddleware } from 'langchain';
import OpenAI from 'openai';
import {
  compactAiSdk,
  compactAnthropic,
  compactLangChain,
  compactOpenAI,
} from '../../src/faces/adapters/index.js';
import { validateAnthropic, validators } from '../../src/testkit/index.js';
import { startEmulator, type Act, type Emulator } from '../emulator/index.js';
import { createSpillway, type Spillway } from '../../src/index.js';
import { unhandledDuring } from '../support/unhandled.js';
import { engine, prose, quarter, step, system, talk, times, user } from './support.js';

const openai = (emulator: Emulator) => new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
const anthropic = (emulator: Emulator) =>
  new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });

/** A model that reports the true usage, at four characters a token. */
const honest = ({ text }: { readonly text: string }): Act => ({
  text: 'Built.',
  usage: { inputTokens: Math.ceil(text.length / 4), cacheReadTokens: 0, outputTokens: 5 },
});

it('N13: a failed request rejects once, for its caller, also if the client parses the answer', async () => {
  const emulator = await startEmulator('wrong-key');
  const client = compactOpenAI(openai(emulator), await engine(3_000));
  const claude = compactAnthropic(anthropic(emulator), await engine(3_000));
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  const refused = { status: 401 };
  const unhandled = await unhandledDuring(async () => {
    const { completions } = client.chat;
    await expect(completions.create({ model: 'm', messages })).rejects.toMatchObject(refused);
    await expect(completions.parse({ model: 'm', messages })).rejects.toMatchObject(refused);
    await expect(client.responses.parse({ model: 'm', input: 'Hi' })).rejects.toMatchObject(refused);
    await expect(claude.messages.parse({ model: 'm', max_tokens: 9, messages })).rejects.toMatchObject(
      refused,
    );
  });
  expect(unhandled).toEqual([]);
});

it('N13: an empty user message is sent as a placeholder through the AI SDK', async () => {
  const emulator = await startEmulator();
  const model = wrapLanguageModel({
    model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
    middleware: compactAiSdk(await engine(3_000)),
  });
  await generateText({ model, messages: [{ role: 'user', content: '' }], maxRetries: 0 });
  expect(emulator.received[0]!.body.messages).toEqual([{ role: 'user', content: '[nothing was said]' }]);
});

it('N13: concurrent requests of one history do not wait for each other', async () => {
  const waiting: (() => void)[] = [];
  const emulator = await startEmulator(
    () => new Promise<Act>((resolve) => waiting.push(() => resolve('good'))),
  );
  const spillway = await engine(3_000);
  const client = compactOpenAI(openai(emulator), spillway);
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  const samples = [1, 2, 3].map((seed) => client.chat.completions.create({ model: 'm', messages, seed }));
  while (waiting.length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
  for (const answer of waiting) answer();
  for (const sample of await Promise.all(samples)) expect(sample.choices).toHaveLength(1);
  expect(emulator.peak).toBe(3);
});

/** Sends a history of this many turns, with a signal. */
type Asks = (turns: number, signal: AbortSignal) => PromiseLike<unknown>;
const saidIn = (turns: number) => talk(turns, 9).slice(0, -1);
const GIVES_UP: [string, (emulator: Emulator, spillway: Spillway) => Asks][] = [
  [
    'openai',
    (emulator, spillway) => {
      const { chat } = compactOpenAI(openai(emulator), spillway);
      return (turns, signal) =>
        chat.completions.create({ model: 'm', messages: saidIn(turns) as never }, { signal });
    },
  ],
  [
    'anthropic',
    (emulator, spillway) => {
      const { messages } = compactAnthropic(anthropic(emulator), spillway);
      return (turns, signal) =>
        messages.create({ model: 'm', max_tokens: 9, messages: saidIn(turns) as never }, { signal });
    },
  ],
  [
    'AI SDK',
    (emulator, spillway) => {
      const model = wrapLanguageModel({
        model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
        middleware: compactAiSdk(spillway),
      });
      return (turns, abortSignal) =>
        generateText({ model, messages: saidIn(turns) as ModelMessage[], abortSignal, maxRetries: 0 });
    },
  ],
];
it.each(GIVES_UP)(
  'N13: a call that is aborted while it waits for another one rejects and sends nothing: %s',
  async (_, open) => {
    let arrived: (() => void) | undefined;
    const first = new Promise<void>((resolve) => (arrived = resolve));
    const emulator = await startEmulator(() => (arrived!(), 'never'));
    const asks = open(emulator, await engine(3_000));
    const [hanging, waiting, late] = times(3, () => [new AbortController()]);
    const unhandled = await unhandledDuring(async () => {
      const hangs = Promise.allSettled([asks(1, hanging!.signal)]);
      await first;
      const waits = asks(2, waiting!.signal);
      waiting!.abort();
      late!.abort();
      await expect(waits).rejects.toThrow(/abort/i);
      await expect(asks(3, late!.signal)).rejects.toThrow(/abort/i);
      hanging!.abort();
      expect(await hangs).toMatchObject([{ status: 'rejected' }]);
      emulator.otherwise = 'good';
      await asks(3, new AbortController().signal);
    });
    expect(unhandled).toEqual([]);
    expect(emulator.received).toHaveLength(2);
  },
);

it('N13: concurrent requests of one history buy the text of their compaction once', async () => {
  const emulator = await startEmulator();
  let asked = 0;
  const summarize = async () => {
    await new Promise((resolve) => setTimeout(resolve, ++asked));
    return { text: 'The user wants a mill, and the agent has read its parts.', finishReason: 'stop' };
  };
  const summarizer = { name: 'ours', endpoint: 'here', summarize };
  const work = times(30, (i) => step('read', { path: `${i}.ts` }, prose(90, i), prose(40, i)));
  const client = compactOpenAI(openai(emulator), await engine(4_000, { roster: ['auto'] }, { summarizer }));
  const messages = [system('Be brief.'), user('Build a mill.'), ...work, user('And now?')] as never;
  await Promise.all([1, 2, 3].map((seed) => client.chat.completions.create({ model: 'm', messages, seed })));
  expect(asked).toBe(1);
  expect(new Set(emulator.received.map(({ body }) => JSON.stringify(body.messages))).size).toBe(1);
});

describe('N13: sessions and clients that do not match', () => {
  it('N13: a session of another wire format is refused at once with its id, by every drop-in', async () => {
    const emulator = await startEmulator();
    const spillway = await engine(3_000);
    const chat = spillway.session({ id: 'mill' });
    const wrong = { code: 'SESSION_FORMAT', message: expect.stringContaining('"mill"') };
    expect(() => compactAnthropic(anthropic(emulator), chat)).toThrow(expect.objectContaining(wrong));
    expect(() => compactAiSdk(chat)).toThrow(expect.objectContaining(wrong));
    expect(() => compactLangChain(chat)).toThrow(expect.objectContaining(wrong));
    expect(() => compactOpenAI(openai(emulator), { responses: chat })).toThrow(
      expect.objectContaining(wrong),
    );
    const other = spillway.session({ id: 'mill', format: 'anthropic' });
    expect(() => compactOpenAI(openai(emulator), { chat: other })).toThrow(
      /found "anthropic"; allowed: openai-chat/,
    );
  });

  it('N13: a client without the endpoints to compact is refused, and its key is not shown', async () => {
    const emulator = await startEmulator();
    const spillway = await engine(3_000);
    const said = (made: () => unknown): unknown => {
      try {
        return made();
      } catch (error) {
        return error;
      }
    };
    const refused = [
      () => compactOpenAI({ apiKey: 'sk-of-a-user', chat: {} } as never, spillway),
      () => compactOpenAI(anthropic(emulator) as never, spillway),
      () => compactOpenAI({} as never, spillway),
      () => compactOpenAI(undefined as never, spillway),
      () => compactOpenAI({ responses: { create: () => undefined } } as never, { chat: spillway }),
      () => compactAnthropic(openai(emulator) as never, spillway),
    ].map(said);
    for (const error of refused) expect(error).toMatchObject({ code: 'ARGUMENT_INVALID' });
    const [first] = refused as [Error];
    expect(first.message).toMatch(
      /compactOpenAI; found "one with apiKey, chat"; allowed: a client with chat\.completions, or resp/,
    );
    expect(first.message).not.toContain('sk-of-a-user');
  });

  it('N13: a session of another wire format from a function is refused before anything is sent', async () => {
    const emulator = await startEmulator();
    const spillway = await engine(3_000);
    const client = compactAnthropic(anthropic(emulator), () => spillway.session());
    const asked = client.messages.create({
      model: 'm',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    await expect(asked).rejects.toMatchObject({ code: 'SESSION_FORMAT' });
    expect(emulator.received).toEqual([]);
  });

  it('N13: the engine itself, in place of a session, works for both endpoints of one OpenAI client', async () => {
    const emulator = await startEmulator(honest);
    const spillway = await engine(3_000);
    const client = compactOpenAI(openai(emulator), { chat: spillway, responses: spillway });
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    const input: OpenAI.Responses.ResponseInputItem[] = [];
    for (let turn = 0; turn < 12; turn++) {
      messages.push({ role: 'user', content: `Question ${turn}: ${prose(400, turn)}` });
      messages.push((await client.chat.completions.create({ model: 'm', messages })).choices[0]!.message);
      input.push({ role: 'user', content: `Question ${turn}: ${prose(400, turn)}` });
      const { output } = await client.responses.create({ model: 'm', input, store: false });
      input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
    }
    expect(emulator.received).toHaveLength(24);
    for (const { wire, body } of emulator.received) {
      expect(validators.get(wire)!(body)).toEqual([]);
      expect(JSON.stringify(body).length / 4).toBeLessThan(3_600);
    }
  });

  it('N13: the engine itself works for Anthropic, and calls and results stay together through compactions', async () => {
    const emulator = await startEmulator(honest);
    const client = compactAnthropic(anthropic(emulator), await engine(3_000));
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Build a mill.' }];
    for (let step = 0; step < 20; step++) {
      const id = `toolu_${step}`;
      messages.push(
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: { step } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: prose(300, step) }] },
      );
      await client.messages.create({ model: 'm', max_tokens: 10, messages });
    }
    for (const { body } of emulator.received) expect(validateAnthropic(body)).toEqual([]);
    expect(JSON.stringify(emulator.received.at(-1)!.body).length / 4).toBeLessThan(3_600);
  });

  it('N13: a request that belongs to no session is sent unchanged', async () => {
    const emulator = await startEmulator();
    const messages = [{ role: 'user' as const, content: 'A title, please.' }];
    const chat = compactOpenAI(openai(emulator), { chat: () => undefined });
    const { response } = await chat.chat.completions.create({ model: 'm', messages }).withResponse();
    expect(response.status).toBe(200);
    const claude = compactAnthropic(anthropic(emulator), () => undefined);
    await claude.messages.create({ model: 'm', max_tokens: 10, messages });
    const model = wrapLanguageModel({
      model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
      middleware: compactAiSdk(() => undefined),
    });
    await model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'A title.' }] }] });
    expect(createMiddleware(compactLangChain(() => undefined)).name).toBe('spillway');
    expect(emulator.received.map(({ body }) => body.messages)).toMatchObject([
      messages,
      messages,
      [{ role: 'user' }],
    ]);
  });
});

describe('N13: the answer that a request allows', () => {
  const WINDOW = 8_000;
  /** Counts the answer with the request, as most servers do, and refuses them if they do not fit together. */
  const strict = ({ body, text }: { readonly body: Fields; readonly text: string }): Act => {
    const output = Number(body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens);
    const held = Math.ceil(text.length / 4) + output;
    if (held <= WINDOW) return { text: 'Built.', usage: { inputTokens: held - output, cacheReadTokens: 0 } };
    const message = `This model's maximum context length is ${WINDOW} tokens. However, you requested ${held} tokens (${held - output} in the messages, ${output} in the completion).`;
    return { status: 400, body: { error: { message, code: 'context_length_exceeded' } } };
  };
  type Fields = Readonly<Record<string, unknown>>;

  it.each([100, 5_500])(
    'N13: is kept free of the window, so that no request is refused (max_tokens %d)',
    async (most) => {
      const emulator = await startEmulator(strict);
      const spillway = await createSpillway({ counter: quarter, window: WINDOW });
      const ai = openai(emulator);
      const { chat, responses } = compactOpenAI(ai, { chat: spillway, responses: spillway });
      const { messages } = compactAnthropic(anthropic(emulator), spillway);
      const model = wrapLanguageModel({
        model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
        middleware: compactAiSdk(spillway),
      });
      const said: { role: 'user' | 'assistant'; content: string }[] = [];
      const prompt: ModelMessage[] = [];
      for (let turn = 0; turn < 15; turn++) {
        const content = `Question ${turn}: ${prose(600, turn)}`;
        said.push({ role: 'user', content });
        prompt.push({ role: 'user', content });
        await chat.completions.create({ model: 'm', messages: said, max_completion_tokens: most });
        await responses.create({ model: 'm', input: said, max_output_tokens: most, store: false });
        await messages.create({ model: 'm', messages: said, max_tokens: most });
        await generateText({ model, messages: prompt, maxOutputTokens: most, maxRetries: 0 });
        said.push({ role: 'assistant', content: 'Built.' });
        prompt.push({ role: 'assistant', content: 'Built.' });
      }
      expect(emulator.received).toHaveLength(60);
      const largest = Math.max(...emulator.received.map(({ text }) => text.length / 4));
      expect(largest).toBeGreaterThan(0.6 * Math.min(WINDOW - most, 0.75 * WINDOW));
    },
  );

  it('N13: is part of the budget’s derivation, for that request alone', async () => {
    const session = (await createSpillway({ counter: quarter, window: WINDOW })).session();
    const { reading } = await session.prepare({ maxOutputTokens: 5_000 });
    expect(reading.budget.derivation).toContain(
      '- 5,000 tokens output reserve: what this request lets the model answer',
    );
    expect((await session.prepare()).reading.budget.derivation).toContain(
      '- 2,000 tokens output reserve: 25 % of the window',
    );
  });

  it('N13: takes nothing from a budget that was set for the input alone', async () => {
    const session = (await engine(3_000)).session();
    expect((await session.prepare({ maxOutputTokens: 2_000 })).reading.budget.tokens).toBe(3_000);
  });
});

describe('N13: a client that cancels a stream that has fallen silent', () => {
  const event = {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { role: 'assistant', content: 'The ' }, finish_reason: null }],
  };
  const whole = {
    ...event,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Built.' }, finish_reason: 'stop' }],
  };

  /** A stream of these pieces that then falls silent; `silent` resolves when a reader waits for more. */
  function silentStream<Piece>(...told: Piece[]) {
    let waits: (() => void) | undefined;
    let gives: (() => void) | undefined;
    const silent = new Promise<void>((resolve) => (waits = resolve));
    const givenUp = new Promise<void>((resolve) => (gives = resolve));
    let abort: (() => void) | undefined;
    const stream = new ReadableStream<Piece>(
      {
        start(controller) {
          abort = () => {
            gives!();
            controller.error(new DOMException('Aborted', 'AbortError'));
          };
        },
        pull(controller) {
          if (told.length > 0) return controller.enqueue(told.shift()!);
          waits!();
          return new Promise<void>(() => undefined);
        },
        cancel: () => gives!(),
      },
      { highWaterMark: 0 },
    );
    return { stream, silent, givenUp, abort: abort! };
  }

  async function readAll(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
    while (!(await reader.read()).done);
  }

  const hi = { role: 'user' as const, content: 'Hi' };
  const body = { model: 'm', stream: true as const, messages: [hi] };
  it.each([
    [
      'the raw response',
      async (client: OpenAI) => (await client.chat.completions.create(body).asResponse()).body!,
    ],
    [
      'the client’s readable stream',
      async (client: OpenAI) => (await client.chat.completions.create(body)).toReadableStream(),
    ],
  ])('N13: ends its request, and later calls do not wait: %s', async (_, open) => {
    const { stream, silent, givenUp, abort } = silentStream(
      new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`),
    );
    const fetch = (_url: unknown, init?: RequestInit): Promise<Response> => {
      if (!String(init?.body).includes('"stream":true')) return Promise.resolve(Response.json(whole));
      init?.signal?.addEventListener('abort', abort);
      return Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
    };
    const plain = new OpenAI({ baseURL: 'http://silent', apiKey: 'k', maxRetries: 0, fetch });
    const client = compactOpenAI(plain, await engine(3_000));
    const reader = (await open(client)).getReader();
    const read = readAll(reader);
    await silent;
    await reader.cancel();
    await Promise.all([read, givenUp]);
    const messages = [hi, { role: 'assistant' as const, content: 'The ' }, { ...hi, content: 'Go on.' }];
    const { choices } = await client.chat.completions.create({ model: 'm', messages });
    expect(choices[0]!.message.content).toBe('Built.');
  });

  it('N13: ends its request, and later calls do not wait: the AI SDK', async () => {
    const { stream, silent, givenUp } = silentStream({ type: 'stream-start' as const, warnings: [] });
    const answer = { content: [{ type: 'text', text: 'Built.' }], usage: {}, warnings: [] };
    const provider = {
      specificationVersion: 'v3',
      provider: 'silent',
      modelId: 'm',
      supportedUrls: {},
      doStream: () => Promise.resolve({ stream }),
      doGenerate: () => Promise.resolve(answer),
    };
    const model = wrapLanguageModel({
      model: provider as unknown as Parameters<typeof wrapLanguageModel>[0]['model'] & object,
      middleware: compactAiSdk(await engine(3_000)),
    });
    const says = (role: 'user' | 'assistant', text: string) => ({
      role,
      content: [{ type: 'text' as const, text }],
    });
    const prompt = [says('user', 'Hi')];
    const reader = (await model.doStream({ prompt } as never)).stream.getReader();
    const read = readAll(reader);
    await silent;
    await reader.cancel();
    await Promise.all([read, givenUp]);
    prompt.push(says('assistant', 'The '), says('user', 'Go on.'));
    expect(await model.doGenerate({ prompt } as never)).toMatchObject({ content: [{ text: 'Built.' }] });
  });
});

it('N13: a side question is answered for an agent whose path has the maximum length', async () => {
  const emulator = await startEmulator(honest);
  const spillway = await engine(3_000);
  const agentPath = [64, 64, 64, 5].map((length) => 'a'.repeat(length)).join('/');
  const session = spillway.session({ agentPath });
  const { completions } = compactOpenAI(openai(emulator), { chat: session }).chat;
  for (const content of ['Build the mill.', 'Find a title.']) {
    const answer = await completions.create({ model: 'm', messages: [{ role: 'user', content }] });
    expect(answer.choices[0]!.message.content).toBe('Built.');
  }
  expect(agentPath).toHaveLength(200);
  expect(session.log.length).toBe(1);
});
