import type {
  FilePart,
  Label,
  Message,
  Origin,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../src/transcript/index.js';

/** A message before it has its id: `conversation` numbers them m0, m1, … by place. */
export type Draft = Omit<Message, 'id'> & { readonly id?: string };

export const text = (words: string): TextPart => ({ type: 'text', text: words });
export const image = (bytes = 1_000): FilePart => ({ type: 'file', mediaType: 'image/png', bytes });
export const thought = (words: string, signature?: string): ReasoningPart => ({
  type: 'reasoning',
  text: words,
  ...(signature !== undefined && { signature }),
});

/** A call for a step: `calls(call('read', { path: 'a.ts' }, 'c1'))`. */
export const call = (name: string, args: unknown = {}, callId = 'c1'): ToolCallPart => ({
  type: 'tool-call',
  callId,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
});

export const answer = (callId: string, ...content: (string | TextPart | FilePart)[]): ToolResultPart => ({
  type: 'tool-result',
  callId,
  content: content.map((part) => (typeof part === 'string' ? text(part) : part)),
});

const message = (role: Message['role'], origin: Origin, parts: readonly (string | Part)[]): Draft => ({
  role,
  origin,
  parts: parts.map((part) => (typeof part === 'string' ? text(part) : part)),
});

export const system = (...parts: (string | Part)[]): Draft => message('system', 'system', parts);
export const user = (...parts: (string | Part)[]): Draft => message('user', 'user', parts);
export const says = (...parts: (string | Part)[]): Draft => message('assistant', 'model', parts);
export const calls = says;
export const result = (callId: string, ...content: (string | TextPart | FilePart)[]): Draft =>
  message('tool', 'tool', [answer(callId, ...content)]);
export const reminder = (...parts: (string | Part)[]): Draft => message('user', 'synthetic', parts);
export const pinned = (draft: Draft): Draft => ({ ...draft, pinned: true });
export const named = (id: string, draft: Draft): Draft => ({ ...draft, id });

/** A stage's replacement of a span. */
export const summary = (id: string, words: string, label: Label = 'summary'): Message => ({
  id,
  role: 'assistant',
  origin: 'synthetic',
  label,
  parts: [text(words)],
});

export function conversation(...drafts: readonly Draft[]): Message[] {
  return drafts.map((draft, i) => ({ id: `m${i}`, ...draft }));
}

/** `n` words, each one token by the counter of these tests. */
export const words = (n: number, word = 'word'): string => Array.from({ length: n }, () => word).join(' ');
