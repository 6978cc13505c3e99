import type { Answer } from './acts.js';
import { openaiError } from './openai-error.js';
import { pieces, type AnswerRequest, type EmulatedWire, type StreamEvent } from './wire.js';

const FINISH = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
} as const;

let answers = 0;

/** Each answer has its own id, by which clients distinguish answers. */
const frame = () => ({ id: `chatcmpl-${++answers}`, created: 1_700_000_000 });

/** https://platform.openai.com/docs/api-reference/chat */
export const openaiChat: EmulatedWire = {
  name: 'openai-chat',
  path: '/chat/completions',
  failure: openaiError,
  broken: (failure) => ({ payload: openaiError(failure) }),

  whole({ answer, model }) {
    const { text, reasoning, calls, finish } = answer;
    const message = {
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      refusal: null,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls.map((call) => callOf(call)) }),
    };
    const choice = { index: 0, message, logprobs: null, finish_reason: FINISH[finish] };
    return { ...frame(), object: 'chat.completion', model, choices: [choice], usage: usageOf(answer) };
  },

  events({ answer, model, body }: AnswerRequest): StreamEvent[] {
    const { text, reasoning, calls, finish } = answer;
    const framed = frame();
    const chunk = (delta: unknown, reason: string | null = null): StreamEvent => ({
      payload: {
        ...framed,
        object: 'chat.completion.chunk',
        model,
        choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
        ...(answer.usageInEach && { usage: usageOf(answer) }),
      },
    });
    const options = body['stream_options'] as { readonly include_usage?: boolean } | undefined;
    const last = { ...framed, object: 'chat.completion.chunk', model, choices: [], usage: usageOf(answer) };
    return [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(reasoning).map((piece) => chunk({ reasoning_content: piece })),
      ...pieces(text).map((piece) => chunk({ content: piece })),
      ...calls.flatMap((call, index) => [
        chunk({ tool_calls: [{ index, ...callOf({ ...call, arguments: '' }) }] }),
        ...pieces(call.arguments).map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
      chunk({}, FINISH[finish]),
      ...(options?.include_usage === true ? [{ payload: last }] : []),
      { payload: '[DONE]' },
    ];
  },
};

const callOf = ({ id, name, arguments: given }: Answer['calls'][number]) => ({
  id,
  type: 'function',
  function: { name, arguments: given },
});

function usageOf({ usage }: Answer): unknown {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
