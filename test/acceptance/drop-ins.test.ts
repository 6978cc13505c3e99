import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from '@jest/globals';
import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import {
  generateText as generateText7,
  wrapLanguageModel as wrap7,
  type ModelMessage as ModelMessage7,
} from 'ai7';
import { createOpenAI as createOpenAI4 } from '@ai-sdk/openai4';
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel, type ModelMessage } from 'ai';
import { createAgent, createMiddleware, tool as langchainTool } from 'langchain';
import OpenAI from 'openai';
import { z } from 'zod';
import {
  compactAiSdk,
  compactLangChain,
  compactOpenAI,
  type DropInOptions,
} from '../../src/faces/adapters/index.js';
import type { Session } from '../../src/index.js';
import { validators } from '../../src/testkit/index.js';
import { startEmulator, type Act, type Emulator } from '../emulator/index.js';
import { engine, prose } from './support.js';

const BUDGET = 3_000;
/** An honest model: it reports what it was sent, four characters a token, some of it from the cache. */
const said = ({ text }: { readonly text: string }): Act => ({
  text: 'Built.',
  usage: { inputTokens: Math.ceil(text.length / 4) - 100, cacheReadTokens: 100, outputTokens: 5 },
});

async function session(format: string): Promise<Session> {
  return (await engine(BUDGET, {}, { format })).session();
}

/** What each request held, in tokens of four characters, and what its wire's rules say of it. */
function judged(emulator: Emulator): readonly number[] {
  return emulator.received.map(({ wire, body }) => {
    expect(validators.get(wire)!(body)).toEqual([]);
    return JSON.stringify(body.messages ?? body.input).length / 4;
  });
}

type Say = (words: string) => Promise<string>;

/** A user who asks and asks, each time with something long; what the client says is its whole history. */
async function converse(say: Say, turns = 12): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    expect(await say(`Question ${turn}: ${prose(400, turn)}`)).toBe('Built.');
  }
}

/** One drop-in around a real client, asked in one way. */
interface DropIn {
  readonly name: string;
  readonly format: string;
  open(emulator: Emulator, session: Session, commands?: DropInOptions): Say;
}

