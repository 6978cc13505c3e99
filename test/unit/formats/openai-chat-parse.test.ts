import { openaiChat } from '../../../src/formats/index.js';

const parseOne = (wire: unknown) => openaiChat.parse([wire]);

describe('parsing chat completions', () => {
  it('takes a list or a request body, and names messages by position unless they have an id', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b', id: 'x' },
      { role: 'user', content: 'c', id: 'x' },
    ];
    const parsed = openaiChat.parse({ messages, tools: [{ type: 'function' }], model: 'm', stream: true });
    expect(parsed.messages.map((message) => message.id)).toEqual(['m0', 'x', 'm2']);
    expect(parsed.messages.map((message) => message.wire)).toEqual(messages);
    expect(parsed).toMatchObject({
      tools: [{ type: 'function' }],
      model: 'm',
      notices: [{ at: 'm2', kind: 'duplicate-id' }],
    });
    expect(openaiChat.parse([]).messages).toEqual([]);
  });

  it('reads role, origin and name of each message', () => {
    const roles = ['system', 'developer', 'user', 'assistant', 'critic'];
    const { messages, notices } = openaiChat.parse(roles.map((role) => ({ role, content: 'x', name: 'n' })));
    expect(messages.map(({ role, origin, name }) => [role, origin, name])).toEqual([
      ['system', 'system', 'n'],
      ['system', 'system', 'n'],
      ['user', 'user', 'n'],
      ['assistant', 'model', 'n'],
      ['user', 'synthetic', 'n'],
    ]);
    expect(notices.map((notice) => notice.kind)).toEqual(['unknown-role']);
  });

  it('reads thinking, words and calls of an assistant in this order', () => {
    const tool_calls = [
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":' } },
      { id: 'b', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
      { id: 'c', type: 'function', function: { name: 'g', arguments: { n: 1 } } },
      'nonsense',
    ];
    const wire = {
      role: 'assistant',
      tool_calls,
      reasoning_content: 'hm',
      reasoning: 'hm',
      content: 'so',
      refusal: 'no',
    };
    const { messages, notices } = parseOne(wire);
    expect(messages[0]!.parts).toMatchObject([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'so' },
      { type: 'text', text: 'no' },
      { type: 'tool-call', callId: 'a', name: 'f', arguments: '{"x":' },
      { type: 'tool-call', callId: 'b', name: 'patch', arguments: '*** Begin' },
      { type: 'tool-call', callId: 'c', name: 'g', arguments: '{"n":1}' },
      { type: 'tool-call', callId: 'call_m0_3', name: 'unknown', arguments: '{}' },
    ]);
    expect(notices.map((notice) => notice.kind)).toEqual([
      'arguments-not-text',
      'missing-call-id',
      'arguments-not-text',
    ]);
  });

  it('keeps every kind of content, known or not', () => {
    const content = [
      { type: 'text', text: 't' },
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAAA' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AA', filename: 'a.pdf' } },
      { type: 'hologram', beams: 3 },
      { type: 'input_text', text: 'i' },
      'bare',
    ];
    const at = (as: string, ...way: (string | number)[]) => ({ as, way: ['content', ...way] });
    const { messages, notices } = parseOne({ role: 'user', content });
    expect(messages[0]!.parts).toEqual([
      { type: 'text', text: 't', wire: 0 },
      { type: 'file', mediaType: 'image/jpeg', bytes: 27, wire: 1, at: at('address', 1, 'image_url', 'url') },
      { type: 'file', mediaType: 'image/*', bytes: 25, wire: 2, at: at('address', 2, 'image_url', 'url') },
      { type: 'file', mediaType: 'audio/wav', bytes: 4, wire: 3, at: at('bytes', 3, 'input_audio', 'data') },
      {
        type: 'file',
        mediaType: 'application/pdf',
        bytes: 30,
        name: 'a.pdf',
        wire: 4,
        at: at('address', 4, 'file', 'file_data'),
      },
      { type: 'file', mediaType: 'application/octet-stream', bytes: 29, name: 'hologram', wire: 5 },
      { type: 'text', text: 'i', wire: 6 },
      { type: 'text', text: 'bare', wire: 7 },
    ]);
    expect(notices.map((notice) => notice.kind)).toEqual(['unknown-part', 'unknown-part', 'unknown-part']);
  });

  it('reads a result with its name, and one without content', () => {
    const { messages } = openaiChat.parse([
      { role: 'tool', tool_call_id: 'a', name: 'f', content: 'x' },
      { role: 'tool', tool_call_id: 'b', content: null },
    ]);
    expect(messages[0]!.parts).toEqual([
      { type: 'tool-result', callId: 'a', name: 'f', content: [{ type: 'text', text: 'x' }] },
    ]);
    expect(messages[1]!.parts).toEqual([{ type: 'tool-result', callId: 'b', content: [] }]);
  });

  it.each([
    ['<system-reminder>\nbe careful\n</system-reminder>', 'synthetic'],
    [
      '  <environment_context><cwd>/</cwd></environment_context>\n<system-reminder>x</system-reminder> ',
      'synthetic',
    ],
    ['<command-name>/exit</command-name>\n<command-args></command-args>', 'synthetic'],
    ['<command-name>/plan</command-name>\n<command-args>rewrite the parser</command-args>', 'user'],
    ['<system-reminder>x</system-reminder> and now fix it', 'user'],
    ['<system-reminder>never closed', 'user'],
    ['<task>fix the bug</task>', 'user'],
    ['fix <b>this</b>', 'user'],
  ])('tells who wrote %j', (content, origin) => {
    expect(parseOne({ role: 'user', content }).messages[0]!.origin).toBe(origin);
    const listed = parseOne({ role: 'user', content: [{ type: 'text', text: content }] });
    expect(listed.messages[0]!.origin).toBe(origin);
  });
});
