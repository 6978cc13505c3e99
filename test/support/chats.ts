/** Four characters a token, so that sizes are easy to compute and no tokenizer has to be loaded. */
export const quarter = {
  name: 'quarter',
  exact: false,
  count: (text: string): number => Math.ceil(text.length / 4),
};

const WORDS =
  'the river runs past an old mill and over a low wall where boats wait for rain while wind turns round the hill'.split(
    ' ',
  );

/** Exactly `tokens` tokens of everyday words, different for each seed, without any name or number to refer to. */
export function prose(tokens: number, seed = 0): string {
  let text = '';
  let state = seed * 7_919 + 17;
  for (let i = 1; text.length < 4 * tokens; i++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += WORDS[state % WORDS.length]! + (i % 12 === 0 ? '\n' : ' ');
  }
  return `${text.slice(0, 4 * tokens - 1)}.`;
}

export type Chat = Record<string, unknown> & { readonly role: string };

export const system = (content: string): Chat => ({ role: 'system', content });
export const user = (content: string): Chat => ({ role: 'user', content });
export const says = (content: string): Chat => ({ role: 'assistant', content });

let calls = 0;

/** One assistant step: a call and its result. Arguments are written as JSON. */
export function step(tool: string, args: unknown, result: unknown, words = ''): Chat[] {
  const id = `call_${++calls}`;
  return [callOf([[id, tool, args]], words), resultOf(id, result)];
}

export function callOf(
  made: readonly (readonly [id: string, tool: string, args: unknown])[],
  words = '',
): Chat {
  return {
    role: 'assistant',
    content: words,
    tool_calls: made.map(([id, name, args]) => {
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      return { id, type: 'function', function: { name, arguments: text } };
    }),
  };
}

export const resultOf = (id: string, content: unknown): Chat => ({ role: 'tool', tool_call_id: id, content });

/** Makes `count` items in order; lists are flattened. */
export const times = <T>(count: number, make: (index: number) => T | readonly T[]): T[] =>
  Array.from({ length: count }, (_, index) => index).flatMap(make);
