import { openaiChat } from '../../../src/formats/index.js';
import type { Message, Part, ViewMessage } from '../../../src/transcript/index.js';

const FOREIGN = { wireFormat: 'another', wire: { role: 'model', secretField: 1 } } as const;

function shown(role: Message['role'], parts: readonly Part[], from = 0): ViewMessage {
  const origin = role === 'tool' ? 'tool' : role === 'assistant' ? 'model' : 'user';
  const message: Message = { ...FOREIGN, id: `m${from}`, role, origin, parts };
  return { message, size: { tokens: 1, bytes: 1, images: 0, parts: [] }, from, to: from };
}

describe('a message of another format in a chat request', () => {
  it('is written from its parts, without a word of the other format', () => {
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

  it('names a picture that a model drew: only the user may send files', () => {
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

  it('names what chat has no place for', () => {
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