const DROP_INS: readonly DropIn[] = [
  {
    name: 'openai: chat.completions.create',
    format: 'openai-chat',
    open: (emulator, chat, commands) => {
      const client = compactOpenAI(
        new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }),
        { chat },
        commands,
      );
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'Be brief.' }];
      return async (content) => {
        messages.push({ role: 'user', content });
        const { choices } = await client.chat.completions.create({ model: 'm', messages });
        messages.push(choices[0]!.message);
        return choices[0]!.message.content!;
      };
    },
  },
  {
    name: 'openai: chat.completions, streamed',
    format: 'openai-chat',
    open: (emulator, chat, commands) => {
      const client = compactOpenAI(
        new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }),
        { chat },
        commands,
      );
      const messages: OpenAI.ChatCompletionMessageParam[] = [];
      return async (content) => {
        messages.push({ role: 'user', content });
        const stream = client.chat.completions.stream({
          model: 'm',
          messages,
          stream_options: { include_usage: true },
        });
        const { message } = (await stream.finalChatCompletion()).choices[0]!;
        messages.push(message);
        return message.content!;
      };
    },
  },
  {
    name: 'openai: responses.create',
    format: 'openai-responses',
    open: (emulator, responses, commands) => {
      const client = compactOpenAI(
        new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }),
        { responses },
        commands,
      );
      const input: OpenAI.Responses.ResponseInputItem[] = [];
      return async (content) => {
        input.push({ role: 'user', content });
        const answer = await client.responses.create({
          model: 'm',
          instructions: 'Be brief.',
          input,
          store: false,
        });
        input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]));
        return answer.output_text;
      };
    },
  },
  {
    name: 'openai: responses, streamed',
    format: 'openai-responses',
    open: (emulator, responses, commands) => {
      const client = compactOpenAI(
        new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 }),
        { responses },
        commands,
      );
      const input: OpenAI.Responses.ResponseInputItem[] = [];
      return async (content) => {
        input.push({ role: 'user', content });
        const answer = await client.responses.stream({ model: 'm', input, store: false }).finalResponse();
        input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]));
        return answer.output_text;
      };
    },
  },
  {
    name: 'ai: generateText',
    format: 'ai-sdk',
    open: (emulator, one, commands) => {
      const model = wrapLanguageModel({
        model: createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
        middleware: compactAiSdk(one, commands),
      });
      const messages: ModelMessage[] = [];
      return async (content) => {
        messages.push({ role: 'user', content });
        const { text, response } = await generateText({
          model,
          system: 'Be brief.',
          messages,
          maxRetries: 0,
        });
        messages.push(...response.messages);
        return text;
      };
    },
  },
  {
    name: 'ai: streamText',
    format: 'ai-sdk',
    open: (emulator, one, commands) => {
      const model = wrapLanguageModel({
        model: createOpenAICompatible({ name: 'e', baseURL: emulator.url, includeUsage: true })('m'),
        middleware: compactAiSdk(one, commands),
      });
      const messages: ModelMessage[] = [];
      return async (content) => {
        messages.push({ role: 'user', content });
        const answer = streamText({ model, messages, maxRetries: 0, onError: () => undefined });
        const text = await answer.text;
        messages.push(...(await answer.response).messages);
        return text;
      };
    },
  },
  {
    name: 'ai 7: generateText',
    format: 'ai-sdk',
    open: (emulator, one, commands) => {
      const model = wrap7({
        model: createOpenAI4({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
        // Its type is that of the SDK beside it, here version 6.
        middleware: compactAiSdk(one, commands) as unknown as Parameters<typeof wrap7>[0]['middleware'],
      });
      const messages: ModelMessage7[] = [];
      return async (content) => {
        messages.push({ role: 'user', content });
        const { text, response } = await generateText7({
          model,
          instructions: 'Be brief.',
          messages,
          maxRetries: 0,
        });
        messages.push(...response.messages);
        return text;
      };
    },
  },
  {
    name: 'langchain: an agent',
    format: 'langchain',
    open: (emulator, one, commands) => {
      const model = new ChatOpenAI({
        model: 'm',
        apiKey: 'k',
        maxRetries: 0,
        configuration: { baseURL: emulator.url },
      });
      const middleware = [createMiddleware(compactLangChain(one, commands))];
      const agent = createAgent({ model, tools: [], systemPrompt: 'Be brief.', middleware });
      let messages: BaseMessage[] = [];
      return async (content) => {
        const state = await agent.invoke({ messages: [...messages, new HumanMessage(content)] });
        ({ messages } = state);
        return messages.at(-1)!.text;
      };
    },
  },
];

describe.each(DROP_INS)('N13: $name', ({ format, open }) => {
  it('N13: sends what fits, all of it legal, while the client goes on sending everything', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = said;
    const one = await session(format);
    await converse(open(emulator, one));
    const sizes = judged(emulator);
    expect(sizes).toHaveLength(12);
    expect(Math.max(...sizes)).toBeLessThan(BUDGET * 1.2);
    expect(one.operator.history.length).toBeGreaterThan(0);
    // Nothing was taken for a client that went back.
    expect(one.log.length).toBeGreaterThanOrEqual(23);
    expect(one.operator.costs.primary).toMatchObject({ calls: 12 });
    expect(one.reading.basis).not.toBe('estimated');
  });

  it('N13: is compacted and sent once more where the provider finds it too long, and only once', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = said;
    const one = await session(format);
    const say = open(emulator, one);
    await converse(say, 3);
    emulator.script = ['context-length'];
    expect(await say('And now?')).toBe('Built.');
    const [refused, again] = judged(emulator).slice(-2);
    expect(again!).toBeLessThan(refused!);
    emulator.otherwise = 'context-length';
    const before = emulator.received.length;
    await expect(say('And then?')).rejects.toBeDefined();
    expect(emulator.received.length - before).toBeLessThanOrEqual(2);
  });

  it('A6: compacts at once where the user says /compact, and the model hears nothing of it', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = said;
    const one = await session(format);
    const say = open(emulator, one, { commands: true });
    await converse(say, 4);
    const calls = emulator.received.length;
    const compactions = one.operator.history.length;
    expect(await say('/compact')).toMatch(/^\[spillway\] Compacted/);
    expect(emulator.received).toHaveLength(calls);
    expect(await say('Go on.')).toBe('Built.');
    expect(emulator.received.at(-1)!.text).not.toContain('/compact');
    expect(one.operator.history).toHaveLength(compactions + 1);
    // With more behind it, it is what the user says to the model.
    expect(await say('/compact is a command, is it not?')).toBe('Built.');
    expect(emulator.received.at(-1)!.text).toContain('/compact is a command, is it not?');
    expect(one.operator.history).toHaveLength(compactions + 1);
  });

  it('A6: is nobody’s command unless the host says so: /compact is text like any other', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = said;
    const one = await session(format);
    expect(await open(emulator, one)('/compact')).toBe('Built.');
    expect(emulator.received.at(-1)!.text).toContain('/compact');
    expect(one.operator.history).toEqual([]);
  });
});

/** Looks five times, each time with an id of its own, then says that it is done. */
const looking =
  (emulator: Emulator) =>
  (request: { readonly text: string }): Act => {
    const { usage } = said(request) as { usage: object };
    const at = emulator.received.length;
    return at < 5 ? { toolCalls: [{ id: `c${at}`, name: 'look', arguments: { at } }], usage } : said(request);
  };

describe('N13: tools, through drop-ins', () => {
  it('N13: the AI SDK runs them, and each step goes through the session', async () => {
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

  it('N13: LangChain runs them, and its state keeps all that was said', async () => {
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

  it('N13: the openai client keeps its own promises: raw responses, parsing, and histories that the provider keeps', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = { text: '{"a":1}' };
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
    expect((await client.models.list()).data).toHaveLength(1);
    await client.responses.create({ model: 'm', input: 'Hi', previous_response_id: 'r' });
    expect(emulator.received.at(-1)!.body).toMatchObject({ previous_response_id: 'r', input: 'Hi' });
  });
});
