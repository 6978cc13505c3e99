import { modelMessageSchema } from 'ai';
import { aiSdk, anthropic, openaiChat } from '../../../../src/formats/index.js';
import { validateAiSdk } from '../../../../src/testkit/index.js';
import type { ViewMessage } from '../../../../src/transcript/index.js';
import { summary } from '../../../support/messages.js';
import { made, originals, withPart } from '../views.js';
import { everything } from './requests.js';

const text = (words: string) => [{ type: 'text' as const, text: words }];
const back = (list: readonly unknown[]) => aiSdk.serialise(originals(aiSdk.parse(list).messages));
const kinds = (notices: readonly { readonly kind: string }[]): string[] => notices.map(({ kind }) => kind);

function legal(messages: readonly unknown[]): void {
  if (messages.length > 0) expect(validateAiSdk(messages)).toEqual([]);
  for (const message of messages) {
    const { success } = modelMessageSchema.safeParse(message);
    if (!success) throw new Error(`the SDK refuses ${JSON.stringify(message)}`);
  }
}

describe('ModelMessages', () => {
  it('are read into text, files, signed reasoning, calls, results, and parts that only the SDK understands', () => {
    const { messages } = aiSdk.parse(everything());
    expect(messages.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
      ['text'],
      ['text'],
      ['text', 'file', 'file', 'file'],
      ['reasoning', 'text', 'tool-call', 'tool-call'],
      ['tool-result', 'tool-result'],
      ['opaque', 'opaque', 'text'],
      ['text'],
      ['tool-call', 'opaque', 'tool-call', 'opaque'],
      ['opaque', 'opaque'],
      ['tool-result', 'tool-result'],
      ['text'],
      ['file'],
      ['text'],
    ]);
    expect(messages[3]!.parts[0]).toMatchObject({ signature: 'c2ln' });
    expect(messages[4]!.parts[1]).toMatchObject({
      content: [{ text: 'a dog' }, { mediaType: 'image/png' }, { type: 'file' }],
    });
    expect(messages[9]!.parts[1]).toMatchObject({ isError: true, content: [{ text: 'keep y' }] });
  });

  it('keep the field `system` of their request, as a text or as messages with options', () => {
    const messages = [{ role: 'user', content: 'hi' }];
    for (const system of [
      'Be brief.',
      [
        { role: 'system', content: 'a', providerOptions: { x: {} } },
        { role: 'system', content: 'b' },
      ],
    ]) {
      const parsed = aiSdk.parse({ system, messages });
      expect(parsed.messages[0]).toMatchObject({ role: 'system' });
      const written = aiSdk.serialise(originals(parsed.messages));
      expect(written.beside).toEqual({ system });
      expect(written.messages).toEqual(messages);
    }
    const edited = originals(aiSdk.parse({ system: 'Be brief.', messages }).messages);
    edited[0] = withPart(edited[0]!, 0, text('Short!'));
    expect(aiSdk.serialise(edited).beside).toEqual({ system: 'Short!' });
  });

  it('are read with the tools of their request, in a list or by name', () => {
    const messages = [{ role: 'user', content: 'hi' }];
    expect(aiSdk.parse({ messages, tools: [{ name: 'look' }] }).tools).toEqual([{ name: 'look' }]);
    const look = { description: 'looks', inputSchema: { jsonSchema: { type: 'object' } }, execute: () => 1 };
    expect(aiSdk.parse({ messages, tools: { look } }).tools).toEqual([
      { name: 'look', description: 'looks', inputSchema: { type: 'object' } },
    ]);
  });
});

