import { formats, gemini, openaiChat } from '../../../src/formats/index.js';
import type { Message, Part, ViewMessage } from '../../../src/transcript/index.js';
import { originals } from './views.js';

const FOREIGN = { wireFormat: 'another', wire: { role: 'model', secretField: 1 } } as const;

function shown(role: Message['role'], parts: readonly Part[], from = 0): ViewMessage {
  const origin = role === 'tool' ? 'tool' : role === 'assistant' ? 'model' : 'user';
  const message: Message = { ...FOREIGN, id: `m${from}`, role, origin, parts };
  return { message, size: { tokens: 1, bytes: 1, images: 0, parts: [] }, from, to: from };
}

describe('a message of another format in a chat request', () => {
  it('is written from its parts, without fields of the other format', () => {
    const { messages, notices } = openaiChat.serialise([
      shown('user', [{ type: 'text', text: 'look', wire: { type: 'input_text' } }]),
      shown('assistant', [{ type: 'tool-call', callId: 'c', name: 'ls', arguments: '{}', wire: 3 }], 1),
      shown('tool', [{ type: 'tool-result', callId: 'c', content: [{ type: 'text', text: 'a.ts' }] }], 2),
    ]);
    expect(messages).toEqual([
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'ls', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'a.ts' },
    ]);
    expect(notices).toEqual([]);
  });

  it('has a picture drawn by the model named, since only the user may send files', () => {
    const { messages } = openaiChat.serialise([
      { ...shown('user', [{ type: 'text', text: 'draw' }]) },
      {
        ...shown('assistant', [
          { type: 'file', mediaType: 'image/png', bytes: 4, at: { as: 'bytes', way: ['data'] } },
        ]),
        message: {
          ...shown('assistant', []).message,
          id: 'm1',
          wire: { data: 'aaaa' },
          parts: [{ type: 'file', mediaType: 'image/png', bytes: 4, at: { as: 'bytes', way: ['data'] } }],
        },
      },
    ]);
    expect(messages[1]).toEqual({ role: 'assistant', content: '[file image/png, 4 bytes]' });
  });

  it('is sent without a part that chat has no place for, with a notice', () => {
    const opaque: Part = { type: 'opaque', kind: 'approval', bytes: 40, wire: { x: 1 } };
    const { messages, notices } = openaiChat.serialise([
      shown('user', [{ type: 'text', text: 'yes' }, opaque]),
    ]);
    expect(messages).toEqual([{ role: 'user', content: 'yes' }]);
    expect(notices).toEqual([
      {
        at: 'm0',
        kind: 'foreign-part',
        what: 'approval (40 bytes) has no place in this format and is not sent',
      },
    ]);
  });
});

describe('AC-22: calls with names and ids that only their server accepts', () => {
  // Gemini takes dots and colons, and servers that speak it give ids of any length.
  const id = `call|${'x'.repeat(200)}`;
  const name = 'disk.read:file';
  const { messages } = gemini.parse([
    { role: 'user', parts: [{ text: 'Read it.' }] },
    { role: 'model', parts: [{ functionCall: { id, name, args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { id, name, response: { output: 'a wheel' } } }] },
    { role: 'user', parts: [{ text: 'Well?' }] },
  ]);

  it.each([...formats.keys()].filter((to) => to !== 'gemini'))(
    'AC-22: get legal names and ids in %s, and their results the same ids',
    (to) => {
      const sent = formats.get(to)!.serialise(originals(messages));
      const text = JSON.stringify(sent.messages);
      expect(text).not.toContain(name);
      expect(text).not.toContain('call|');
      const ids = text.match(/call_x+_[0-9a-f]{16}/g)!;
      expect([ids.length, new Set(ids).size, ids[0]!.length]).toEqual([2, 1, 64]);
      expect(text.match(/disk_read_file/g)!.length).toBeGreaterThan(0);
      expect(sent.notices.map(({ kind }) => kind)).toContain('tool-name');
    },
  );

  it.each(['openai-chat', 'ai-sdk', 'langchain'])(
    'AC-22: keep in %s the name that the host gave them',
    (to) => {
      const own = messages.map(({ wireFormat: _, wire: __, ...message }) => message);
      const { messages: sent, notices } = formats.get(to)!.serialise(originals(own));
      expect(JSON.stringify(sent)).toContain(name);
      expect(notices.filter(({ kind }) => kind === 'tool-name')).toEqual([]);
    },
  );
});
