import { modelMessageSchema } from 'ai';
import { validateAiSdk, type AiSdkRule } from '../../../src/testkit/index.js';
import { everything } from '../formats/ai-sdk/requests.js';
import { judgesOf, type Mutant } from './mutants.js';

type Loose = Record<string, any>;

const USER = { role: 'user', content: 'x' };
const again = (m: Loose[], at: number, item: number): Loose =>
  structuredClone({ ...m[at]!.content[item] }) as Loose;

/** Places in `everything()`: 3 calls a and b, 4 their results, 5 the provider's, 7 approvals asked, 8 given, 9 results. */
const MUTANTS: readonly Mutant<AiSdkRule, Loose, Loose[]>[] = [
  ['a result is missing', 'S6', (m) => m[4]!.content.splice(0, 1)],
  ['all results are missing', 'S6', (m) => m.splice(4, 1)],
  ['a result comes twice', 'S6', (m) => m[4]!.content.push(again(m, 4, 0))],
  [
    'a result comes twice, in its own message',
    'S6',
    (m) => m.splice(5, 0, { role: 'tool', content: [again(m, 4, 0)] }),
  ],
  ['a user message before the results', 'S6', (m) => m.splice(4, 0, USER)],
  ['a system message before the results', 'S6', (m) => m.splice(4, 0, { role: 'system', content: 'x' })],
  [
    'an assistant message before the results',
    'S6',
    (m) => m.splice(4, 0, { role: 'assistant', content: 'x' }),
  ],
  ['the calling message is removed', 'S6', (m) => m.splice(3, 1)],
  ['one call is removed', 'S6', (m) => m[3]!.content.splice(2, 1)],
  ['a call is renamed', 'S6', (m) => (m[3]!.content[2].toolCallId = 'z')],
  ['a result is renamed', 'S6', (m) => (m[4]!.content[0].toolCallId = 'z')],
  ['two calls share an id', 'S6', (m) => (m[3]!.content[3].toolCallId = 'a')],
  ['a result at the front', 'S6', (m) => m.splice(1, 0, { role: 'tool', content: [again(m, 4, 0)] })],
  ['a result behind a user message', 'S6', (m) => m.push({ role: 'tool', content: [again(m, 4, 0)] })],
  ['a provider result without its call', 'S3', (m) => m[5]!.content.splice(0, 1)],
  ['a provider call that no provider ran', 'S3', (m) => delete m[5]!.content[0].providerExecuted],
  [
    'a provider result in a tool message',
    'S6',
    (m) => m.splice(6, 0, { role: 'tool', content: m[5]!.content.splice(1, 1) }),
  ],
  ['approval asked for nothing', 'S2', (m) => (m[7]!.content[1].toolCallId = 'z')],
  ['approval asked before the call', 'S2', (m) => m[7]!.content.reverse()],
  ['approval given twice', 'S2', (m) => m[8]!.content.push(again(m, 8, 0))],
  ['approval of another request', 'S2', (m) => (m[8]!.content[0].approvalId = 'z')],
  ['approval without an answer', 'S2', (m) => delete m[8]!.content[0].approved],
  ['approval without an id', 'S2', (m) => delete m[7]!.content[1].approvalId],
  ['an approval request is removed', 'S2', (m) => m[7]!.content.splice(1, 1)],
  ['a call without an id', 'S7', (m) => delete m[3]!.content[2].toolCallId],
  ['a call without a name', 'S7', (m) => delete m[3]!.content[2].toolName],
  ['an input that is text', 'S7', (m) => (m[3]!.content[2].input = '{"at": 1')],
  ['an input that is a list', 'S7', (m) => (m[3]!.content[2].input = [])],
  ['a result without a name', 'S7', (m) => delete m[4]!.content[0].toolName],
  ['an output that is bare text', 'S7', (m) => (m[4]!.content[0].output = 'a cat')],
  ['an output of an unknown kind', 'S7', (m) => (m[4]!.content[0].output.type = 'words')],
  ['an output text that is an object', 'S7', (m) => (m[4]!.content[0].output.value = {})],
  ['an output list with an unknown kind', 'S7', (m) => (m[4]!.content[1].output.value[0].type = 'x')],
  ['an unknown role', 'S0', (m) => (m[12]!.role = 'developer')],
  ['content is missing', 'S0', (m) => delete m[12]!.content],
  ['content is empty', 'S0', (m) => (m[12]!.content = [])],
  ['a text is empty', 'S0', (m) => (m[1]!.content = '')],
  ['a tool message is text', 'S0', (m) => (m[4]!.content = 'a cat')],
  ['a system message is a list', 'S0', (m) => (m[0]!.content = [{ type: 'text', text: 'x' }])],
  ['reasoning in a user message', 'S0', (m) => m[12]!.content.push({ type: 'reasoning', text: 'x' })],
  ['an unknown item', 'S0', (m) => m[12]!.content.push({ type: 'input_text', text: 'x' })],
  ['a text without text', 'S0', (m) => delete m[12]!.content[0].text],
  ['half a pair', 'S8', (m) => (m[1]!.content = 'a\ud83d')],
  ['half a pair inside a result', 'S8', (m) => (m[4]!.content[0].output.value = '\udc00')],
  ['an image without data', 'S9', (m) => delete m[2]!.content[1].image],
  ['a file without a media type', 'S9', (m) => delete m[2]!.content[3].mediaType],
  ['a result file without an address', 'S9', (m) => delete m[4]!.content[1].output.value[2].url],
];

judgesOf('the AI SDK', {
  validate: validateAiSdk,
  legal: everything as () => Loose[],
  listIn: (messages) => messages,
  mutants: MUTANTS,
  waiting: [everything().slice(0, 4), ['S6', 'S6']],
});

it('what the validator of the AI SDK takes, the SDK takes', () => {
  for (const message of everything())
    expect(modelMessageSchema.safeParse(message)).toMatchObject({ success: true });
});
