import type { Answer, Failure } from './acts.js';
import { pieces, type AnswerRequest, type EmulatedWire, type StreamEvent } from './wire.js';

const FINISH = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
} as const;

const TYPES: Readonly<Record<Failure['kind'], string>> = {
  'rate-limit': 'rate_limit_error',
  server: 'api_error',
  overloaded: 'overloaded_error',
  authentication: 'authentication_error',
  'context-length': 'invalid_request_error',
};

/** https://docs.anthropic.com/en/api/messages */
export const anthropicMessages: EmulatedWire = {
  name: 'anthropic-messages',
  path: '/messages',
  failure: errorOf,
  broken: (failure) => ({ name: 'error', payload: errorOf(failure) }),

  whole: (request) => ({
    ...messageOf(request),
    content: blocksOf(request.answer).map(({ whole }) => whole),
    stop_reason: FINISH[request.answer.finish],
    usage: usageOf(request.answer),
  }),

  events(request: AnswerRequest): StreamEvent[] {
    const { answer } = request;
    const event = (name: string, more: object = {}): StreamEvent => ({
      name,
      payload: { type: name, ...more },
    });
    const start = {
      ...messageOf(request),
      content: [],
      stop_reason: null,
      usage: { ...usageOf(answer), output_tokens: 1 },
    };
    return [
      event('message_start', { message: start }),
      event('ping'),
      ...blocksOf(answer).flatMap(({ empty, deltas }, index) => [
        event('content_block_start', { index, content_block: empty }),
        ...deltas.map((delta) => event('content_block_delta', { index, delta })),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', {
        delta: { stop_reason: FINISH[answer.finish], stop_sequence: null },
        usage: { output_tokens: answer.usage.outputTokens },
      }),
      event('message_stop'),
    ];
  },
};

interface Block {
  readonly whole: object;
  readonly empty: object;
  readonly deltas: readonly object[];
}

function blocksOf({ text, reasoning, calls }: Answer): Block[] {
  const thinking: Block = {
    whole: { type: 'thinking', thinking: reasoning, signature: 'sig' },
    empty: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces(reasoning).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature: 'sig' },
    ],
  };
  const words: Block = {
    whole: { type: 'text', text },
    empty: { type: 'text', text: '' },
    deltas: pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
  };
  return [
    ...(reasoning === '' ? [] : [thinking]),
    ...(text === '' && calls.length > 0 ? [] : [words]),
    ...calls.map(({ id, name, arguments: given }) => ({
      whole: { type: 'tool_use', id, name, input: inputOf(given) },
      empty: { type: 'tool_use', id, name, input: {} },
      deltas: pieces(given).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    })),
  ];
}

/** Invalid JSON arguments do not fit a whole answer on this wire; a stream can carry them. */
function inputOf(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return {};
  }
}

const messageOf = ({ model }: AnswerRequest) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  stop_sequence: null,
});

const usageOf = ({ usage }: Answer) => ({
  input_tokens: usage.inputTokens,
  cache_creation_input_tokens: usage.cacheWriteTokens,
  cache_read_input_tokens: usage.cacheReadTokens,
  output_tokens: usage.outputTokens,
});

function errorOf({ kind, message }: Failure): unknown {
  return { type: 'error', error: { type: TYPES[kind], message }, request_id: 'req_1' };
}
