import { validateOpenAiChat, type Rule } from '../../../src/testkit/index.js';
import { judgesOf, type Mutant } from './mutants.js';

type Loose = Record<string, any>;

const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` });

/** Everything that is legal, once; mutants break one thing each. */
const legal = (): Loose[] => [
  { role: 'developer', content: 'be brief' },
  { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
  result('b'),
  result('a'),
  { role: 'assistant', content: 'once more', tool_calls: [call('a')] },
  result('a'),
  { role: 'system', content: 'midway' },
  { role: 'assistant', content: null, refusal: 'no' },
  { role: 'assistant', content: null, function_call: { name: 'old', arguments: '{' } },
  { role: 'function', name: 'old', content: '' },
  { role: 'user', content: 'and?' },
];

const MUTANTS: readonly Mutant<Rule, Loose, Loose[]>[] = [
  ['a result is missing', 'C1', (m) => m.splice(3, 1)],
  ['all results are missing', 'C1', (m) => m.splice(3, 2)],
  ['a result comes twice', 'C1', (m) => m.splice(4, 0, result('b'))],
  ['a user message before the results', 'C1', (m) => m.splice(3, 0, { role: 'user', content: 'x' })],
  ['a user message between the results', 'C1', (m) => m.splice(4, 0, { role: 'user', content: 'x' })],
  ['a system message between the results', 'C1', (m) => m.splice(4, 0, { role: 'system', content: 'x' })],
  [
    'an assistant message between the results',
    'C1',
    (m) => m.splice(4, 0, { role: 'assistant', content: 'x' }),
  ],
  ['a result comes a step late', 'C1', (m) => m.splice(6, 0, ...m.splice(3, 1))],
  ['the second use of an id is not answered', 'C1', (m) => m.splice(6, 1)],
  ['a legacy call is not answered', 'C1', (m) => m.splice(10, 1)],
  ['calls are removed, results stay', 'C2', (m) => delete m[5]!.tool_calls],
  ['the calling message is removed', 'C2', (m) => m.splice(2, 1)],
  ['a result for nobody', 'C2', (m) => m.splice(4, 0, result('z'))],
  ['a result at the very front', 'C2', (m) => m.splice(1, 0, result('a'))],
  ['a result behind a user message', 'C2', (m) => m.push(result('a'))],
  ['a result without an id', 'C2', (m) => delete m[3]!.tool_call_id],
  ['a result renamed', 'C2', (m) => (m[3]!.tool_call_id = 'B')],
  ['a call renamed', 'C1', (m) => (m[2]!.tool_calls[1].id = 'c')],
  ['two calls share an id', 'C2', (m) => (m[2]!.tool_calls[1].id = 'a')],
  ['a legacy answer without a call', 'C2', (m) => m.splice(9, 1)],
  ['null content without calls', 'C3', (m) => (m[8] = { role: 'assistant', content: null })],
  ['no content at all', 'C3', (m) => (m[8] = { role: 'assistant' })],
  ['arguments are an object', 'C4', (m) => (m[2]!.tool_calls[0].function.arguments = {})],
  ['arguments are missing', 'C4', (m) => delete m[2]!.tool_calls[0].function.arguments],
  ['a call without a name', 'C4', (m) => delete m[2]!.tool_calls[0].function.name],
  ['a call without an id', 'C4', (m) => delete m[2]!.tool_calls[0].id],
  ['a legacy call with an object', 'C4', (m) => (m[9]!.function_call.arguments = {})],
  ['the instructions come second', 'C5', (m) => m.splice(0, 2, m[1]!, m[0]!)],
  ['instructions only midway', 'C5', (m) => m.splice(0, 1)],
  ['an unknown role', 'C0', (m) => (m[11]!.role = 'human')],
  ['an empty list of calls', 'C0', (m) => (m[8]!.tool_calls = [])],
  ['null content of a user', 'C0', (m) => (m[11]!.content = null)],
  ['null content of a result', 'C0', (m) => (m[3]!.content = null)],
  ['an empty list of parts', 'C0', (m) => (m[1]!.content = [])],
  ['a part without a type', 'C0', (m) => (m[1]!.content = [{ text: 'x' }])],
  ['content that is an object', 'C0', (m) => (m[11]!.content = { text: 'x' })],
  ['a message that is a string', 'C0', (m) => m.push('hi' as unknown as Loose)],
];

judgesOf('chat completions', {
  validate: validateOpenAiChat,
  legal,
  listIn: (messages) => messages,
  mutants: MUTANTS,
  waiting: [legal().slice(0, 4), ['C1']],
});

it('chat completions names the message at fault', () => {
  const messages = legal();
  messages.splice(6, 1);
  expect(validateOpenAiChat(messages)).toEqual([
    { rule: 'C1', at: 5, what: 'call a is not directly followed by its result' },
  ]);
});
