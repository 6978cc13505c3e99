import { mapChatMessagesToStoredMessages } from '@langchain/core/messages';
import { validateLangChain, type LangChainRule } from '../../../src/testkit/index.js';
import { everything } from '../formats/langchain/requests.js';
import { judgesOf, type Mutant } from './mutants.js';

type Loose = Record<string, any>;
const USER = { type: 'human', content: 'x' };

/** The stored form, whose fields can be broken freely; each mutant gets at them through `data`. */
const stored = (): Loose[] => structuredClone(mapChatMessagesToStoredMessages(everything())) as Loose[];

/** Places in `everything()`: 3 calls a and b, 4 and 5 their results, 6 calls a again, 7 its result. */
const MUTANTS: readonly Mutant<LangChainRule, Loose, Loose[]>[] = [
  ['a result is missing', 'L1', (m) => m.splice(4, 1)],
  ['all results are missing', 'L1', (m) => m.splice(4, 2)],
  ['a result comes twice', 'L1', (m) => m.splice(5, 0, m[4]!)],
  ['a user message before the results', 'L1', (m) => m.splice(4, 0, USER)],
  ['a user message between the results', 'L1', (m) => m.splice(5, 0, USER)],
  ['a system message between the results', 'L1', (m) => m.splice(5, 0, { type: 'system', content: 'x' })],
  ['an answer between the results', 'L1', (m) => m.splice(5, 0, { type: 'ai', content: 'x' })],
  ['a result comes a step late', 'L1', (m) => m.splice(7, 0, ...m.splice(4, 1))],
  ['the second use of an id is not answered', 'L1', (m) => m.splice(7, 1)],
  ['the calling message is removed', 'L2', (m) => m.splice(3, 1)],
  ['calls are removed, results stay', 'L2', (m) => (m[3]!.data.tool_calls = [])],
  ['one call is removed', 'L2', (m) => m[3]!.data.tool_calls.pop()],
  ['a result for nobody', 'L2', (m) => m.splice(5, 0, { type: 'tool', tool_call_id: 'z', content: 'x' })],
  ['a result at the front', 'L2', (m) => m.splice(1, 0, m[4]!)],
  ['a result behind a user message', 'L2', (m) => m.push(m[7]!)],
  ['a result renamed', 'L2', (m) => (m[4]!.data.tool_call_id = 'B')],
  ['a call renamed', 'L2', (m) => (m[6]!.data.tool_calls[0].id = 'q')],
  ['two calls share an id', 'L2', (m) => (m[3]!.data.tool_calls[1].id = 'a')],
  ['a call without an id', 'L3', (m) => delete m[3]!.data.tool_calls[0].id],
  ['a call without a name', 'L3', (m) => delete m[3]!.data.tool_calls[0].name],
  ['arguments are text', 'L3', (m) => (m[3]!.data.tool_calls[0].args = '{}')],
  ['arguments are a list', 'L3', (m) => (m[3]!.data.tool_calls[0].args = [])],
  ['arguments are missing', 'L3', (m) => delete m[3]!.data.tool_calls[0].args],
  ['calls are no list', 'L3', (m) => (m[8]!.data.tool_calls = {})],
  ['a result without an id', 'L4', (m) => delete m[4]!.data.tool_call_id],
  ['a result without content', 'L4', (m) => delete m[4]!.data.content],
  ['a result that is an object', 'L4', (m) => (m[4]!.data.content = { a: 1 })],
  ['a status of its own', 'L4', (m) => (m[4]!.data.status = 'done')],
  ['content repeats a call that is none', 'L6', (m) => (m[3]!.data.content[2].id = 'z')],
  [
    'content repeats a call in an answer',
    'L6',
    (m) => m[8]!.data.content.push({ type: 'tool_use', id: 'n', name: 'x', input: {} }),
  ],
  ['an unknown type', 'L0', (m) => (m[9]!.type = 'critic')],
  ['no type', 'L0', (m) => delete m[9]!.type],
  ['content is missing', 'L0', (m) => delete m[9]!.data.content],
  ['content is empty', 'L0', (m) => (m[9]!.data.content = '')],
  ['content is an empty list', 'L0', (m) => (m[8]!.data.content = [])],
  ['a block without a type', 'L0', (m) => delete m[2]!.data.content[0].type],
  ['a text block without text', 'L0', (m) => delete m[2]!.data.content[0].text],
  ['half a pair', 'L8', (m) => (m[9]!.data.content = 'a\ud83d')],
  ['half a pair in a result', 'L8', (m) => (m[4]!.data.content = '\udc00')],
  ['half a pair in arguments', 'L8', (m) => (m[3]!.data.tool_calls[0].args = { a: '\ud83d' })],
];

judgesOf('LangChain', {
  validate: validateLangChain,
  legal: stored,
  listIn: (messages) => messages,
  mutants: MUTANTS,
  waiting: [everything().slice(0, 4), ['L1', 'L1']],
});

it('LangChain takes messages in any form', () => {
  const forms: unknown[] = [
    everything(),
    JSON.parse(JSON.stringify(everything())),
    { messages: everything() },
  ];
  for (const form of forms) expect(validateLangChain(form, { openEnd: false })).toEqual([]);
});
