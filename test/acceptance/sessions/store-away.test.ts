import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, streamText, wrapLanguageModel } from 'ai';
import { createAgent, createMiddleware } from 'langchain';
import OpenAI from 'openai';
import {
  compactAiSdk,
  compactAnthropic,
  compactLangChain,
  compactOpenAI,
} from '../../../src/faces/adapters/index.js';
import { createSpillway } from '../../../src/index.js';
import type { PressureEvent, Session, SpillwayOptions } from '../../../src/index.js';
import { startEmulator, type Emulator } from '../../emulator/index.js';
import { engine, prose, quarter, read, said, system, talk, user } from '../support.js';
import { but, place } from './stores.js';

const down = () => Promise.reject(new Error('database is down'));

const engineOf = (more: Omit<SpillwayOptions, 'settings'>, window?: number) =>
  window === undefined
    ? engine(3_000, {}, more)
    : createSpillway({ counter: quarter, window, settings: { safetyMargin: 0 }, ...more });

/** A session on a store whose writes can fail, or whose notes after an answer. */
async function away(format = 'openai-chat', onStoreFailure: 'open' | 'closed' = 'closed', window?: number) {
  const { store, again } = await place('sqlite');
  const state = { notes: true, writes: true };
  const shaky = but(store, {
    note: (...given) => (state.notes ? store.note(...given) : down()),
    write: (...given) => (state.writes ? store.write(...given) : down()),
  });
  const spillway = await engineOf({ store: shaky, format, onStoreFailure }, window);
  const session = await spillway.open({ id: 'mill' });
  const events: PressureEvent[] = [];
  session.events.subscribe((event) => events.push(event));
  return { session, state, events, again };
}

const ask = 'Build a mill.';

const refusal = (tokens: number) => ({
  status: 400,
  body: {
    error: {
      message: `This model's maximum context length is 4000 tokens. However, your messages resulted in ${tokens} tokens.`,
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
      param: null,
    },
  },
});
type Asks = (emulator: Emulator, session: Session) => Promise<string>;

const CLIENTS: readonly (readonly [name: string, format: string, asks: Asks])[] = [
  [
    'openai chat',
    'openai-chat',
    async (emulator, chat) => {
      const client = compactOpenAI(new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }), {
        chat,
      });
      const messages = [{ role: 'user' as const, content: ask }];
      return (await client.chat.completions.create({ model: 'm', messages })).choices[0]!.message.content!;
    },
  ],
  [
    'openai chat, streamed',
    'openai-chat',
    async (emulator, chat) => {
      const client = compactOpenAI(new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }), {
        chat,
      });
      const stream = await client.chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content: ask }],
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = '';
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
      return text;
    },
  ],
  [
    'openai responses',
    'openai-responses',
    async (emulator, responses) => {
      const client = compactOpenAI(new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }), {
        responses,
      });
      return (await client.responses.create({ model: 'm', input: ask, store: false })).output_text;
    },
  ],
  [
    'anthropic',
    'anthropic',
    async (emulator, session) => {
      const plain = new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });
      const messages = [{ role: 'user' as const, content: ask }];
      const client = compactAnthropic(plain, session);
      const { content } = await client.messages.create({ model: 'm', max_tokens: 100, messages });
      return content[0]!.type === 'text' ? content[0].text : '';
    },
  ],
  [
    'anthropic, streamed',
    'anthropic',
    async (emulator, session) => {
      const plain = new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });
      const messages = [{ role: 'user' as const, content: ask }];
      const client = compactAnthropic(plain, session);
      return client.messages.stream({ model: 'm', max_tokens: 100, messages }).finalText();
    },
  ],
  [
    'the AI SDK',
    'ai-sdk',
    async (emulator, session) => {
      const model = wrapLanguageModel({
        model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
        middleware: compactAiSdk(session),
      });
      return (await generateText({ model, prompt: ask, maxRetries: 0 })).text;
    },
  ],
  [
    'the AI SDK, streamed',
    'ai-sdk',
    async (emulator, session) => {
      const model = wrapLanguageModel({
        model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
        middleware: compactAiSdk(session),
      });
      return streamText({ model, prompt: ask, maxRetries: 0 }).text;
    },
  ],
  [
    'LangChain',
    'langchain',
    async (emulator, session) => {
      const configuration = { baseURL: emulator.url };
      const model = new ChatOpenAI({ model: 'm', apiKey: 'k', maxRetries: 0, configuration });
      const middleware = [createMiddleware(compactLangChain(session))];
      const agent = createAgent({ model, tools: [], middleware });
      return (await agent.invoke({ messages: [new HumanMessage(ask)] })).messages.at(-1)!.text;
    },
  ],
];

it.each(CLIENTS)(
  'N13: a store that fails between the answer and the report of its usage loses no answer: %s',
  async (_, format, asks) => {
    const emulator = await startEmulator({
      text: 'Built.',
      usage: { inputTokens: 700, cacheReadTokens: 0, outputTokens: 5 },
    });
    const { session, state, events, again } = await away(format);
    state.notes = false;
    expect(await asks(emulator, session)).toBe('Built.');
    expect(emulator.received).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'store-failed')).toMatchObject([
      {
        error: {
          code: 'STORE_FAILED',
          message: expect.stringMatching(/store sqlite:.*sessions\.db, session "mill"/),
        },
      },
    ]);
    // What could not be stored is stored with the next write.
    state.notes = true;
    await session.append(said('x', 'Go on.'));
    await session.operator.audit();
    const later = await (await engine(3_000, {}, { store: await again(), format })).open({ id: 'mill' });
    expect(later.operator.costs.primary).toMatchObject({ calls: 1, inputTokens: 700 });
  },
);

