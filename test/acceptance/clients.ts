import Anthropic from '@anthropic-ai/sdk';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage, ToolMessage, type AIMessage, type BaseMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { createOpenAI as createOpenAI4 } from '@ai-sdk/openai4';
import { generateText, streamText, tool, wrapLanguageModel, type ModelMessage, type ToolSet } from 'ai';
import { generateText as generateText7, wrapLanguageModel as wrap7 } from 'ai7';
import type { ModelMessage as ModelMessage7 } from 'ai7';
import { createAgent, createMiddleware, tool as langchainTool } from 'langchain';
import OpenAI from 'openai';
import { z } from 'zod';
import {
  compactAiSdk,
  compactAnthropic,
  compactLangChain,
  compactOpenAI,
  type DropInOptions,
} from '../../src/faces/adapters/index.js';
import type { Session } from '../../src/index.js';
import type { Emulator } from '../emulator/index.js';

/** One turn of a client that sends its complete history. */
export interface Answered {
  readonly text: string;
  readonly tools: readonly string[];
  readonly finish: unknown;
  readonly input: number | undefined;
}
/** Options of one call. */
export interface CallOptions {
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}
export type Ask = (words: string, how?: CallOptions) => Promise<Answered>;

export interface Wired {
  readonly name: string;
  readonly format: string;
  open(
    emulator: Emulator,
    session: Session,
    options?: DropInOptions & { readonly system?: string },
    past?: unknown[],
  ): { ask: Ask; history: unknown[] };
}

const LOOK = { type: 'object' as const, properties: { at: { type: 'string' } } };

export const chat = (stream: boolean): Wired => ({
  name: stream ? 'openai chat, streamed' : 'openai chat',
  format: 'openai-chat',
  open(emulator, session, { system, ...options } = {}, past = []) {
    const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
    const client = compactOpenAI(plain, { chat: session }, options);
    const messages = past as OpenAI.ChatCompletionMessageParam[];
    if (system !== undefined) messages.unshift({ role: 'system', content: system });
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters: LOOK } }];
    const ask: Ask = async (content, how = {}) => {
      messages.push({ role: 'user', content });
      const body = { model: 'm', messages, tools, ...(how.maxTokens && { max_tokens: how.maxTokens }) };
      const answer = stream
        ? await client.chat.completions
            .stream({ ...body, stream_options: { include_usage: true } }, { signal: how.signal })
            .finalChatCompletion()
        : await client.chat.completions.create(body, { signal: how.signal });
      const { message, finish_reason: finish } = answer.choices[0]!;
      messages.push(message);
      const made = message.tool_calls ?? [];
      for (const { id } of made) messages.push({ role: 'tool', tool_call_id: id, content: 'Seen.' });
      return {
        text: message.content ?? '',
        tools: made.map((call) => (call.type === 'function' ? call.function.name : '')),
        finish,
        input: answer.usage?.prompt_tokens,
      };
    };
    return { ask, history: messages };
  },
});

export const responses = (stream: boolean): Wired => ({
  name: stream ? 'openai responses, streamed' : 'openai responses',
  format: 'openai-responses',
  open(emulator, session, { system, ...options } = {}, past = []) {
    const plain = new OpenAI({ baseURL: emulator.url, apiKey: 'k', maxRetries: 0 });
    const client = compactOpenAI(plain, { responses: session }, options);
    const input = past as OpenAI.Responses.ResponseInputItem[];
    const tools = [{ type: 'function' as const, name: 'look', parameters: LOOK, strict: false }];
    const ask: Ask = async (content, how = {}) => {
      input.push({ role: 'user', content });
      const most = how.maxTokens && { max_output_tokens: how.maxTokens };
      const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content'];
      const told = system !== undefined && { instructions: system };
      const body = { model: 'm', ...told, input, tools, store: false, include, ...most };
      const answer = stream
        ? await client.responses.stream(body, { signal: how.signal }).finalResponse()
        : await client.responses.create(body, { signal: how.signal });
      input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]));
      const made = answer.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
      for (const { call_id } of made) input.push({ type: 'function_call_output', call_id, output: 'Seen.' });
      const text = answer.output
        .flatMap((item) => (item.type === 'message' ? item.content : []))
        .map((part) => (part.type === 'output_text' ? part.text : ''))
        .join('');
      const tool = made.map(({ name }) => name);
      return {
        text,
        tools: tool,
        finish: tool.length > 0 ? 'tool_calls' : answer.status === 'completed' ? 'stop' : answer.status,
        input: answer.usage?.input_tokens,
      };
    };
    return { ask, history: input };
  },
});

export const claude = (stream: boolean): Wired => ({
  name: stream ? 'anthropic, streamed' : 'anthropic',
  format: 'anthropic',
  open(emulator, session, { system, ...options } = {}, past = []) {
    const plain = new Anthropic({ baseURL: emulator.origin, apiKey: 'k', maxRetries: 0 });
    const client = compactAnthropic(plain, session, options);
    const messages = past as Anthropic.MessageParam[];
    const tools = [{ name: 'look', input_schema: LOOK }];
    let open: Anthropic.ToolResultBlockParam[] = [];
    const ask: Ask = async (text, how = {}) => {
      messages.push({ role: 'user', content: [...open, { type: 'text', text }] });
      const told = system !== undefined && { system };
      const body = { model: 'm', max_tokens: how.maxTokens ?? 100, ...told, messages, tools };
      const answer = stream
        ? await client.messages.stream(body, { signal: how.signal }).finalMessage()
        : await client.messages.create(body, { signal: how.signal });
      messages.push({ role: 'assistant', content: answer.content });
      const made = answer.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
      open = made.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Seen.' }));
      const words = answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      const { stop_reason: reason } = answer;
      const finish = reason === 'tool_use' ? 'tool_calls' : reason === 'max_tokens' ? 'length' : 'stop';
      const { input_tokens: fresh, cache_read_input_tokens: cached } = answer.usage;
      return { text: words, tools: made.map(({ name }) => name), finish, input: fresh + (cached ?? 0) };
    };
    return { ask, history: messages };
  },
});

