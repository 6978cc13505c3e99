import { validateOpenAiResponses, type ResponsesRule } from '../../../src/testkit/index.js';
import { call, everything, output, says, thought, type Loose } from '../../support/responses.js';
import { judgesOf, type Mutant } from './mutants.js';

const at = (items: readonly Loose[], match: (item: Loose) => boolean): number => {
  const found = items.findIndex(match);
  if (found < 0) throw new Error('the fixture has no such item');
  return found;
};
const byType = (items: readonly Loose[], type: string): number => at(items, (item) => item.type === type);
const byCall = (items: readonly Loose[], id: string, type: string): number =>
  at(items, (item) => item.call_id === id && item.type === type);
const cut = (items: Loose[], index: number): Loose => items.splice(index, 1)[0]!;

const MUTANTS: readonly Mutant<ResponsesRule, Loose, Loose>[] = [
  ['a result is missing', 'P1', (m) => cut(m, byCall(m, 'b', 'function_call_output'))],
  ['a result comes twice', 'P1', (m) => m.splice(byCall(m, 'b', 'function_call_output'), 0, output('b'))],
  ['a call is missing', 'P1', (m) => cut(m, byCall(m, 'a', 'function_call'))],
  ['a result for nobody', 'P1', (m) => m.splice(8, 0, output('z'))],
  ['a result before its call', 'P1', (m) => m.splice(1, 0, cut(m, byCall(m, 'b', 'function_call_output')))],
  ['a result after the model went on', 'P1', (m) => m.push(cut(m, byCall(m, 'a', 'function_call_output')))],
  ['a result at the very front', 'P1', (m) => m.unshift(output('z'))],
  [
    'a result of another kind',
    'P1',
    (m) => (m[byCall(m, 'c', 'custom_tool_call_output')]!.type = 'function_call_output'),
  ],
  ['a result that names no call', 'P1', (m) => delete m[byCall(m, 'b', 'function_call_output')]!.call_id],
  ['an output that is an object', 'P1', (m) => (m[byCall(m, 'b', 'function_call_output')]!.output = {})],
  ['an output that is missing', 'P1', (m) => delete m[byCall(m, 'b', 'function_call_output')]!.output],
  ['a call renamed', 'P1', (m) => (m[byCall(m, 'a', 'function_call')]!.call_id = 'A')],
  ['a call without a name', 'P1', (m) => delete m[byCall(m, 'a', 'function_call')]!.name],
  ['a call to a name with a dot', 'P1', (m) => (m[byCall(m, 'a', 'function_call')]!.name = 'fs.read')],
  ['arguments that are an object', 'P1', (m) => (m[byCall(m, 'a', 'function_call')]!.arguments = {})],
  ['a custom call without input', 'P1', (m) => delete m[byType(m, 'custom_tool_call')]!.input],
  ['a shell call without action', 'P1', (m) => delete m[byType(m, 'shell_call')]!.action],
  ['a shell output that is text', 'P1', (m) => (m[byType(m, 'shell_call_output')]!.output = 'a.ts')],
  ['a computer output in words', 'P1', (m) => (m[byType(m, 'computer_call_output')]!.output = 'left out')],
  ['a patch without outcome', 'P1', (m) => delete m[byType(m, 'apply_patch_call_output')]!.status],
  ['an approval nobody asked for', 'P1', (m) => cut(m, byType(m, 'mcp_approval_request'))],
  ['an approval that never came', 'P1', (m) => cut(m, byType(m, 'mcp_approval_response'))],
  ['an approval without an answer', 'P1', (m) => delete m[byType(m, 'mcp_approval_response')]!.approve],
  ['the output of a program that is gone', 'P1', (m) => cut(m, byType(m, 'program'))],
  ['a user speaks over an open call at the end', 'P1', (m) => m.push(call('y'), says('user', 'stop'))],
  ['reasoning whose item is gone', 'P2', (m) => m.splice(byType(m, 'reasoning') + 1, 3)],
  ['reasoning at the end', 'P2', (m) => m.push(thought('9'))],
  ['reasoning before a user message', 'P2', (m) => m.splice(1, 0, thought('9'))],
  [
    'reasoning before a result',
    'P2',
    (m) => m.splice(byCall(m, 'b', 'function_call_output'), 0, thought('9')),
  ],
  [
    'reasoning unsealed where nothing is stored',
    'P2',
    (m) => delete m[byType(m, 'reasoning')]!.encrypted_content,
  ],
  [
    'reasoning with nothing to read',
    'P2',
    (m, body) => {
      delete body.store;
      const item = m[byType(m, 'reasoning')]!;
      delete item.encrypted_content;
      delete item.id;
    },
  ],
  ['reasoning without summary', 'P2', (m) => delete m[byType(m, 'reasoning')]!.summary],
  [
    'two chains at once',
    'P3',
    (_, body) => Object.assign(body, { previous_response_id: 'r', conversation: 'c' }),
  ],
  [
    'a compaction in an old chain',
    'P3',
    (m, body) => {
      body.previous_response_id = 'r';
      m.unshift({ type: 'compaction', encrypted_content: 'x' });
    },
  ],
  ['a compaction emptied', 'P4', (m) => m.unshift({ type: 'compaction', summary: 'all of it' })],
  ['two calls share an id', 'P5', (m) => (m[byCall(m, 'a', 'function_call')]!.call_id = 'b')],
  ['an id used again in a later step', 'P5', (m) => m.push(call('a'), output('a'))],
  [
    'an id of 451 characters',
    'P5',
    (m) => {
      m[byCall(m, 'b', 'function_call')]!.call_id = 'b'.repeat(451);
      m[byCall(m, 'b', 'function_call_output')]!.call_id = 'b'.repeat(451);
    },
  ],
  ['a call without an id', 'P5', (m) => delete m[byCall(m, 'a', 'function_call')]!.call_id],
  ['two items share an id', 'P5', (m) => (m[byType(m, 'file_search_call')]!.id = 'ws_1')],
  ['an unknown role', 'P0', (m) => (m[0]!.role = 'critic')],
  ['a tool message of chat', 'P0', (m) => m.push({ role: 'tool', tool_call_id: 'a', content: 'x' })],
  ['an unknown type', 'P0', (m) => m.push({ type: 'tool_use', id: 'x' })],
  ['an item that is a text', 'P0', (m) => m.push('hi' as unknown as Loose)],
  ['null content', 'P0', (m) => (m[1]!.content = null)],
  ['an empty list of content', 'P0', (m) => (m[2]!.content = [])],
  ['output text of a user', 'P0', (m) => (m[2]!.content[0].type = 'output_text')],
  [
    'input text of the model',
    'P0',
    (m) => (m[at(m, (i) => i.id === 'msg_2')]!.content[0].type = 'input_text'),
  ],
  ['an image without address', 'P0', (m) => delete m[2]!.content[1].image_url],
  ['a file without bytes', 'P0', (m) => delete m[2]!.content[2].file_id],
  ['half a surrogate pair', 'P0', (m) => (m[1]!.content = 'half \ud83d of it')],
  ['instructions that are a list', 'P0', (_, body) => (body.instructions = ['x'])],
  ['no input at all', 'P0', (_, body) => delete body.input],
];

judgesOf('Responses', {
  validate: validateOpenAiResponses,
  legal: everything as () => Loose,
  listIn: ({ input }) => input as Loose[],
  mutants: MUTANTS,
  waiting: [[says('user', 'go'), thought('1'), call('a'), call('b'), output('a')], ['P1']],
});

it('Responses takes a text, and results of calls that an earlier response or a reference holds', () => {
  expect(validateOpenAiResponses({ input: 'hello' })).toEqual([]);
  expect(validateOpenAiResponses({ previous_response_id: 'r', input: [output('z')] })).toEqual([]);
  expect(validateOpenAiResponses([{ type: 'item_reference', id: 'fc_z' }, output('z')])).toEqual([]);
});