describe('a store that fails before a call', () => {
  const LONG = read([system('Be brief.'), user(ask), ...talk(20, 100)]);

  it('N13: onStoreFailure: closed rejects, and nothing is sent', async () => {
    const { session, state } = await away();
    state.writes = false;
    let calls = 0;
    await expect(session.append(...LONG)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(session.call(() => calls++)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(calls).toBe(0);
  });

  it('N13: onStoreFailure: open goes on from memory, compacts, reports it, and stores all of it later', async () => {
    const { session, state, events, again } = await away('openai-chat', 'open');
    state.writes = false;
    state.notes = false;
    const emulator = await startEmulator();
    const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
    const client = compactOpenAI(plain, { chat: session });
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    for (let turn = 0; turn < 12; turn++) {
      messages.push({ role: 'user', content: `Question ${turn}: ${prose(400, turn)}` });
      messages.push((await client.chat.completions.create({ model: 'm', messages })).choices[0]!.message);
    }
    expect(session.operator.history.length).toBeGreaterThan(0);
    expect(events.filter(({ kind }) => kind === 'store-failed').length).toBeGreaterThan(11);
    expect(emulator.received).toHaveLength(12);

    state.writes = true;
    state.notes = true;
    messages.push({ role: 'user', content: 'And now?' });
    await client.chat.completions.create({ model: 'm', messages });
    const later = await (await engine(3_000, {}, { store: await again() })).open({ id: 'mill' });
    await later.load();
    expect(later.log.length).toBe(session.log.length);
    expect(later.operator.history.map(({ id }) => id)).toEqual(session.operator.history.map(({ id }) => id));
    expect(later.operator.costs.primary.calls).toBe(13);
  });

  it.each(['open', 'closed'] as const)(
    'N13: a client can take words back while the store is away only with open: onStoreFailure: %s',
    async (onStoreFailure) => {
      const { session, state, events } = await away('openai-chat', onStoreFailure);
      const emulator = await startEmulator();
      const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
      const client = compactOpenAI(plain, { chat: session });
      const messages: OpenAI.ChatCompletionMessageParam[] = [];
      const turn = async (content: string): Promise<void> => {
        messages.push({ role: 'user', content });
        messages.push((await client.chat.completions.create({ model: 'm', messages })).choices[0]!.message);
      };
      for (let i = 0; i < 12; i++) await turn(`Question ${i}: ${prose(400, i)}`);
      const { length } = session.log;
      state.writes = false;
      state.notes = false;
      messages.length -= 2;
      if (onStoreFailure === 'closed') {
        await expect(turn('Say it another way.')).rejects.toThrow('STORE_FAILED');
        expect(emulator.received).toHaveLength(12);
        return;
      }
      await turn('Say it another way.');
      const { text } = emulator.received.at(-1)!;
      expect(text).toContain('Say it another way.');
      expect(text).not.toContain('Question 11:');
      expect(text.length / 4).toBeLessThan(3_000);
      expect(events.filter(({ kind }) => kind === 'store-failed')).not.toEqual([]);

      state.writes = true;
      state.notes = true;
      await turn('And now?');
      expect(session.log.length).toBe(length + 2);
      const last = emulator.received.at(-1)!.text;
      expect([last.includes('Say it another way.'), last.includes('Question 11:')]).toEqual([true, false]);
    },
  );

  it('N13: a call outside the session, while the store is away, keeps below a limit that was learned before', async () => {
    const { session, state } = await away('openai-chat', 'open', 8_000);
    const emulator = await startEmulator(({ text }) =>
      text.length / 4 > 4_000 ? refusal(Math.ceil(text.length / 4)) : { text: 'Built.' },
    );
    const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
    const client = compactOpenAI(plain, { chat: session });
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    const refused = () => emulator.received.filter(({ text }) => text.length / 4 > 4_000).length;
    const turn = async (i: number): Promise<void> => {
      messages.push({ role: 'user', content: `Question ${i}: ${prose(500, i)}` });
      messages.push((await client.chat.completions.create({ model: 'm', messages })).choices[0]!.message);
    };
    for (let i = 0; i < 12; i++) await turn(i);
    expect(refused()).toBe(1);
    state.writes = false;
    state.notes = false;
    messages.length -= 2;
    await turn(12);
    expect(refused()).toBe(1);
    expect(emulator.received.at(-1)!.text).toContain('Question 12:');
  });

  it('N13: a limit that a call outside the session learned applies to the session, and is stored', async () => {
    const { session, state, again } = await away('openai-chat', 'open', 8_000);
    const beside = session.aside();
    await beside.append(...read([user(ask), ...talk(10, 300)]));
    await beside.prepare({ model: 'm' });
    const { learned } = await beside.overflowed(Object.assign(new Error('too long'), refusal(5_000).body));
    expect(learned).toMatchObject({ contextWindow: 4_000 });
    await session.append(...LONG);
    await session.prepare({ model: 'm' });
    expect(session.reading.budget.tokens).toBeLessThan(4_000);
    expect(state).toEqual({ notes: true, writes: true });
    const later = await (await engineOf({ store: await again() }, 8_000)).open({ id: 'mill', model: 'm' });
    expect(later.reading.budget.tokens).toBe(session.reading.budget.tokens);
  });
});