describe('an edited ModelMessage', () => {
  const view = (): ViewMessage[] => originals(aiSdk.parse(everything()).messages);
  const edit = (at: number, part: number, content: readonly any[]): unknown => {
    const shown = view();
    shown[at] = withPart(shown[at]!, part, content);
    const { messages, notices } = aiSdk.serialise(shown);
    legal(messages);
    expect(notices).toEqual([]);
    return messages[at];
  };
  const result = (at: number, part: number): any => view()[at]!.message.parts[part];

  it('has only the output of an edited result replaced; the other results and options stay equal', () => {
    const { content: _, ...frame } = result(4, 0);
    const message = edit(4, 0, [{ ...frame, content: text('[stub]') }]) as any;
    expect(message.content[0]).toEqual({
      ...everything()[4]!.content[0],
      output: { type: 'text', value: '[stub]' },
    });
    expect(message.content[1]).toEqual(everything()[4]!.content[1]);
    expect(message.providerOptions).toEqual({ openai: { z: 1 } });
  });

  it('keeps an edited list of text and pictures a list', () => {
    const part = result(4, 1);
    const message = edit(4, 1, [
      { ...part, content: [{ type: 'text', text: '[cut]' }, part.content[1]] },
    ]) as any;
    expect(message.content[1].output).toEqual({
      type: 'content',
      value: [{ type: 'text', text: '[cut]' }, everything()[4]!.content[1].output.value[1]],
    });
    expect(message.content[1].providerOptions).toEqual({ x: { y: 1 } });
  });

  it.each([
    [{ output: 'a long listing' }, { output: '[stub]' }],
    [{ status: 'completed' }, { status: 'completed', output: '[stub]' }],
    [
      {
        output: [
          { stdout: 'a long listing', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
          { stdout: '', stderr: 'late', outcome: { type: 'timeout' } },
        ],
      },
      { output: [{ stdout: '[stub]', stderr: '', outcome: { type: 'timeout' } }] },
    ],
  ])('keeps the output shape of OpenAI’s own tools: %j', (value, left) => {
    const call = { type: 'tool-call', toolCallId: 'x', toolName: 'shell', input: {} };
    const output = { type: 'json', value };
    const shown = originals(
      aiSdk.parse([
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [call] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'x', toolName: 'shell', output }] },
      ]).messages,
    );
    const part = shown[2]!.message.parts[0] as any;
    shown[2] = withPart(shown[2]!, 0, [{ ...part, content: text('[stub]') }]);
    const message = aiSdk.serialise(shown).messages[2] as any;
    expect(message.content[0].output).toEqual({ type: 'json', value: left });
  });

  it('keeps the text input of an OpenAI custom tool when nothing is edited', () => {
    const providerOptions = { openai: { itemId: 'ctc_1' } };
    const call = { type: 'tool-call', toolCallId: 'x', toolName: 'sql', input: 'SELECT 1', providerOptions };
    const messages = [
      { role: 'user', content: 'Ask.' },
      { role: 'assistant', content: [{ type: 'text', text: 'So.' }, call] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'x', toolName: 'sql', output: { type: 'text', value: '1' } },
        ],
      },
    ];
    expect(validateAiSdk(messages)).toEqual([]);
    expect(back(messages)).toEqual({ messages, notices: [] });
  });

  it('turns an edited denial of a call into an error text', () => {
    const message = edit(9, 1, [{ ...result(9, 1), content: text('no') }]) as any;
    expect(message.content[1].output).toEqual({ type: 'error-text', value: 'no' });
  });

  it('has arguments replaced as an object, reasoning shortened without its signature, or reasoning removed', () => {
    const call = edit(3, 2, [{ ...result(3, 2), arguments: '{"at":"[cut]"}' }]) as any;
    expect(call.content[2]).toEqual({ ...everything()[3]!.content[2], input: { at: '[cut]' } });
    const thinner = edit(3, 0, [{ type: 'reasoning', text: 'short' }]) as any;
    expect(thinner.content[0]).toEqual({ type: 'reasoning', text: 'short' });
    expect((edit(3, 0, []) as any).content).toEqual(everything()[3]!.content.slice(1));
  });
});

describe('a log that is broken', () => {
  const call = (id: unknown, input: unknown = {}) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: 'look',
    input,
  });
  const answer = (id: string) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: 'look',
    output: { type: 'text', value: `saw ${id}` },
  });
  const step = (...content: unknown[]) => ({ role: 'assistant', content });
  const tool = (...content: unknown[]) => ({ role: 'tool', content });
  const user = (words: string) => ({ role: 'user', content: words });

  it.each([
    ['arguments-not-json', [user('a'), step(call('x', '{"n": 1')), tool(answer('x'))]],
    ['arguments-not-json', [user('a'), step(call('x', [1])), tool(answer('x'))]],
    ['empty-text', [user('a'), step({ type: 'text', text: '' }), user('')]],
    ['unknown-role', [user('a'), { role: 'critic', content: 'Hm.' }]],
    [
      'orphan-approval',
      [
        user('a'),
        step(call('x')),
        tool(answer('x'), { type: 'tool-approval-response', approvalId: 'q', approved: true }),
      ],
    ],
  ])('%s: is mended with a notice and loses no result', (kind, list) => {
    const { messages, notices } = back(list);
    expect(kinds(notices)).toContain(kind);
    expect(validateAiSdk(messages)).toEqual([]);
    const sent = JSON.stringify(messages);
    for (const id of ['x', 'y']) {
      if (JSON.stringify(list).includes(`saw ${id}`)) expect(sent).toContain(`saw ${id}`);
    }
  });

  it('is sent without reasoning that led to nothing, which providers refuse before another message', () => {
    const reasoning = { type: 'reasoning', text: 'I look.' };
    const [go, well] = ['go', 'well?'].map((content) => ({ role: 'user', content }));
    const said = (...content: unknown[]) => ({ role: 'assistant', content });
    const alone = back([go, said(reasoning), well]);
    expect(alone.messages).toEqual([go, well]);
    expect(kinds(alone.notices)).toContain('dangling-reasoning');
    const answer = said(reasoning, ...text('It is here.'));
    expect(back([go, said(...answer.content, reasoning), well]).messages).toEqual([go, answer, well]);
    expect(back([go, answer, well]).notices).toEqual([]);
  });

  it('has the part that begins a streamed Anthropic answer not counted as content', () => {
    const start = {
      type: 'custom',
      kind: 'anthropic.message_start',
      providerOptions: { anthropic: { id: 'msg_1' } },
    };
    const reasoning = {
      type: 'reasoning',
      text: 'Hm.',
      providerOptions: { anthropic: { signature: 'c2ln' } },
    };
    const said = (...content: unknown[]) => ({ role: 'assistant', content: [start, ...content] });
    const [go, well] = ['go', 'well?'].map((content) => ({ role: 'user', content }));
    expect(back([go, said(), well, said(reasoning), well]).messages).toEqual([go, well, well]);

    const view = originals(aiSdk.parse([go, said(reasoning, ...text('It is here.'))]).messages);
    const digest = made(summary('s', 'digest'));
    const roles = aiSdk.serialise([view[0]!, digest, view[1]!]).messages.map((message: any) => message.role);
    // Without a turn of the user, the provider puts the digest before the thinking, in one turn.
    expect(roles).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('has calls without an id named after their place, with a notice', () => {
    const { messages, notices } = aiSdk.parse([user('a'), step(call(undefined))]);
    expect(messages[1]!.parts[0]).toMatchObject({ callId: 'call_m1_0' });
    expect(kinds(notices)).toEqual(['missing-call-id']);
    const written = aiSdk.serialise(originals(messages));
    expect(validateAiSdk(written.messages)).toEqual([]);
  });
});

