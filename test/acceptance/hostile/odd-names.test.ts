import { describe, expect, it } from '@jest/globals';
import { SpillwayError } from '../../../src/index.js';
import { validators } from '../../../src/testkit/index.js';
import { engine } from '../support.js';

/** What stands where a name, a text or an id should: words that every object has, and an object that `String` throws on. */
const ODD: readonly unknown[] = ['constructor', '__proto__', 'toString', { toString: 1 }, [{ toString: 1 }]];

const IMAGE = 'iVBORw0KGgo=';
const ASKS = 'Build a mill.';

/** A body of each format that has one of all it knows. */
const BODIES: Readonly<Record<string, unknown>> = {
  'openai-chat': {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: ASKS },
          { type: 'image_url', image_url: { url: 'x:y' } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'ok' }] },
    ],
  },
  anthropic: {
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: ASKS },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'So.', signature: 's' },
          { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'ok' }] }],
      },
    ],
  },
  'openai-responses': {
    instructions: 'Be brief.',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: ASKS }] },
      { type: 'reasoning', id: 'r', summary: [], encrypted_content: 'e' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'ok' }] },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: ASKS }, { inlineData: { mimeType: 'image/png', data: IMAGE } }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 's' }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'ok' } } }] },
    ],
  },
  'ai-sdk': {
    system: 'Be brief.',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: ASKS },
          { type: 'file', mediaType: 'a/b', data: IMAGE },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'So.' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { a: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c', toolName: 'f', output: { type: 'text', value: 'ok' } },
        ],
      },
    ],
  },
  langchain: {
    messages: [
      { type: 'system', content: 'Be brief.' },
      {
        type: 'human',
        content: [
          { type: 'text', text: ASKS },
          { type: 'image_url', image_url: 'x:y' },
        ],
      },
      { type: 'ai', content: '', tool_calls: [{ id: 'c', name: 'f', args: { a: 1 }, type: 'tool_call' }] },
      { type: 'tool', tool_call_id: 'c', content: 'ok' },
    ],
  },
};

/** Every copy of a body in which one value is another. */
function* withOne(body: unknown, other: unknown): Generator<readonly [string, unknown]> {
  const paths: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(body, []);
  for (const path of paths) {
    const copy = structuredClone(body);
    const holder = path.slice(0, -1).reduce((at, key) => at[key] as Holder, copy as Holder);
    holder[path.at(-1)!] = other;
    yield [path.join('.'), copy];
  }
}
type Holder = Record<string, unknown>;

describe.each(Object.keys(BODIES))('N1: values of the wrong kind anywhere in a body of %s', (format) => {
  it('are taken, or refused by an error with a code', async () => {
    const one = await engine(4_000);
    for (const other of ODD)
      for (const [path, body] of withOne(BODIES[format], other)) {
        const session = one.session({ format });
        const ended = await session
          .follow(body)
          .then(() => session.prepare())
          .catch((error: unknown) => error);
        if (!(ended instanceof Error) || ended instanceof SpillwayError) continue;
        expect([path, other, ended.stack]).toEqual('an error with a code');
      }
  });

  it('are judged', () => {
    for (const other of ODD)
      for (const [path, body] of withOne(BODIES[format], other))
        expect([path, validators.get(format)!(body)]).toEqual([path, expect.any(Array)]);
  });
});
