import { coerceMessageLikeToMessage, type MessageFieldWithRole } from '@langchain/core/messages';
import { modelMessageSchema } from 'ai';
import { formats } from '../../../src/index.js';
import { validators } from '../../../src/testkit/index.js';
import { engine, prose } from '../../acceptance/support.js';

type Items = readonly unknown[];
type Case = readonly [intent: string, format: string, items: Items, said?: readonly string[]];

const text = (words: string, more = {}) => ({ type: 'text', text: words, ...more });
const mark = { cache_control: { type: 'ephemeral' } };
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const user = (content: unknown) => ({ role: 'user', content });
const says = (content: unknown, more = {}) => ({ role: 'assistant', content, ...more });
const chatCall = (id: unknown, args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: args },
});
const asked = (parts: unknown[]) => ({ role: 'user', parts });
const model = (parts: unknown[]) => ({ role: 'model', parts });
const human = (content: unknown) => ({ type: 'human', content });
const ai = (content: unknown, more = {}) => ({ type: 'ai', content, ...more });
const part = (toolCallId: string, more = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'look',
  input: {},
  ...more,
});
const output = (toolCallId: string, value: unknown) => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'look',
  output: value,
});

const CASES: readonly Case[] = [
  [
    'content that is an empty list or null',
    'openai-chat',
    [user([]), says([]), user(null), says(null), user('x')],
  ],
  [
    'instructions between a call and its result',
    'openai-chat',
    [
      user('a'),
      says(null, { tool_calls: [chatCall('c')] }),
      { role: 'system', content: 'Be kind.' },
      { role: 'tool', tool_call_id: 'c', content: 'a wheel' },
      user('x'),
    ],
    ['Be kind.', 'a wheel'],
  ],
  [
    'refusals and spoken answers',
    'openai-chat',
    [
      user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }]),
      says(null, { refusal: 'No.' }),
      user('a'),
      says(null, { audio: { id: 'audio_1' } }),
      says([{ type: 'refusal', refusal: 'Never.' }]),
      user('x'),
    ],
    ['No.', 'Never.', 'audio_1'],
  ],
  [
    'calls that are null, words, without a function, with a number for an id',
    'openai-chat',
    [
      user('a'),
      says('b', { tool_calls: [{ id: 'q' }, null, 'words', chatCall(7)] }),
      { role: 'tool', tool_call_id: 'q', content: 'a wheel' },
      user('x'),
    ],
    ['a wheel'],
  ],
  [
    'arguments and a result that are objects',
    'openai-chat',
    [
      user('a'),
      says('b', { tool_calls: [chatCall('q', { sails: 4 })] }),
      { role: 'tool', tool_call_id: 'q', content: { wheels: 2 } },
      user('x'),
    ],
    ['sails', 'wheels'],
  ],
  [
    'halves of characters in ids, names and arguments',
    'openai-chat',
    [
      { ...user('a\ud800'), name: 'n\udc00' },
      says(null, { tool_calls: [chatCall('q\ud800', '{"a":"\ud800"}')] }),
      { role: 'tool', tool_call_id: 'q\ud800', content: 'a wheel\ud800' },
      user('x'),
    ],
    ['a wheel'],
  ],
  [
    'cache marks on everything, thinking included',
    'anthropic',
    [
      user([text('a', mark), text('b', mark)]),
      says([
        { type: 'thinking', thinking: 't', signature: 's', ...mark },
        text('c', mark),
        { type: 'tool_use', id: 'a', name: 'look', input: {}, ...mark },
      ]),
      user([
        { type: 'tool_result', tool_use_id: 'a', content: [text('a wheel', mark)], ...mark },
        text('z', mark),
      ]),
    ],
    ['a wheel'],
  ],
  [
    'tools of the provider that failed, or never came back, beside ours',
    'anthropic',
    [
      user('q'),
      says([
        { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srv',
          content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
        },
        { type: 'server_tool_use', id: 'srv2', name: 'web_search', input: {} },
        { type: 'tool_use', id: 'a', name: 'look', input: {} },
      ]),
      user([{ type: 'tool_result', tool_use_id: 'a', content: [] }]),
    ],
    ['max_uses_exceeded'],
  ],
  [
    'inputs that are text, a list, nothing; a call without an id; a name that is refused',
    'anthropic',
    [
      user('q'),
      says([
        { type: 'tool_use', id: 'a', name: 'look', input: '{"sails":' },
        { type: 'tool_use', id: 'b', name: 'look', input: ['wheels'] },
        { type: 'tool_use', id: 'c', name: 'look', input: null },
        { type: 'tool_use', name: 'look', input: {} },
        { type: 'tool_use', id: 'd!', name: 'a.b c', input: {} },
      ]),
      user(
        ['a', 'b', 'c', '', 'd!'].map((id) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: `to ${id}`,
        })),
      ),
    ],
    ['sails', 'wheels', 'to a', 'to d!'],
  ],
  [
    'words before results, blocks of an unknown kind inside one, a picture in one that failed',
    'anthropic',
    [
      user('q'),
      says([
        { type: 'tool_use', id: 'a', name: 'look', input: {} },
        { type: 'tool_use', id: 'b', name: 'look', input: {} },
      ]),
      user([
        text('words before'),
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: [{ type: 'hologram', rays: 'nine' }, text('a wheel')],
        },
        {
          type: 'tool_result',
          tool_use_id: 'b',
          is_error: true,
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
        },
      ]),
    ],
    ['words before', 'a wheel', 'nine'],
  ],
  [
    'thinking without words, without a signature, behind words; answers of white space; content that is no block',
    'anthropic',
    [
      user(['plain', 7, null]),
      says([{ type: 'thinking', thinking: 't' }]),
      user('a'),
      says([
        text('w'),
        { type: 'thinking', thinking: 't', signature: 's' },
        { type: 'redacted_thinking', data: 'd' },
      ]),
      user(' '),
      says(' \n'),
      user('x'),
    ],
    ['plain'],
  ],
  [
    'calls and results without ids, arguments and an output that are objects',
    'openai-responses',
    [
      user('a'),
      { type: 'function_call', name: 'look', arguments: '{}' },
      { type: 'function_call', name: 'see', arguments: { sails: 4 } },
      { type: 'function_call_output', output: 'a wheel' },
      { type: 'function_call_output', output: { wheels: 2 } },
      user('x'),
    ],
    ['a wheel', 'sails', 'wheels'],
  ],
  [
    'a role of another wire',
    'openai-responses',
    [user('a'), { role: 'tool', tool_call_id: 'z', content: 'a wheel' }, says('k'), user('x')],
    ['a wheel'],
  ],
  [
    'the same ids twice, a third result, reasoning that led to nothing, items of the server',
    'openai-responses',
    [
      user('a'),
      { type: 'reasoning', id: 'r0', summary: [], encrypted_content: 'e' },
      user('b'),
      { type: 'function_call', id: 'fc', call_id: 'c', name: 'look', arguments: '{' },
      { type: 'function_call_output', call_id: 'c', output: 'a wheel' },
      { type: 'function_call', id: 'fc', call_id: 'c', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'a sail' },
      { type: 'function_call_output', call_id: 'c', output: 'a wall' },
      { type: 'web_search_call', id: 'ws', status: 'failed' },
      user('x'),
    ],
    ['a wheel', 'a sail', 'a wall'],
  ],
  [
    'parallel calls of one name without ids',
    'gemini',
    [
      asked([{ text: 'a' }]),
      model([1, 2].map((n) => ({ functionCall: { name: 'look', args: { n } } }))),
      asked([1, 2].map((n) => ({ functionResponse: { name: 'look', response: { wheel: n } } }))),
      model([{ text: 'k', thoughtSignature: 'sig' }]),
      asked([{ text: 'x' }]),
    ],
  ],
  [
    'signatures on words, on empty ones, and on calls',
    'gemini',
    [
      asked([{ text: 'a' }]),
      model([
        { text: 'th', thought: true, thoughtSignature: 's0' },
        { text: 'w', thoughtSignature: 's1' },
        { text: '', thoughtSignature: 's2' },
        { functionCall: { name: 'look' }, thoughtSignature: 's3' },
      ]),
      asked([{ functionResponse: { name: 'look', response: {} } }]),
    ],
    ['s1', 's2', 's3'],
  ],
  [
    'arguments, responses and names that are refused',
    'gemini',
    [
      asked([{ text: 'a' }]),
      model([
        { functionCall: { name: 'look', args: 'sails' } },
        { functionCall: { name: 'we ird/name', args: ['vanes'] } },
        { functionCall: {} },
      ]),
      asked([
        { functionResponse: { name: 'look', response: 'wheels' } },
        { functionResponse: { name: 'we ird/name', response: ['walls'] } },
        { functionResponse: {} },
      ]),
      asked([{ text: 'x' }]),
    ],
    ['sails', 'vanes', 'wheels', 'walls'],
  ],
  [
    'a refused name, and none, answered with objects',
    'gemini',
    [
      asked([{ text: 'a' }]),
      model([{ functionCall: { name: 'we ird/name', args: {} } }, { functionCall: { args: {} } }]),
      asked([
        { functionResponse: { name: 'we ird/name', response: { wall: 'door' } } },
        { functionResponse: { response: { wall: 'hinge' } } },
      ]),
    ],
    ['door', 'hinge'],
  ],
  [
    'words and a call in one signed part, in the turn that is under way',
    'gemini',
    [
      asked([{ text: 'a' }]),
      model([{ text: 'sail', functionCall: { name: 'look', args: {} }, thoughtSignature: 'sig' }]),
      asked([{ functionResponse: { name: 'look', response: {} } }]),
    ],
    ['sail', 'sig'],
  ],
  [
    'calls and responses that are no objects',
    'gemini',
    [
      asked([{ text: 'a' }]),
      model([{ functionCall: 'vane' }, { functionCall: ['sail'] }, { functionCall: 7 }]),
      asked([{ functionResponse: 'wheel' }, { text: 'x' }]),
    ],
    ['vane', 'sail', 'wheel'],
  ],
  [
    'parts that say nothing, two things, or are none; files that hold nothing',
    'gemini',
    [
      asked([{ text: 'mill', inlineData: { mimeType: 'image/png', data: PNG } }, null, 'bare', {}]),
      model([{ text: 'sail', functionCall: { name: 'look', args: {} } }]),
      asked([{ functionResponse: { name: 'look', response: {} }, text: 'wall' }]),
      model([]),
      asked([
        { inlineData: { mimeType: 'image/png' } },
        { fileData: { fileUri: 'gs://x' } },
        { inlineData: { data: PNG } },
      ]),
      model([{ text: null }]),
      asked([{ text: 'x' }]),
    ],
    ['mill', 'bare', 'sail', 'wall', 'gs://x'],
  ],
  [
    'approvals granted, denied without a result, for nothing and twice',
    'ai-sdk',
    [
      user('a'),
      says([
        part('c'),
        { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'c' },
        part('d'),
        { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'd' },
      ]),
      {
        role: 'tool',
        content: [
          { type: 'tool-approval-response', approvalId: 'p', approved: true },
          { type: 'tool-approval-response', approvalId: 'q', approved: false, reason: 'not now' },
          { type: 'tool-approval-response', approvalId: 'q', approved: true },
          { type: 'tool-approval-response', approvalId: 'ghost', approved: true },
        ],
      },
      { role: 'tool', content: [output('c', { type: 'text', value: 'a wheel' })] },
      user('x'),
    ],
    ['a wheel', 'not now'],
  ],
  [
    'outputs of every kind, inputs that are no objects, media in results',
    'ai-sdk',
    [
      user('a'),
      says([
        part('a', { input: 'sails' }),
        part('b', { input: null }),
        part('c', { input: ['vanes'] }),
        part('d'),
        part('e'),
      ]),
      {
        role: 'tool',
        content: [
          output('a', { type: 'json', value: null }),
          output('b', { type: 'error-json', value: {} }),
          output('c', { type: 'execution-denied' }),
          { type: 'tool-result', toolCallId: 'd', output: 'wheels' },
          output('e', {
            type: 'content',
            value: [
              { type: 'media', data: PNG, mediaType: 'image/png' },
              { type: 'file-url', url: 'https://mill.example/a' },
              text('walls'),
            ],
          }),
        ],
      },
      user('x'),
    ],
    ['sails', 'vanes', 'wheels', 'walls'],
  ],
  [
    'calls that the provider ran, with an error or with nothing; results of ours in the answer',
    'ai-sdk',
    [
      user('a'),
      says([
        part('p', { providerExecuted: true }),
        output('p', { type: 'error-text', value: 'no wind' }),
        text('k'),
      ]),
      user('b'),
      says([part('r', { providerExecuted: true })]),
      user('c'),
      says([part('s'), output('s', { type: 'text', value: 'a wheel' })]),
      user('x'),
    ],
    ['no wind', 'a wheel'],
  ],
  [
    'nothing but what says nothing',
    'ai-sdk',
    [user(''), says([]), user([text('')]), { role: 'tool', content: [] }],
  ],
  ['nothing but what says nothing', 'langchain', [human(''), ai([]), human([])]],
  [
    'calls as the provider wrote them, in the fields beside or in the content alone',
    'langchain',
    [
      human('a'),
      ai('', { additional_kwargs: { tool_calls: [chatCall('c', '{"sails":4}')] } }),
      { type: 'tool', tool_call_id: 'c', content: 'a wheel' },
      ai([text('k'), { type: 'tool_use', id: 'd', name: 'look', input: { vanes: 2 } }]),
      { type: 'tool', tool_call_id: 'd', content: 'a wall' },
      ai([{ type: 'tool_use', id: 'e', name: 'look', input: {} }], {
        tool_calls: [{ id: 'f', name: 'look', args: {} }],
      }),
      { type: 'tool', tool_call_id: 'f', content: 'a door', artifact: { rows: ['hinge'] } },
      human('x'),
    ],
    ['sails', 'a wheel', 'vanes', 'a wall', 'a door', 'hinge'],
  ],
  [
    'calls that could not be read, without ids, with words for arguments; results without ids',
    'langchain',
    [
      human('a'),
      ai('', { invalid_tool_calls: [{ id: 'c', name: 'look', args: '{', error: 'no JSON' }] }),
      { type: 'tool', tool_call_id: 'c', content: 'a wheel', status: 'error' },
      ai('', { tool_calls: [{ name: 'look', args: '{"sails"' }, null] }),
      { type: 'tool', content: 'a wall' },
      { type: 'generic', role: 'critic', content: 'Hm.' },
      human('x'),
    ],
    ['a wheel', 'sails', 'a wall', 'Hm.'],
  ],
];

