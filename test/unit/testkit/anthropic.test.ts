import { validateAnthropic, type AnthropicRule } from '../../../src/testkit/index.js';
import { everything, result, text, thinking, use, user, assistant } from '../formats/anthropic/bodies.js';
import type { Loose } from '../formats/anthropic/bodies.js';
import { judgesOf, type Mutant } from './mutants.js';

const swap = (list: Loose[], a: number, b: number): void => {
  [list[a], list[b]] = [list[b]!, list[a]!];
};

const MUTANTS: readonly Mutant<AnthropicRule, Loose, Loose>[] = [
  ['a result is missing', 'A1', (m) => m[2]!.content.splice(0, 1)],
  ['all results are missing', 'A1', (m) => m[2]!.content.splice(0, 2)],
  ['the message of results is missing', 'A1', (m) => m.splice(2, 1)],
  ['a result comes twice', 'A1', (m) => m[2]!.content.splice(1, 0, result('toolu_2'))],
  ['words before the results', 'A1', (m) => m[2]!.content.unshift(text('x'))],
  ['words between the results', 'A1', (m) => m[2]!.content.splice(1, 0, text('x'))],
  ['a user message before the results', 'A1', (m) => m.splice(2, 0, user(text('x')))],
  ['results in two messages', 'A1', (m) => m.splice(3, 0, user(m[2]!.content.splice(1, 1)[0]))],
  ['a result comes a step late', 'A1', (m) => m[4] && (m[4] = user(...m[2]!.content.splice(1, 1)))],
  ['a result for nobody', 'A1', (m) => m[2]!.content.splice(2, 0, result('toolu_9'))],
  ['a result at the very front', 'A1', (m) => m[0]!.content.unshift(result('toolu_1'))],
  ['the calls are removed, their results stay', 'A1', (m) => m[1]!.content.splice(3, 2)],
  ['a result is renamed', 'A1', (m) => (m[2]!.content[0].tool_use_id = 'toolu_X')],
  ['an assistant message before the results', 'A1', (m) => m.splice(2, 0, assistant(text('x')))],
  ['the last call waits', 'A1', (m) => m.push(assistant(use('toolu_5')))],
  [
    "a call of the provider's own without its result, and the user speaks",
    'A1',
    (m) => m.push(assistant({ ...use('srv_1'), type: 'server_tool_use' }), user(text('x'))),
  ],
  [
    "a result of the provider's own without its call",
    'A1',
    (m) => m.push(assistant({ ...result('srv_1'), type: 'web_search_tool_result' }), user(text('x'))),
  ],
  ['an id with a dot', 'A2', (m) => (m[1]!.content[3].id = 'call.1')],
  ['an id of 65 characters', 'A2', (m) => (m[1]!.content[3].id = 'x'.repeat(65))],
  ['an empty id', 'A2', (m) => (m[1]!.content[3].id = '')],
  ['no id', 'A2', (m) => delete m[1]!.content[3].id],
  ['two calls share an id', 'A2', (m) => (m[1]!.content[4].id = 'toolu_1')],
  ['an id returns in a later step', 'A2', (m) => m.push(assistant(use('toolu_1')), user(result('toolu_1')))],
  ['input as text', 'A2', (m) => (m[1]!.content[3].input = '{}')],
  ['input as a list', 'A2', (m) => (m[1]!.content[3].input = [])],
  ['no input', 'A2', (m) => delete m[1]!.content[3].input],
  ['a call without a name', 'A2', (m) => delete m[1]!.content[3].name],
  ['a name with a dot', 'A2', (m) => (m[1]!.content[3].name = 'functions.read')],
  ['a result without an id', 'A2', (m) => delete m[2]!.content[0].tool_use_id],
  ['an empty text', 'A3', (m) => m[1]!.content.push(text(''))],
  ['a text of white space', 'A3', (m) => m[8]!.content.push(text(' \n'))],
  ['an empty text inside a result', 'A3', (m) => m[2]!.content[0].content.push(text(''))],
  ['empty content', 'A3', (m) => (m[4]!.content = '')],
  ['an empty system text', 'A3', (_, body) => body.system.push(text(''))],
  ['the assistant speaks last', 'A3', (m) => m.pop()],
  ['unsigned thinking', 'A4', (m) => delete m[1]!.content[0].signature],
  ['thinking with an empty signature', 'A4', (m) => (m[1]!.content[0].signature = '')],
  ['redacted thinking without its text', 'A4', (m) => delete m[1]!.content[1].data],
  ['a cache mark on thinking', 'A4', (m) => (m[1]!.content[0].cache_control = { type: 'ephemeral' })],
  ['a fifth cache mark', 'A4', (m) => (m[8]!.content[0].cache_control = { type: 'ephemeral' })],
  ['a fifth mark on the tools', 'A4', (_, body) => (body.tools[0].cache_control = { type: 'ephemeral' })],
  [
    'a fifth mark inside a result',
    'A4',
    (m) => (m[2]!.content[0].content[0].cache_control = { type: 'ephemeral' }),
  ],
  [
    'the open tool loop lost its thinking',
    'A4',
    (m, body) => {
      body.thinking = { type: 'enabled', budget_tokens: 1_024 };
      m.push(assistant(use('toolu_7')), user(result('toolu_7')));
    },
  ],
  ['the assistant speaks first', 'A6', (m) => m.unshift(assistant(text('x')))],
  ['instructions come first', 'A6', (m) => m.unshift({ role: 'system', content: 'x' })],
  ['instructions behind the assistant', 'A6', (m) => swap(m, 6, 7)],
  ['an unknown role', 'A0', (m) => (m[4]!.role = 'human')],
  ['a chat role', 'A0', (m) => m.splice(5, 0, { role: 'tool', content: 'x' })],
  ['null content', 'A0', (m) => (m[4]!.content = null)],
  ['no blocks', 'A0', (m) => (m[8]!.content = [])],
  ['a block without a type', 'A0', (m) => m[8]!.content.push({ text: 'x' })],
  ['a text block without text', 'A0', (m) => m[8]!.content.push({ type: 'text' })],
  ['a call of the user', 'A0', (m) => m[8]!.content.push(use('toolu_8'))],
  ['thinking of the user', 'A0', (m) => m[8]!.content.push(thinking('x'))],
  ['an image of the assistant', 'A0', (m) => m[3]!.content.push(m[0]!.content[2])],
  ['an image without a source', 'A0', (m) => delete m[0]!.content[2].source],
  ['an image in the result of a failed call', 'A0', (m) => (m[2]!.content[0].is_error = true)],
  ['half a character', 'A0', (m) => (m[8]!.content[0].text = 'half \ud83d')],
  ['half a character in a call', 'A0', (m) => (m[1]!.content[3].input = { a: '\udc00' })],
  ['system is an object', 'A0', (_, body) => (body.system = { text: 'x' })],
  ['an image in the system', 'A0', (_, body) => body.system.push({ type: 'image' })],
  ['a message that is a string', 'A0', (m) => m.push('hi' as unknown as Loose)],
  ['no message at all', 'A0', (m) => m.splice(0)],
];

judgesOf('the Messages API', {
  validate: validateAnthropic,
  legal: everything as () => Loose,
  listIn: ({ messages }) => messages as Loose[],
  mutants: MUTANTS,
});

it('the Messages API: nothing is wrong in the same with thinking on, or in an open tool loop that thinks', () => {
  const body: Loose = { ...everything(), thinking: { type: 'enabled', budget_tokens: 1_024 } };
  expect(validateAnthropic(body)).toEqual([]);
  body['messages'] = [
    user(text('Go.')),
    assistant(thinking('I read.'), use('toolu_1')),
    user(result('toolu_1')),
  ];
  expect(validateAnthropic(body)).toEqual([]);
});

it('the Messages API: names the message at fault', () => {
  const body = everything();
  body.messages[2].content.splice(0, 1);
  expect(validateAnthropic(body)).toEqual([
    { rule: 'A1', at: 1, what: 'call toolu_2 is not answered in the next message' },
  ]);
});
