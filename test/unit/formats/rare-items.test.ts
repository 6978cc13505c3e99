import { formats } from '../../../src/formats/index.js';
import { validators } from '../../../src/testkit/index.js';
import { originals } from './views.js';

type Item = Readonly<Record<string, unknown>>;

/** Parses a list and writes it again; what is written is legal. */
function written(name: string, list: readonly unknown[]) {
  const { parse, serialise, messagesField } = formats.get(name)!;
  const { messages, beside, notices } = serialise(originals(parse({ [messagesField]: list }).messages));
  expect(validators.get(name)!({ ...beside, [messagesField]: messages })).toEqual([]);
  return { messages, kinds: notices.map(({ kind }) => kind) };
}

const ASKED = { role: 'user', content: 'Look.' };
const MORE = { role: 'user', content: 'And now?' };
const CALL = { type: 'custom_tool_call', call_id: 'c1', name: 'sh', input: 'ls' };
const SHELL = {
  type: 'local_shell_call',
  id: 'l1',
  call_id: 'c2',
  status: 'completed',
  action: { type: 'exec', command: ['ls'], env: {} },
};

it.each<[string, readonly Item[], readonly Item[]]>([
  [
    'the result of a function behind the call of a custom tool',
    [CALL, { type: 'function_call_output', call_id: 'c1', output: 'a.ts' }],
    [CALL, { type: 'custom_tool_call_output', call_id: 'c1', output: 'a.ts' }],
  ],
  [
    'the same as a list',
    [CALL, { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'a.ts' }] }],
    [
      CALL,
      { type: 'custom_tool_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'a.ts' }] },
    ],
  ],
  [
    'the result of a function behind the call of a shell',
    [SHELL, { type: 'function_call_output', call_id: 'c2', output: 'a.ts' }],
    [SHELL, { type: 'local_shell_call_output', id: 'c2', output: 'a.ts' }],
  ],
])('openai-responses: %s gets the kind that belongs to its call', (_what, items, expected) => {
  expect(written('openai-responses', [ASKED, ...items, MORE]).messages).toEqual([ASKED, ...expected, MORE]);
});

it.each<[string, string, readonly Item[]]>([
  ...[{ type: 'item_reference' }, { type: null }, {}].map((type): [string, string, readonly Item[]] => [
    'openai-responses',
    `the result of a call that an item refers to, of which it says ${JSON.stringify(type)}`,
    [
      { ...type, id: 'fc_1' },
      { type: 'function_call_output', call_id: 'c1', output: 'a.ts' },
    ],
  ]),
  ['openai-responses', 'tools that are added midway', [{ type: 'additional_tools', tools: [] }]],
  [
    'openai-responses',
    'a search for tools that the client does',
    [
      { type: 'tool_search_call', call_id: 'c1', execution: 'client', arguments: {} },
      {
        type: 'tool_search_output',
        call_id: 'c1',
        execution: 'client',
        tools: [{ type: 'function', name: 'a' }],
      },
    ],
  ],
  [
    'openai-chat',
    'thinking that is sealed and says nothing',
    [
      {
        role: 'assistant',
        content: 'So.',
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'SEAL' }],
      },
    ],
  ],
  [
    'openai-chat',
    'a call of a custom tool',
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'sh', input: 'ls' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'a.ts' },
    ],
  ],
])('%s: %s is sent unchanged', (name, _what, items) => {
  const list = [ASKED, ...items, MORE];
  expect(written(name, list)).toEqual({ messages: list, kinds: [] });
});

it('ai-sdk: content that is no text or list is reported, and kept as its JSON', () => {
  const { parse } = formats.get('ai-sdk')!;
  const { messages, notices } = parse({ messages: [{ role: 'user', content: 5 }] });
  expect(messages[0]!.parts).toMatchObject([{ type: 'text', text: '5' }]);
  expect(notices.map(({ kind }) => kind)).toEqual(['unknown-content']);
});

it('ai-sdk: an unknown part of a user message is sent unchanged; reasoning in it is left out with a notice', () => {
  const { parse, serialise } = formats.get('ai-sdk')!;
  const known = { type: 'text', text: 'Look.' };
  const unknown = { type: 'data-mark', data: { at: 1 } };
  const list = [
    { role: 'user', content: [known, unknown] },
    { role: 'user', content: [known, { type: 'reasoning', text: 'Hm.' }] },
  ];
  const { messages, notices } = serialise(originals(parse({ messages: list }).messages));
  expect(messages).toEqual([list[0], { role: 'user', content: [known] }]);
  expect(notices).toMatchObject([{ at: 'm1', kind: 'foreign-part' }]);
});

it('gemini: a file in the instructions is replaced by its name, with a notice', () => {
  const { parse, serialise } = formats.get('gemini')!;
  const systemInstruction = {
    parts: [{ text: 'Be brief.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
  };
  const contents = [{ role: 'user', parts: [{ text: 'Look.' }] }];
  const { beside, notices } = serialise(originals(parse({ systemInstruction, contents }).messages));
  expect(beside).toEqual({
    systemInstruction: { parts: [{ text: 'Be brief.' }, { text: '[file image/png, 4 bytes]' }] },
  });
  expect(notices.map(({ kind }) => kind)).toEqual(['file-named']);
});
