import type { Act } from './index.js';

export type Wire = 'openai' | 'anthropic';

export const GOOD =
  'Goal: build the mill. Progress: walls done. Next steps: the roof was planned. Path: src/mill.ts';

/** What servers say; none of it may ever stand in a history. */
export const POISON = 'POISON-FROM-THE-SERVER';

const SAID: Readonly<Record<string, string>> = {
  good: GOOD,
  slow: GOOD,
  empty: '  \n',
  refusal: `I'm sorry, but I can't help with that. ${POISON}`,
  'error-text': `Error generating summary: ${POISON}`,
  length: `${POISON} the walls we`,
  think: `<think>${POISON}</think>${GOOD}`,
  'open-think': `<think>${POISON} the user wants`,
  'tool-call': '',
};

const FAILED: Readonly<Record<string, readonly [status: number, message: string]>> = {
  'rate-limit': [429, 'Rate limit reached'],
  'server-error': [500, 'The server had an error'],
  'wrong-key': [401, 'Incorrect API key provided'],
  'context-length': [400, "This model's maximum context length is 8192 tokens."],
};

export interface Wired {
  readonly status: number;
  readonly payload: unknown;
}

export function answerAs(wire: Wire, act: Act, request: string, model: string): Wired {
  if (act === 'not-json') return { status: 200, payload: `<html>${POISON}</html>` };
  const failed = typeof act === 'string' ? FAILED[act] : undefined;
  if (failed) {
    const [status, message] = failed;
    const error = { type: 'error', message: `${message} ${POISON}`, code: null, param: null };
    return { status, payload: wire === 'anthropic' ? { type: 'error', error } : { error } };
  }
  const calls = act === 'tool-call';
  const text = saidBy(act, request);
  return {
    status: 200,
    payload: wire === 'anthropic' ? message(text, model, act, calls) : completion(text, model, act, calls),
  };
}

function saidBy(act: Act, request: string): string {
  if (typeof act === 'object') return act.text;
  if (act === 'echo') return request + request;
  if (act === 'oversized') return Array.from({ length: 5_000 }, (_, i) => `- step ${i} was done`).join('\n');
  return SAID[act]!;
}

function completion(text: string, model: string, act: Act, calls: boolean): unknown {
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, ...(calls && { tool_calls: [call] }) },
        finish_reason: calls ? 'tool_calls' : act === 'length' ? 'length' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: 1_000,
      completion_tokens: 50,
      total_tokens: 1_050,
      prompt_tokens_details: { cached_tokens: 200 },
    },
  };
}

function message(text: string, model: string, act: Act, calls: boolean): unknown {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      { type: 'text', text },
      ...(calls ? [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] : []),
    ],
    stop_reason: calls ? 'tool_use' : act === 'length' ? 'max_tokens' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 800,
      output_tokens: 50,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 0,
    },
  };
}
