import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { createAgent, createMiddleware, tool as langchainTool } from 'langchain';
import OpenAI from 'openai';
import { z } from 'zod';
import {
  compactAiSdk,
  compactAnthropic,
  compactLangChain,
  compactOpenAI,
} from '../../src/faces/adapters/index.js';
import type { DropInOptions } from '../../src/faces/adapters/index.js';
import type { Session } from '../../src/index.js';
import { startEmulator, type Act, type Emulator } from '../emulator/index.js';
import { aiSdk, aiSdk7, chat, claude, langChain, responses, type Ask, type Wired } from './clients.js';
import { legal } from './recall-talk.js';
import { engine, prose, talk } from './support.js';

const BUDGET = 3_000;
/** A model that reports the true usage, at four characters a token, some of it from the cache. */
const said = ({ text }: { readonly text: string }): Act => ({
  text: 'Built.',
  usage: { inputTokens: Math.ceil(text.length / 4) - 100, cacheReadTokens: 100, outputTokens: 5 },
});

async function session(format: string): Promise<Session> {
  return (await engine(BUDGET, {}, { format })).session();
}

/** The size of each request, in tokens of four characters; all of them must be legal. */
function judged(emulator: Emulator): readonly number[] {
  legal(emulator);
  return emulator.received.map(({ body }) => JSON.stringify(body.messages ?? body.input).length / 4);
}

/** A user who asks long questions; the client sends its complete history each time. */
async function converse(ask: Ask, turns = 12): Promise<void> {
  for (let turn = 0; turn < turns; turn++)
    expect(await ask(`Question ${turn}: ${prose(400, turn)}`)).toMatchObject({ text: 'Built.' });
}

const DROP_INS: readonly Wired[] = [
  ...[false, true].flatMap((stream) => [chat(stream), responses(stream), claude(stream)]),
  aiSdk('chat', false),
  aiSdk('compatible', true),
  aiSdk7,
  langChain(false),
];

describe.each(DROP_INS)('N13: $name', ({ format, open }) => {
  /** A client of a server, with the session of its drop-in. */
  const opened = async (options: DropInOptions = {}) => {
    const emulator = await startEmulator(said);
    const one = await session(format);
    return { emulator, one, ask: open(emulator, one, { system: 'Be brief.', ...options }).ask };
  };

  it('N13: sends only what fits and is legal, while the client sends its complete history', async () => {
    const { emulator, one, ask } = await opened();
    await converse(ask);
    const sizes = judged(emulator);
    expect(sizes).toHaveLength(12);
    expect(Math.max(...sizes)).toBeLessThan(BUDGET * 1.2);
    expect(one.operator.history.length).toBeGreaterThan(0);
    // No request was treated as one of a client that went back.
    expect(one.log.length).toBeGreaterThanOrEqual(23);
    expect(one.operator.costs.primary).toMatchObject({ calls: 12 });
    expect(one.reading.basis).not.toBe('estimated');
  });

  it('N13: compacts and sends once more, and only once, if the provider refuses a request as too long', async () => {
    const { emulator, ask } = await opened();
    await converse(ask, 3);
    emulator.script = ['context-length'];
    expect(await ask('And now?')).toMatchObject({ text: 'Built.' });
    const [refused, again] = judged(emulator).slice(-2);
    expect(again!).toBeLessThan(refused!);
    emulator.otherwise = 'context-length';
    const before = emulator.received.length;
    await expect(ask('And then?')).rejects.toBeDefined();
    expect(emulator.received.length - before).toBeLessThanOrEqual(2);
  });

  it('N13: continues after an outage, however much the user wrote without an answer', async () => {
    const { emulator, one, ask } = await opened();
    await converse(ask, 2);
    emulator.otherwise = 'server-error';
    for (let turn = 0; turn < 12; turn++)
      await expect(ask(`Are you there, ${turn}? ${prose(400, turn)}`)).rejects.toBeDefined();
    emulator.otherwise = said;
    const newest = `And now? ${prose(400, 99)}`;
    expect(await ask(newest)).toMatchObject({ text: 'Built.' });
    expect(emulator.received.at(-1)!.text).toContain(JSON.stringify(newest).slice(1, -1));
    expect(Math.max(...judged(emulator))).toBeLessThan(BUDGET * 1.2);
    const warned = one.operator.history.flatMap(({ warnings = [] }) => warnings.map(({ code }) => code));
    expect(warned).toContain('unread-gave-way');
    await converse(ask, 2);
  });

  it('A6: compacts at once if the user writes /compact, which the model does not see', async () => {
    const { emulator, one, ask } = await opened({ commands: true });
    await converse(ask, 4);
    const calls = emulator.received.length;
    const compactions = one.operator.history.length;
    expect((await ask('/compact')).text).toMatch(/^\[spillway\] Compacted/);
    expect(emulator.received).toHaveLength(calls);
    expect(await ask('Go on.')).toMatchObject({ text: 'Built.' });
    expect(emulator.received.at(-1)!.text).not.toContain('/compact');
    expect(one.operator.history).toHaveLength(compactions + 1);
    // With text after it, it is a message to the model.
    expect(await ask('/compact is a command, is it not?')).toMatchObject({ text: 'Built.' });
    expect(emulator.received.at(-1)!.text).toContain('/compact is a command, is it not?');
    expect(one.operator.history).toHaveLength(compactions + 1);
  });

  it('A6: treats /compact as text unless the host switches commands on', async () => {
    const { emulator, one, ask } = await opened();
    expect(await ask('/compact')).toMatchObject({ text: 'Built.' });
    expect(emulator.received.at(-1)!.text).toContain('/compact');
    expect(one.operator.history).toEqual([]);
  });
});

