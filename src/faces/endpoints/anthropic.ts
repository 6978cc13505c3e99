import { anthropic, isFields, type Fields } from '../../formats/index.js';
import type { Endpoint } from './endpoint.js';
import { ANTHROPIC_RECALL } from './recall/anthropic.js';
import { firstCount, filled, usageIn } from './usage.js';

const NO_USAGE = { input_tokens: 0, output_tokens: 0 };

export const MESSAGES: Endpoint = {
  format: 'anthropic',
  recall: ANTHROPIC_RECALL,
  fault: ({ message, type = 'api_error' }) => ({ type: 'error', error: { type, message } }),
  maxOutputTokens: (body) => firstCount(body, 'max_tokens'),
  usageReader() {
    let usage: Fields = {};
    const content: unknown[] = [];
    return (event = {}) => {
      if (event.type === 'content_block_start') content.push(event.content_block);
      // A whole answer has its usage at the top level; a stream has it in its first event and its second to last.
      if (event.type === 'message') return usageIn(anthropic, event);
      const started = isFields(event.message) ? event.message.usage : undefined;
      for (const news of [started, event.usage]) if (isFields(news)) usage = { ...usage, ...filled(news) };
      return event.type === 'message_stop' ? usageIn(anthropic, { usage, content }) : undefined;
    };
  },
  ownAnswer(text, { model }) {
    const content = [{ type: 'text', text, citations: null }];
    const about = { id: 'msg_spillway', type: 'message', role: 'assistant', model };
    return { ...about, content, stop_reason: 'end_turn', stop_sequence: null, usage: NO_USAGE };
  },
  events(answer) {
    const [{ text }] = answer.content as [Fields];
    const message = { ...answer, content: [], stop_reason: null };
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: NO_USAGE },
      { type: 'message_stop' },
    ];
  },
};

/** A trailing assistant text (prefill) is no part of the history. It is sent after the history. */
export function withoutPrefill({ messages }: Fields): {
  readonly history: unknown;
  readonly prefill: readonly unknown[];
} {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const isPrefill = isFields(last) && last.role === 'assistant' && isTextOnly(last.content);
  return isPrefill && Array.isArray(messages)
    ? { history: messages.slice(0, -1), prefill: [last] }
    : { history: messages, prefill: [] };
}

function isTextOnly(content: unknown): boolean {
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every((block) => isFields(block) && block.type === 'text');
}
