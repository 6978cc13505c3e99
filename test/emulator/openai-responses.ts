import type { Answer } from './acts.js';
import { openaiError } from './openai-error.js';
import { pieces, type AnswerRequest, type EmulatedWire, type StreamEvent } from './wire.js';

/** Counts reasoning items: each has its own id, which a conversation may hold once. */
let thoughts = 0;
let answers = 0;
let messages = 0;

interface Item {
  readonly type: string;
  readonly id: string;
  readonly [field: string]: unknown;
}

/** https://platform.openai.com/docs/api-reference/responses */
export const openaiResponses: EmulatedWire = {
  name: 'openai-responses',
  path: '/responses',
  failure: openaiError,
  broken: ({ message }) => ({
    name: 'error',
    payload: { type: 'error', code: 'server_error', message, param: null, sequence_number: 99 },
  }),

  whole: (request) => responseOf(request, statusOf(request.answer), itemsOf(request)),

  events(request: AnswerRequest): StreamEvent[] {
    const { answer } = request;
    const items = itemsOf(request);
    const events: StreamEvent[] = [];
    const push = (name: string, more: object): void => {
      const sequence_number = events.length;
      events.push({ name, payload: { type: name, ...more, sequence_number } });
    };
    const id = `resp_${++answers}`;
    const begun = responseOf(request, 'in_progress', [], id);
    push('response.created', { response: begun });
    push('response.in_progress', { response: begun });
    for (const [output_index, item] of items.entries()) {
      const at = { output_index, item_id: item.id };
      const opened = { ...item, status: 'in_progress' };
      if (item.type === 'message') {
        const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
        const inPart = { ...at, content_index: 0 };
        push('response.output_item.added', { output_index, item: { ...opened, content: [] } });
        push('response.content_part.added', { ...inPart, part });
        for (const delta of pieces(answer.text))
          push('response.output_text.delta', { ...inPart, delta, logprobs: [] });
        push('response.output_text.done', { ...inPart, text: answer.text, logprobs: [] });
        push('response.content_part.done', { ...inPart, part: { ...part, text: answer.text } });
      } else if (item.type === 'function_call') {
        const given = String(item['arguments']);
        push('response.output_item.added', { output_index, item: { ...opened, arguments: '' } });
        for (const delta of pieces(given)) push('response.function_call_arguments.delta', { ...at, delta });
        push('response.function_call_arguments.done', { ...at, arguments: given, name: item['name'] });
      } else {
        push('response.output_item.added', { output_index, item: opened });
      }
      push('response.output_item.done', { output_index, item });
    }
    const status = statusOf(answer);
    const last = status === 'completed' ? 'response.completed' : 'response.incomplete';
    push(last, { response: responseOf(request, status, items, id) });
    return events;
  },
};

type Status = 'in_progress' | 'completed' | 'incomplete';

const statusOf = ({ finish }: Answer): Status =>
  finish === 'length' || finish === 'content-filter' ? 'incomplete' : 'completed';

function itemsOf({ answer: { text, reasoning, calls }, body }: AnswerRequest): Item[] {
  const include = (body['include'] ?? []) as readonly unknown[];
  const sealed = include.includes('reasoning.encrypted_content') ? { encrypted_content: 'sealed' } : {};
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  const summary = [{ type: 'summary_text', text: reasoning }];
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', id: `rs_${++thoughts}`, summary, ...sealed }]),
    ...(text === '' && calls.length > 0
      ? []
      : [{ type: 'message', id: `msg_${++messages}`, role: 'assistant', status: 'completed', content }]),
    ...calls.map(({ id, name, arguments: given }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: given,
      status: 'completed',
    })),
  ];
}

function responseOf(
  { answer, model, body }: AnswerRequest,
  status: Status,
  output: readonly Item[],
  id = `resp_${++answers}`,
) {
  const { usage, finish } = answer;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    id,
    object: 'response',
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    instructions: body['instructions'] ?? null,
    metadata: {},
    model,
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: body['tools'] ?? [],
    top_p: 1,
    previous_response_id: body['previous_response_id'] ?? null,
    usage:
      status === 'in_progress'
        ? null
        : {
            input_tokens: input,
            input_tokens_details: { cached_tokens: usage.cacheReadTokens },
            output_tokens: usage.outputTokens,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: input + usage.outputTokens,
          },
  };
}