/** The AI SDK with a model of this provider. */
export const aiSdk = (provider: 'chat' | 'compatible' | 'anthropic', stream: boolean): Wired => ({
  name: `ai sdk on ${provider}${stream ? ', streamed' : ''}`,
  format: 'ai-sdk',
  open(emulator, session, { system, ...options } = {}, past = []) {
    const plain = {
      chat: () => createOpenAI({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
      compatible: () => createOpenAICompatible({ name: 'e', baseURL: emulator.url, includeUsage: true })('m'),
      anthropic: () => createAnthropic({ baseURL: emulator.url, apiKey: 'k' })('claude-m'),
    }[provider]();
    const model = wrapLanguageModel({ model: plain, middleware: compactAiSdk(session, options) });
    const messages = past as ModelMessage[];
    const tools = { look: tool({ inputSchema: z.object({ at: z.string() }) }) } as unknown as ToolSet;
    const ask: Ask = async (content, how = {}) => {
      messages.push({ role: 'user', content });
      const asked = {
        model,
        ...(system !== undefined && { system }),
        messages,
        tools,
        maxRetries: 0,
        maxOutputTokens: how.maxTokens ?? 100,
        onError: () => undefined,
        ...(how.signal && { abortSignal: how.signal }),
      };
      const answer = stream ? streamText(asked) : await generateText(asked);
      const calls = await answer.toolCalls;
      messages.push(...(await answer.response).messages);
      if (calls.length > 0)
        messages.push({
          role: 'tool',
          content: calls.map(({ toolCallId, toolName }) => ({
            type: 'tool-result',
            toolCallId,
            toolName,
            output: { type: 'text', value: 'Seen.' },
          })),
        });
      return {
        text: await answer.text,
        tools: calls.map(({ toolName }) => toolName),
        finish: (await answer.finishReason) === 'tool-calls' ? 'tool_calls' : await answer.finishReason,
        input: (await answer.usage).inputTokens,
      };
    };
    return { ask, history: messages };
  },
});

/** The next major version of the AI SDK. */
export const aiSdk7: Wired = {
  name: 'ai sdk 7',
  format: 'ai-sdk',
  open(emulator, session, { system, ...options } = {}, past = []) {
    const model = wrap7({
      model: createOpenAI4({ baseURL: emulator.url, apiKey: 'k' }).chat('m'),
      // Its type comes from the installed version 6 of the SDK.
      middleware: compactAiSdk(session, options) as unknown as Parameters<typeof wrap7>[0]['middleware'],
    });
    const messages = past as ModelMessage7[];
    const ask: Ask = async (content) => {
      messages.push({ role: 'user', content });
      const told = system !== undefined && { instructions: system };
      const answer = await generateText7({ model, ...told, messages, maxRetries: 0 });
      messages.push(...answer.response.messages);
      return { text: answer.text, tools: [], finish: answer.finishReason, input: answer.usage.inputTokens };
    };
    return { ask, history: messages };
  },
};

/** An agent of LangChain, which runs its own tool within the call. */
export const langChain = (stream: boolean): Wired => ({
  name: `langchain${stream ? ', streamed' : ''}`,
  format: 'langchain',
  open(emulator, session, { system, ...options } = {}, past = []) {
    const model = new ChatOpenAI({
      model: 'm',
      apiKey: 'k',
      maxRetries: 0,
      configuration: { baseURL: emulator.url },
    });
    const look = langchainTool(() => 'Seen.', { name: 'look', schema: z.object({ at: z.string() }) });
    const middleware = [createMiddleware(compactLangChain(session, options))];
    const told = system !== undefined && { systemPrompt: system };
    const agent = createAgent({ model, tools: [look], middleware, ...told });
    const messages = past as BaseMessage[];
    const ask: Ask = async (content, how = {}) => {
      messages.push(new HumanMessage(content));
      const given = { messages: [...messages] };
      const stopped = how.signal ? { signal: how.signal } : {};
      const state = stream
        ? await lastOf(agent.stream(given, { streamMode: ['messages', 'values'], ...stopped }))
        : await agent.invoke(given, stopped);
      const fresh = state.messages.slice(messages.length);
      messages.push(...fresh);
      const last = fresh.at(-1)!;
      // An answer of the drop-in itself has no usage.
      const usage = (last as AIMessage).usage_metadata as { readonly input_tokens: number } | undefined;
      const finish: unknown = last.response_metadata.finish_reason ?? 'stop';
      return {
        text: last.text,
        tools: fresh.flatMap((one) => (one instanceof ToolMessage ? [one.name ?? ''] : [])),
        finish,
        input: usage?.input_tokens,
      };
    };
    return { ask, history: messages };
  },
});

/** The state at the end of a run that was streamed. */
async function lastOf(
  stream: Promise<AsyncIterable<unknown>>,
): Promise<{ readonly messages: BaseMessage[] }> {
  let state: unknown;
  for await (const [mode, value] of (await stream) as AsyncIterable<[string, unknown]>)
    if (mode === 'values') state = value;
  return state as { messages: BaseMessage[] };
}