/** Talk that fills a small window, after the items under test. */
function filler(format: string): Items {
  const [ask, answer] =
    format === 'gemini'
      ? [(words: string) => asked([{ text: words }]), (words: string) => model([{ text: words }])]
      : format === 'langchain'
        ? [human, ai]
        : [user, says];
  return Array.from({ length: 8 }, (_, at) => [answer(prose(200, at)), ask(prose(200, at + 50))]).flat();
}

async function sent(format: string, items: Items, budget: number) {
  const session = (await engine(budget, {}, { format })).session();
  const field = formats.get(format)!.messagesField;
  await session.follow({ [field]: items });
  const { messages, beside, notices } = await session.prepare();
  return { messages, body: { ...beside, [field]: messages }, notices };
}

/** Checks the messages with the vendor's own package; most vendors have none that checks. */
function vendorTakes(format: string, messages: Items): void {
  for (const message of messages) {
    if (format === 'ai-sdk') expect(modelMessageSchema.safeParse(message).error).toBeUndefined();
    if (format === 'langchain') coerceMessageLikeToMessage(message as MessageFieldWithRole);
  }
}

describe.each(CASES)('%s, in %s', (_, format, items, said = []) => {
  it('is sent legally, with its text, if it fits', async () => {
    const { body, messages } = await sent(format, items, 1_000_000);
    expect(validators.get(format)!(body)).toEqual([]);
    vendorTakes(format, messages);
    for (const words of said) expect(JSON.stringify(body)).toContain(words);
  });

  it('is sent legally when it is compacted', async () => {
    const { body, messages } = await sent(format, [...items, ...filler(format)], 1_500);
    expect(validators.get(format)!(body)).toEqual([]);
    vendorTakes(format, messages);
  });
});