describe('messages of other formats', () => {
  it('are written as ModelMessages from their parts, with pictures and without signed thinking', () => {
    const chat = openaiChat.parse([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'look', arguments: '{"n":1}' } }],
      },
      { role: 'tool', tool_call_id: 'x', content: 'a cat' },
    ]).messages;
    const { messages, notices } = aiSdk.serialise(originals(chat));
    expect(notices).toEqual([]);
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'file', data: 'aGk=', mediaType: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'look', input: { n: 1 } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'x',
            toolName: 'look',
            output: { type: 'text', value: 'a cat' },
          },
        ],
      },
    ]);
    const signed = anthropic.parse({
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'text', text: 'yes' },
          ],
        },
      ],
    }).messages;
    expect(aiSdk.serialise(originals(signed)).messages[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'yes' }],
    });
  });

  it('take over the pictures and files of ModelMessages', () => {
    const parsed = aiSdk.parse(everything()).messages.slice(2, 3);
    const { messages } = openaiChat.serialise(originals(parsed));
    const urls = (messages[0] as any).content.map((item: any) => item.image_url?.url ?? item.file?.file_data);
    expect(urls).toEqual([
      undefined,
      'data:image/png;base64,aGk=',
      'https://example.test/a.png',
      'data:application/pdf;base64,AQID',
    ]);
  });
});

describe('files in the form of version 7 of the SDK', () => {
  const kinds7: [string, Record<string, unknown>, Record<string, unknown>][] = [
    ['text', { type: 'text', text: 'word '.repeat(80) }, { bytes: 400 }],
    ['base64', { type: 'data', data: 'A'.repeat(400) }, { bytes: 400 }],
    ['bytes', { type: 'data', data: new Uint8Array(300) }, { bytes: 400 }],
    ['an address', { type: 'url', url: new URL('https://files.example/a') }, { bytes: 23 }],
    ['a reference', { type: 'reference', reference: { openai: 'file_1' } }, { bytes: 0 }],
  ];

  it.each(kinds7)('%s: is legal and counted at its size', (_, data, size) => {
    const messages = [
      { role: 'user', content: [{ type: 'file', data, mediaType: 'image' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning-file', data, mediaType: 'image/png' },
          { type: 'custom', kind: 'openai.compaction' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c',
            toolName: 'look',
            output: { type: 'content', value: [{ type: 'file', data, mediaType: 'text/plain' }] },
          },
        ],
      },
    ];
    const parsed = aiSdk.parse(messages);
    expect(parsed.notices).toEqual([]);
    const [[asked], [thought], [result]] = parsed.messages.map(({ parts }) => parts) as any;
    expect(asked).toMatchObject({ type: 'file', mediaType: 'image/*', ...size });
    expect(thought).toMatchObject({ type: 'file', mediaType: 'image/png', ...size });
    expect(result.content).toMatchObject([{ type: 'file', mediaType: 'text/plain', ...size }]);
    expect(back(messages).messages).toEqual(messages);
    expect(validateAiSdk(messages)).toEqual([]);
  });
});
