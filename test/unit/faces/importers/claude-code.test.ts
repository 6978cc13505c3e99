import { openaiChat } from '../../../../src/formats/index.js';
import { claudeCode } from '../../../../src/faces/importers/claude-code.js';
import { textOf } from '../../../../src/transcript/index.js';
import { originals } from '../../formats/views.js';

type Line = Record<string, unknown>;

function line(
  uuid: string,
  parentUuid: string | null,
  type: string,
  content: unknown,
  more: Line = {},
): Line {
  const message = {
    role: type,
    content,
    ...(type === 'assistant' ? { id: `msg_${uuid}`, model: 'some-model' } : {}),
  };
  return { uuid, parentUuid, type, isSidechain: false, message, ...more };
}

function read(lines: readonly Line[]) {
  const reader = claudeCode.open();
  lines.forEach((one, index) => reader.take(one, index + 1));
  const { messages, notices } = reader.finish().parsed;
  return {
    messages,
    said: messages.map((m) => m.parts.map(textOf).join('|')),
    kinds: notices.map((n) => n.kind),
  };
}

const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `result ${id}` });

describe('the Claude Code importer', () => {
  it('joins the lines of one answer and takes in parallel results that are no ancestors', () => {
    const shared = { message: { id: 'one', role: 'assistant', content: [call('a')] } };
    const { messages } = read([
      line('u', null, 'user', 'go'),
      line('a1', 'u', 'assistant', [], {
        message: { ...shared.message, content: [{ type: 'text', text: 'both' }] },
      }),
      line('a2', 'a1', 'assistant', [], shared),
      line('a3', 'a2', 'assistant', [], { message: { ...shared.message, content: [call('b')] } }),
      line('ra', 'a2', 'user', [result('a')]),
      line('rb', 'a3', 'user', [result('b')]),
      line('z', 'rb', 'assistant', [{ type: 'text', text: 'done' }]),
    ]);
    expect(messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ]);
    expect(messages[1]!.parts.map((part) => part.type)).toEqual(['text', 'tool-call', 'tool-call']);
  });

  it('leaves out side chains, rewound branches and API errors, and says so', () => {
    const { said, kinds } = read([
      line('u', null, 'user', 'go'),
      line('s', null, 'user', 'sub-agent', { isSidechain: true }),
      line('x', 'u', 'assistant', [{ type: 'text', text: 'rewound' }]),
      line('y', 'u', 'assistant', [{ type: 'text', text: 'error' }], {
        message: { model: '<synthetic>', content: 'x' },
      }),
      line('z', 'y', 'user', 'again'),
    ]);
    expect(said).toEqual(['go', 'again']);
    expect(kinds).toEqual(['rewound', 'sidechain', 'api-error']);
  });

  it('goes on before a compaction boundary whose parent is missing, and survives a ring of parents', () => {
    const broken = read([
      line('u', null, 'user', 'go'),
      line('v', 'gone', 'user', 'on', { isCompactSummary: true }),
    ]);
    expect(broken.said).toEqual(['go', 'on']);
    expect(broken.kinds).toEqual(['chain-break']);
    expect(broken.messages.map((message) => message.origin)).toEqual(['user', 'synthetic']);
    expect(read([line('a', 'b', 'user', 'a'), line('b', 'a', 'user', 'b')]).said).toEqual(['a', 'b']);
  });

  it('keeps thinking with its signature, pictures sendable, failures marked, unknown blocks visible', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const { messages, kinds } = read([
      line('u', null, 'user', [{ type: 'text', text: 'see' }, image]),
      line('a', 'u', 'assistant', [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        call('a'),
        { type: 'odd' },
      ]),
      line('r', 'a', 'user', [
        { ...result('a'), is_error: true, content: [{ type: 'text', text: 'no' }, image] },
      ]),
    ]);
    expect(messages[0]!.parts[1]).toMatchObject({ type: 'file', mediaType: 'image/png' });
    expect(messages[1]!.parts[0]).toMatchObject({ type: 'reasoning', text: 'hm', signature: 'sig' });
    expect(messages[2]!.parts[0]).toMatchObject({ type: 'tool-result', isError: true });
    expect(kinds).toEqual(['unknown-part']);
    const sent = openaiChat.serialise(originals(messages)).messages;
    expect(sent).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'Read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'no\n[file image/png, 4 bytes]' },
    ]);
  });

  it('reads a line once that stands twice, as where two copies of a file were put together, and says so', () => {
    const one = [
      line('u', null, 'user', 'go'),
      line('a', 'u', 'assistant', [{ type: 'text', text: 'gone' }, call('a')]),
      line('r', 'a', 'user', [result('a')]),
    ];
    const more = line('z', 'r', 'user', 'and back');
    for (const lines of [
      [...one, ...one, more],
      [...one.flatMap((each) => [each, each]), more],
    ]) {
      const { messages, said, kinds } = read(lines);
      expect(said).toEqual(read([...one, more]).said);
      expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
      expect(kinds).toEqual(['repeated']);
    }
  });

  it('refuses a file without any message', () => {
    expect(() => read([{ type: 'summary', summary: 'x' }])).toThrow(
      expect.objectContaining({ code: 'INPUT_FORMAT' }),
    );
  });
});
