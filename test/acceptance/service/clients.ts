import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { createAgent, tool as langchainTool } from 'langchain';
import OpenAI from 'openai';
import { z } from 'zod';
import { prose } from '../support.js';

/** An agent that reads file after file until its model says that it is done. Its client knows nothing of Spillway. */
export interface Agent {
  readonly name: string;
  /** `origin`: base URL without /v1. Resolves with the final words. */
  run(origin: string): Promise<string>;
}

const TASK = 'Read every file of the mill and say what stands.';
const RULES = 'Never touch the weir.';
/** The size of a tool's result, in tokens of four characters. */
const OUTPUT = 300;
/** More steps than any test needs. */
const MOST_STEPS = 200;

let reads = 0;
const readFile = (): string => prose(OUTPUT, ++reads);

const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

const openai = (origin: string): OpenAI =>
  new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'client-key', maxRetries: 0 });

const CHAT_TOOLS: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'read', parameters: PARAMETERS } },
];

async function chat(origin: string, streams: boolean): Promise<string> {
  const client = openai(origin);
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: RULES },
    { role: 'user', content: TASK },
  ];
  for (let step = 0; step < MOST_STEPS; step++) {
    const body = { model: 'm', messages, tools: CHAT_TOOLS };
    const message = streams
      ? (await client.chat.completions.stream(body).finalChatCompletion()).choices[0]!.message
      : (await client.chat.completions.create(body)).choices[0]!.message;
    messages.push(message);
    if (!message.tool_calls) return message.content!;
    for (const { id } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: readFile() });
  }
  throw new Error('the model never said that it was done');
}

async function responses(origin: string, streams: boolean): Promise<string> {
  const client = openai(origin);
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: TASK }];
  for (let step = 0; step < MOST_STEPS; step++) {
    const body = {
      model: 'm',
      instructions: RULES,
      input,
      store: false,
      tools: [{ type: 'function' as const, name: 'read', parameters: PARAMETERS, strict: false }],
    };
    const answer = streams
      ? await client.responses.stream(body).finalResponse()
      : await client.responses.create(body);
    input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]));
    const calls = answer.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    if (calls.length === 0) return answer.output_text;
    for (const { call_id } of calls)
      input.push({ type: 'function_call_output', call_id, output: readFile() });
  }
  throw new Error('the model never said that it was done');
}

async function anthropic(origin: string, streams: boolean): Promise<string> {
  const client = new Anthropic({ baseURL: origin, apiKey: 'client-key', maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: TASK }];
  for (let step = 0; step < MOST_STEPS; step++) {
    const body = {
      model: 'm',
      max_tokens: 500,
      system: [{ type: 'text' as const, text: RULES, cache_control: { type: 'ephemeral' as const } }],
      messages,
      tools: [{ name: 'read', input_schema: PARAMETERS as Anthropic.Tool.InputSchema }],
      thinking: { type: 'enabled' as const, budget_tokens: 1_024 },
    };
    const answer = streams
      ? await client.messages.stream(body).finalMessage()
      : await client.messages.create(body);
    messages.push({ role: 'assistant', content: answer.content });
    const calls = answer.content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0)
      return answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    messages.push({
      role: 'user',
      content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: readFile() })),
    });
  }
  throw new Error('the model never said that it was done');
}

const aiTools = {
  read: tool({ inputSchema: z.object({ path: z.string() }), execute: async () => readFile() }),
};

export const AGENTS: readonly Agent[] = [
  { name: 'openai: chat.completions', run: (origin) => chat(origin, false) },
  { name: 'openai: chat.completions, streamed', run: (origin) => chat(origin, true) },
  { name: 'openai: responses', run: (origin) => responses(origin, false) },
  { name: 'openai: responses, streamed', run: (origin) => responses(origin, true) },
  { name: '@anthropic-ai/sdk: messages, with thinking', run: (origin) => anthropic(origin, false) },
  { name: '@anthropic-ai/sdk: messages, streamed, with thinking', run: (origin) => anthropic(origin, true) },
  {
    name: 'ai: generateText',
    run: async (origin) => {
      const model = createOpenAI({ baseURL: `${origin}/v1`, apiKey: 'client-key' }).chat('m');
      const stopWhen = stepCountIs(MOST_STEPS);
      return (
        await generateText({ model, system: RULES, prompt: TASK, tools: aiTools, stopWhen, maxRetries: 0 })
      ).text;
    },
  },
  {
    name: 'ai: streamText',
    run: async (origin) => {
      const model = createOpenAI({ baseURL: `${origin}/v1`, apiKey: 'client-key' }).chat('m');
      const stopWhen = stepCountIs(MOST_STEPS);
      const answer = streamText({
        model,
        system: RULES,
        prompt: TASK,
        tools: aiTools,
        stopWhen,
        maxRetries: 0,
      });
      let text = '';
      for await (const part of answer.fullStream) {
        if (part.type === 'error') throw part.error;
        if (part.type === 'text-delta') text += part.text;
      }
      return text;
    },
  },
  {
    name: 'langchain: createAgent',
    run: async (origin) => {
      const model = new ChatOpenAI({
        model: 'm',
        apiKey: 'client-key',
        maxRetries: 0,
        configuration: { baseURL: `${origin}/v1` },
      });
      const read = langchainTool(() => readFile(), {
        name: 'read',
        description: 'Reads a file.',
        schema: z.object({ path: z.string() }),
      });
      const agent = createAgent({ model, tools: [read], systemPrompt: RULES });
      const { messages } = await agent.invoke(
        { messages: [{ role: 'user', content: TASK }] },
        { recursionLimit: 2 * MOST_STEPS + 10 },
      );
      return String(messages.at(-1)!.content);
    },
  },
];
