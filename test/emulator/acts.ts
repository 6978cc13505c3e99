/** The emulated model's reaction to one call. */
export type Act =
  | 'good'
  /** A good answer, after `slowMs`. */
  | 'slow'
  /** Accepts the request and never answers. */
  | 'never'
  /** Sends half of an answer and never continues. */
  | 'stall'
  | 'rate-limit'
  | 'server-error'
  | 'overloaded'
  | 'wrong-key'
  /** Sends half of an answer and hangs up. */
  | 'cut'
  /** A stream that ends in an error event; without a stream, a server error. */
  | 'stream-error'
  | 'empty'
  | 'refusal'
  /** Stopped by the provider's own filter. */
  | 'content-filter'
  | 'error-text'
  /** Returns the whole request, twice. */
  | 'echo'
  | 'oversized'
  | 'length'
  | 'think'
  | 'open-think'
  | 'tool-call'
  | 'not-json'
  | 'context-length'
  /** An answer of the test's own. */
  | Said
  /** Any HTTP answer. */
  | { readonly status: number; readonly body: unknown };

export interface Said {
  readonly text?: string;
  /** The model's reasoning, separate from the text. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly SaidCall[];
  readonly usage?: Partial<SaidUsage>;
  /** Each chunk of a chat reports the usage so far, as some servers do. */
  readonly usageInEach?: boolean;
  /** The stream ends without the event that finishes it. */
  readonly breaksOff?: boolean;
  /** If absent: `stop`, or `tool-calls` if the answer calls a tool. */
  readonly finish?: Finish;
}

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  /** Written as JSON, unless it is a string already. */
  readonly arguments: unknown;
}

export interface SaidUsage {
  /** Input tokens that are not from the cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

export type Finish = 'stop' | 'length' | 'tool-calls' | 'content-filter';

/** The answer of an act, independent of any provider. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly usage: SaidUsage;
  readonly usageInEach: boolean;
  readonly finish: Finish;
}

/** A failure before any answer. */
export interface Failure {
  readonly status: number;
  readonly kind: 'rate-limit' | 'server' | 'overloaded' | 'authentication' | 'context-length';
  readonly message: string;
}

export const GOOD =
  'Goal: build the mill. Progress: walls done. Next steps: the roof was planned. Path: src/mill.ts';

/** The text of failed or refused answers. It must never be in a history. */
export const POISON = 'POISON-FROM-THE-SERVER';

const SAID: Readonly<Record<string, string>> = {
  good: GOOD,
  slow: GOOD,
  stall: GOOD,
  cut: GOOD,
  'stream-error': GOOD,
  empty: '  \n',
  refusal: `I'm sorry, but I can't help with that. ${POISON}`,
  'content-filter': `${POISON} the walls`,
  'error-text': `Error generating summary: ${POISON}`,
  length: `${POISON} the walls we`,
  think: `<think>${POISON}</think>${GOOD}`,
  'open-think': `<think>${POISON} the user wants`,
  'tool-call': '',
};

const FAILURES: Readonly<Record<string, Failure>> = {
  'rate-limit': { status: 429, kind: 'rate-limit', message: 'Rate limit reached' },
  'server-error': { status: 500, kind: 'server', message: 'The server had an error' },
  overloaded: { status: 529, kind: 'overloaded', message: 'Overloaded' },
  'wrong-key': { status: 401, kind: 'authentication', message: 'Incorrect API key provided' },
  'context-length': {
    status: 400,
    kind: 'context-length',
    message: "This model's maximum context length is 8192 tokens.",
  },
};

const USAGE: SaidUsage = { inputTokens: 800, cacheReadTokens: 200, cacheWriteTokens: 0, outputTokens: 50 };

export const failureOf = (act: Act): Failure | undefined =>
  typeof act === 'string' ? FAILURES[act] : undefined;

/** `request` is the whole request as text. */
export function answerOf(act: Exclude<Act, { readonly status: number }>, request: string): Answer {
  const said: Said = typeof act === 'object' ? act : namedAct(act, request);
  const calls = (said.toolCalls ?? []).map(({ id, name, arguments: given }) => ({
    id,
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  }));
  return {
    text: said.text ?? '',
    reasoning: said.reasoning ?? '',
    calls,
    usage: { ...USAGE, ...said.usage },
    usageInEach: said.usageInEach ?? false,
    finish: said.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
  };
}

function namedAct(act: string, request: string): Said {
  if (act === 'echo') return { text: request + request };
  if (act === 'oversized')
    return { text: Array.from({ length: 5_000 }, (_, i) => `- step ${i} was done`).join('\n') };
  const text = SAID[act] ?? '';
  if (act === 'length' || act === 'content-filter') return { text, finish: act };
  if (act === 'tool-call') return { text, toolCalls: [{ id: 'call_1', name: 'read', arguments: {} }] };
  return { text };
}
