import { validateGemini, type GeminiRule } from '../../../src/testkit/index.js';
import { answer, call, everything, snake, turn, type Loose } from '../../support/gemini.js';
import { judgesOf, type Mutant } from './mutants.js';

const MUTANTS: readonly Mutant<GeminiRule, Loose, Loose>[] = [
  ['a response is missing', 'G2', (c) => c[2]!.parts.pop()],
  ['all responses are missing', 'G2', (c) => c.splice(2, 1)],
  ['a response too many', 'G2', (c) => c[2]!.parts.push(answer('read'))],
  ['a response for nobody', 'G2', (c) => c[6]!.parts.push(answer('read'))],
  ['a response at the very front', 'G2', (c) => c[0]!.parts.unshift(answer('read'))],
  ['a call is missing', 'G2', (c) => c[1]!.parts.pop()],
  ['a call too many', 'G2', (c) => c[1]!.parts.push(call('list'))],
  ['the responses are swapped', 'G2', (c) => c[10]!.parts.reverse()],
  ['a response renamed', 'G2', (c) => (c[10]!.parts[0].functionResponse.name = 'write')],
  ['a call renamed', 'G2', (c) => (c[9]!.parts[0].functionCall.name = 'write')],
  ['ids that differ', 'G2', (c) => (c[8]!.parts[0].functionResponse.id = 'x2')],
  ['words instead of a response', 'G2', (c) => (c[4]!.parts = [{ text: 'no such folder' }])],
  ['a call in the user’s turn', 'G2', (c) => c[6]!.parts.push(call('read'))],
  ['responses a turn late', 'G2', (c) => c.splice(2, 0, turn('user', 'wait'), turn('model', 'ok'))],
  ['calls removed, responses stay', 'G2', (c) => (c[3] = turn('model', 'hm'))],
  ['the model begins', 'G1', (c) => c.splice(0, 1)],
  ['the model has the last word', 'G1', (c) => c.push(turn('model', 'Done.'))],
  ['two turns of the user', 'G1', (c) => c.splice(6, 0, turn('user', 'hm'))],
  ['two turns of the model', 'G1', (c) => c.splice(5, 0, turn('model', 'hm'))],
  ['a turn of the user apart from its words', 'G1', (c) => c.splice(1, 0, turn('user', 'and more'))],
  ['a step of the current turn lost its signature', 'G3', (c) => delete c[9]!.parts[0].thoughtSignature],
  [
    'the signature moved to the second call',
    'G3',
    (c) => {
      c[9]!.parts[1].thoughtSignature = c[9]!.parts[0].thoughtSignature;
      delete c[9]!.parts[0].thoughtSignature;
    },
  ],
  [
    'the first step of the current turn lost its signature',
    'G3',
    (c) => delete c[7]!.parts[0].thoughtSignature,
  ],
  ['no parts', 'G0', (c) => delete c[5]!.parts],
  ['an empty list of parts', 'G0', (c) => (c[5]!.parts = [])],
  ['a part that says nothing', 'G0', (c) => c[0]!.parts.push({})],
  ['a part that says two things', 'G0', (c) => (c[3]!.parts[0].text = 'and words')],
  ['an empty text', 'G0', (c) => (c[0]!.parts[0].text = '')],
  ['a text that is a number', 'G0', (c) => (c[0]!.parts[0].text = 7)],
  ['an unknown role', 'G0', (c) => (c[0]!.role = 'assistant')],
  ['arguments as text', 'G0', (c) => (c[1]!.parts[2].functionCall.args = '{"path":"a"}')],
  ['a response as text', 'G0', (c) => (c[2]!.parts[0].functionResponse.response = 'one')],
  ['a response without content', 'G0', (c) => delete c[2]!.parts[0].functionResponse.response],
  ['a call without a name', 'G0', (c) => delete c[3]!.parts[0].functionCall.name],
  ['a name with a slash', 'G0', (c) => (c[3]!.parts[0].functionCall.name = 'fs/list')],
  ['a picture without type', 'G0', (c) => delete c[0]!.parts[1].inlineData.mimeType],
  ['a picture of any type', 'G0', (c) => (c[0]!.parts[1].inlineData.mimeType = 'image/*')],
  ['a picture without bytes', 'G0', (c) => delete c[0]!.parts[1].inlineData.data],
  ['a file without address', 'G0', (c) => delete c[6]!.parts[0].fileData.fileUri],
  ['an empty signature', 'G0', (c) => (c[9]!.parts[0].thoughtSignature = '')],
  ['half a surrogate pair', 'G0', (c) => (c[0]!.parts[0].text = 'half \ud83d of it')],
  ['a content that is a text', 'G0', (c) => c.push('hi' as unknown as Loose)],
  ['contents that are no list', 'G0', (_, body) => (body.contents = { role: 'user' })],
  ['a system prompt of pictures', 'G4', (c, body) => (body.systemInstruction = { parts: [c[0]!.parts[1]] })],
  ['a system prompt without parts', 'G4', (_, body) => (body.systemInstruction = { parts: [] })],
];

judgesOf('Gemini', {
  validate: validateGemini,
  legal: everything as () => Loose,
  listIn: ({ contents }) => contents as Loose[],
  mutants: MUTANTS,
  waiting: [
    [turn('user', 'go'), turn('model', call('read'), call('read'))],
    ['G1', 'G2'],
  ],
});

it('Gemini takes both spellings', () => {
  expect(validateGemini(snake())).toEqual([]);
});

it('Gemini asks for signatures only of conversations that have any', () => {
  const plain = [turn('user', 'go'), turn('model', call('read')), turn('user', answer('read'))];
  expect(validateGemini(plain)).toEqual([]);
  expect(validateGemini(plain, { signed: true }).map(({ rule }) => rule)).toEqual(['G3']);
});
