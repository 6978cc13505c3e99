import { openaiResponses, type Fields } from '../../formats/index.js';
import type { Endpoint } from './endpoint.js';
import { RESPONSES_RECALL } from './recall/responses.js';
import { firstCount, usageIn } from './usage.js';

export const RESPONSES: Endpoint = {
  recall: RESPONSES_RECALL,
  format: 'openai-responses',
  maxOutputTokens: (body) => firstCount(body, 'max_output_tokens'),
  fault: ({ message, type, code }) => ({
    type: 'error',
    code: code ?? type ?? 'server_error',
    message,
    param: null,
    sequence_number: 0,
  }),
  usageReader: () => (event) => usageIn(openaiResponses, event),
  ownAnswer: (text, { model }) => ({
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