/** Calls the tool several times, each time with a new id, then ends. */
const looking =
  (emulator: Emulator) =>
  (request: { readonly text: string }): Act => {
    const { usage } = said(request) as { usage: object };
    const at = emulator.received.length;
    return at < 5 ? { toolCalls: [{ id: `c${at}`, name: 'look', arguments: { at } }], usage } : said(request);
  };

describe('N13: tools and other features of clients', () => {
  it('N13: the AI SDK runs tools, and each step goes through the session', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = looking(emulator);
    const one = await session('ai-sdk');
    const model = wrapLanguageModel({
      model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
      middleware: compactAiSdk(() => one),
    });
    const look = tool({
      description: prose(100),
      inputSchema: z.object({ at: z.number() }),
      execute: () => prose(900, 7),
    });
    const { text } = await generateText({
      model,
      prompt: 'Look.',
      tools: { look },
      stopWhen: stepCountIs(9),
      maxRetries: 0,
    });
    expect(text).toBe('Built.');
    expect(Math.max(...judged(emulator))).toBeLessThan(BUDGET * 1.2);
    expect(one.operator.history.length).toBeGreaterThan(0);
    expect(one.log.length).toBe(11);
  });

  it('N13: LangChain runs tools, and its state keeps all messages', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = looking(emulator);
    const one = await session('langchain');
    const look = langchainTool(() => prose(900, 7), {
      name: 'look',
      description: prose(100),
      schema: z.object({ at: z.number() }),
    });
    const model = new ChatOpenAI({
      model: 'm',
      apiKey: 'k',
      maxRetries: 0,
      configuration: { baseURL: emulator.url },
    });
    const agent = createAgent({
      model,
      tools: [look],
      middleware: [createMiddleware(compactLangChain(one))],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage('Look.')] });
    expect(messages).toHaveLength(12);
    expect(messages.at(-1)).toBeInstanceOf(AIMessage);
    expect(Math.max(...judged(emulator))).toBeLessThan(BUDGET * 1.2);
    expect(one.operator.history.length).toBeGreaterThan(0);
  });

  it('N13: messages to which LangChain gives new ids at each call continue the log', async () => {
    const emulator = await startEmulator({ text: 'Built.' });
    const one = await session('langchain');
    const configuration = { baseURL: emulator.url };
    const model = new ChatOpenAI({ model: 'm', apiKey: 'k', maxRetries: 0, configuration });
    const agent = createAgent({ model, tools: [], middleware: [createMiddleware(compactLangChain(one))] });
    const messages: { role: string; content: string }[] = [];
    for (let turn = 0; turn < 12; turn++) {
      messages.push({ role: 'user', content: `Question ${turn}: ${prose(300, turn)}` });
      await agent.invoke({ messages });
      expect(one.log.length).toBe(messages.length);
      messages.push({ role: 'assistant', content: 'Built.' });
    }
    expect(Math.max(...judged(emulator))).toBeLessThan(BUDGET * 1.2);
    expect(one.operator.history.length).toBeGreaterThan(0);
  });

  it('N13: the OpenAI client keeps raw responses, parsing, and histories that the provider keeps', async () => {
    const emulator = await startEmulator({ text: '{"a":1}' });
    const one = await session('openai-chat');
    const client = compactOpenAI(new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }), {
      chat: one,
    });
    const body = { model: 'm', messages: [{ role: 'user' as const, content: 'Give me an a.' }] };
    const { data, response } = await client.chat.completions.create(body).withResponse();
    expect([data.choices[0]!.message.content, response.status]).toEqual(['{"a":1}', 200]);
    expect((await client.chat.completions.create(body).asResponse()).status).toBe(200);
    const schema = { type: 'object', properties: { a: { type: 'number' } } };
    const parsed = await client.chat.completions.parse({
      ...body,
      response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
    });
    expect(parsed.choices[0]!.message.parsed).toEqual({ a: 1 });
    // The emulator sends no such header.
    expect([parsed._request_id, Object.hasOwn(parsed, '_request_id')]).toEqual([null, true]);
    expect((await client.models.list()).data).toHaveLength(1);
    await client.responses.create({ model: 'm', input: 'Hi', previous_response_id: 'r' });
    expect(emulator.received.at(-1)!.body).toMatchObject({ previous_response_id: 'r', input: 'Hi' });
  });

  it('N13: tracing that replaces `create` sees each call once, and can be removed again', async () => {
    const emulator = await startEmulator(said);
    const seen: string[] = [];
    const messages = [{ role: 'user' as const, content: 'Build a mill.' }];
    const openai = compactOpenAI(new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }), {
      chat: await session('openai-chat'),
    });
    const anthropic = compactAnthropic(
      new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 }),
      await session('anthropic'),
    );
    const trace = (name: string, resource: object): void => {
      const { create } = resource as { readonly create: (...asked: readonly unknown[]) => unknown };
      const traced = (...asked: readonly unknown[]): unknown => {
        // An endless recursion would end only with the process.
        if (seen.push(name) > 9) throw new Error('called again and again');
        return create(...asked);
      };
      Object.assign(resource, { create: traced });
    };
    trace('openai', openai.chat.completions);
    trace('anthropic', anthropic.messages);
    const call = async (): Promise<void> => {
      await openai.chat.completions.create({ model: 'm', messages });
      await openai.chat.completions.stream({ model: 'm', messages }).finalChatCompletion();
      await anthropic.messages.create({ model: 'm', max_tokens: 9, messages });
    };
    await call();
    expect(seen).toEqual(['openai', 'openai', 'anthropic']);
    Reflect.deleteProperty(openai.chat.completions, 'create');
    Reflect.deleteProperty(anthropic.messages, 'create');
    await call();
    expect(seen).toHaveLength(3);
    expect(emulator.received).toHaveLength(6);
  });

  it('N13: responses under `beta` are compacted too, and a stored prompt without input is sent unchanged', async () => {
    const emulator = await startEmulator({ text: 'Built.' });
    const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
    const client = compactOpenAI(plain, await engine(2_000));
    const input = talk(10, 400).map(({ role, content }) => ({
      role,
      content,
    })) as OpenAI.Responses.ResponseInputItem[];
    await client.beta.responses.create({ model: 'm', input: input as never, store: false });
    expect(emulator.received[0]!.text.length / 4).toBeLessThan(2_200);
    await client.responses.create({ model: 'm', prompt: { id: 'pmpt_1' } });
    expect(emulator.received[1]!.body).toEqual({ model: 'm', prompt: { id: 'pmpt_1' } });
  });

  it('N13: a client that resembles another may lack its optional endpoints', async () => {
    const create = () => Promise.resolve({ choices: [] });
    const spillway = await engine(2_000);
    const chat: { readonly chat: object; readonly responses?: object } = {
      chat: { completions: { create } },
    };
    expect(compactOpenAI(chat, spillway).responses).toBeUndefined();
    const claude: { readonly messages: object; readonly beta?: object | null } = {
      messages: { create },
      beta: null,
    };
    expect(compactAnthropic(claude, spillway).beta).toBeNull();
  });
});