it('UIMessages are refused by name in a session of ModelMessages', async () => {
  const session = (await engine(4_000, {}, { format: 'ai-sdk' })).session();
  const messages = [{ id: '1', role: 'user', parts: [text('Build a mill.')] }];
  await expect(session.follow({ messages })).rejects.toThrow(/INPUT_FORMAT.*UIMessage/);
});

describe('50 MB of base64', () => {
  const large = 'A'.repeat(50_000_000);

  it('are kept in a picture, left out in an older file, and refused in a file of the newest question', async () => {
    const file = {
      type: 'file',
      file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${large}` },
    };
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${large}` } };
    const rest = [says('Seen.'), user('And now?')];
    const kept = await sent('openai-chat', [user([text('See'), picture]), ...rest], 8_000);
    expect(kept.messages[0]).toMatchObject({ content: [text('See'), { type: 'image_url' }] });
    const gone = await sent('openai-chat', [user('Hi'), says('Yes.'), user([file]), ...rest], 8_000);
    expect(JSON.stringify(gone.body).length).toBeLessThan(2_000);
    expect(validators.get('openai-chat')!(gone.body)).toEqual([]);
    await expect(sent('openai-chat', [user([file])], 8_000)).rejects.toMatchObject({
      code: 'BUDGET_UNREACHABLE',
    });
  });
});
