import { isFields, type Fields } from '../wire/index.js';
import type { Usage } from '../tokens/index.js';
import { CHAT_RECALL } from './recall-chat.js';
import type { RecallWire } from './recall-loop.js';
import { RESPONSES_RECALL } from './recall-responses.js';
import { countIn, usageOf } from './turns.js';

/** One endpoint: where its messages stand, what its usage is called, and how an answer in its place looks. */
export interface Endpoint {
  readonly field: 'messages' | 'input';
  usage(event: Fields): Usage | undefined;
  say(words: string, body: Fields): Fields;
  events(whole: Fields): readonly Fields[];
  readonly recall: RecallWire;
  /** The line that ends a stream, where there is one. */
  readonly done?: string;
}

export const CHAT: Endpoint = {
  recall: CHAT_RECALL,
  field: 'messages',
  done: 'data: [DONE]\n\n',
  usage: ({ usage }) => {
    if (!isFields(usage)) return undefined;
    const cached = countIn(usage.prompt_tokens_details, 'cached_tokens');
    return usageOf(countIn(usage, 'prompt_tokens'), cached, 0, countIn(usage, 'completion_tokens'));
  },
  say: (content, { model }) => ({
    id: 'spillway',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        finish_reason: 'stop',
        logprobs: null,
      },
    ],
  }),
  events: ({ id, model, created, choices }) => {
    const [{ message }] = choices as [{ message: Fields }];
    const chunk = (delta: Fields, finish: string | null): Fields => ({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
    });
    return [chunk({ role: 'assistant', content: message.content }, null), chunk({}, 'stop')];
  },
};

export const RESPONSES: Endpoint = {
  recall: RESPONSES_RECALL,
  field: 'input',
  usage: (event) => {
    const { usage } = isFields(event.response) ? event.response : event;
    if (!isFields(usage)) return undefined;
    const cached = countIn(usage.input_tokens_details, 'cached_tokens');
    return usageOf(countIn(usage, 'input_tokens'), cached, 0, countIn(usage, 'output_tokens'));
  },
  say: (text, { model }) => ({
    id: 'spillway',
    object: 'response',
    created_at: 0,
    status: 'completed',
    model,
    error: null,
    incomplete_details: null,
    output: [
      {
        id: 'msg_spillway',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    output_text: text,
  }),
  events: (response) => {
    const [item] = response.output as [Fields];
    const [part] = item.content as [Fields];
    const at = { output_index: 0, content_index: 0, item_id: item.id };
    const events: Fields[] = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', ...at, delta: part.text },
      { type: 'response.output_text.done', ...at, text: part.text },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
    return events.map((event, sequence) => ({ ...event, sequence_number: sequence }));
  },
};
