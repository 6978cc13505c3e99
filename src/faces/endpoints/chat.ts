import { isFields, listOf, openaiChat, type Fields } from '../../formats/index.js';
import type { Usage } from '../../tokens/index.js';
import type { Endpoint } from './endpoint.js';
import { CHAT_RECALL } from './recall/chat.js';
import { firstCount, usageIn } from './usage.js';

export const CHAT: Endpoint = {
  recall: CHAT_RECALL,
  format: 'openai-chat',
  maxOutputTokens: (body) => firstCount(body, 'max_completion_tokens', 'max_tokens'),
  doneLine: 'data: [DONE]\n\n',
  fault: ({ message, type = 'server_error', code = null }) => ({
    error: { message, type, param: null, code },
  }),
  usageReader() {
    let newest: Usage | undefined;
    return (answer) => {
      newest = usageIn(openaiChat, answer) ?? newest;
      // Some servers report the usage so far in every chunk, so the last report counts.
      const [choice] = listOf(answer?.choices);
      if (isFields(choice) && !isFields(choice.message)) return undefined;
      const used = newest;
      newest = undefined;
      return used;
    };
  },
  ownAnswer: (content, { model }) => ({
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
