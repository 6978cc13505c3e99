import { openaiChat } from '../../../src/formats/index.js';
import type { Part, ViewMessage } from '../../../src/transcript/index.js';
import { withContent } from '../../../src/transcript/index.js';
import { made, originals, withPart } from './views.js';

const text = (words: string): Part => ({ type: 'text', text: words });
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' }, x_cache: true };

/** Serialises one message with one part replaced, as the projection would. */
function edited(wire: Record<string, unknown>, index: number, ...content: Part[]): unknown {
  const shown = originals(openaiChat.parse([wire]).messages)[0]!;
  return sent(withPart(shown, index, withContent(shown.message.parts[index]!, content)));
}

function sent(shown: ViewMessage): unknown {
  return openaiChat.serialise([shown]).messages[0];
}

describe('an edited chat message', () => {
  it('keeps unknown fields and the order of keys', () => {
    const wire = { z: 1, content: 'long', role: 'user', a: { b: 2 } };
    expect(JSON.stringify(edited(wire, 0, text('short')))).toBe(
      '{"z":1,"content":"short","role":"user","a":{"b":2}}',
    );
  });

  it('has only its content changed when a tool result is replaced', () => {
    const shown = originals(
      openaiChat.parse([
        {
          role: 'assistant',
          content: 'x',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
        },
        { x: 1, role: 'tool', content: 'long', tool_call_id: 'a', name: 'f' },
      ]).messages,
    );
    const stub = withPart(
      shown[1]!,
      0,
      withContent(shown[1]!.message.parts[0]!, [text('stub'), text('more')]),
    );
    const out = openaiChat.serialise([shown[0]!, stub]).messages;
    expect(JSON.stringify(out[1])).toBe(
      '{"x":1,"role":"tool","content":"stub\\nmore","tool_call_id":"a","name":"f"}',
    );
    const gone = withPart(shown[1]!, 0, withContent(shown[1]!.message.parts[0]!, []));
    expect(openaiChat.serialise([shown[0]!, gone]).messages[1]).toMatchObject({ content: '' });
  });

  it('has only the arguments of a replaced call changed; the call next to it is the same object', () => {
    const call = (id: string) => ({
      index: 0,
      id,
      type: 'function',
      function: { arguments: '{"a":1}', name: 'f', s: true },
    });
    const wire = { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] };
    const out = edited(wire, 1, text('{}')) as typeof wire;
    expect(out.tool_calls[0]).toBe(wire.tool_calls[0]);
    expect(JSON.stringify(out.tool_calls[1])).toBe(JSON.stringify(call('b')).replace('{\\"a\\":1}', '{}'));
    expect(out.content).toBeNull();
  });

  it('may have a part of a list replaced by none or several; the other parts stay', () => {
    const other = { type: 'text', text: 'b', cache: 1 };
    const wire = { role: 'user', content: [{ type: 'text', text: 'a' }, image, other] };
    expect(edited(wire, 0)).toEqual({ role: 'user', content: [image, other] });
    expect(edited(wire, 1, text('[picture]'), text('of a cat'))).toEqual({
      role: 'user',
      content: [
        wire.content[0],
        { type: 'text', text: '[picture]' },
        { type: 'text', text: 'of a cat' },
        other,
      ],
    });
    expect((edited(wire, 0) as typeof wire).content[1]).toBe(other);
  });

  it('loses the signed copy of its thinking when the thinking is removed', () => {
    const wire = {
      role: 'assistant',
      reasoning_content: 'hm',
      reasoning_details: [{ signed: 1 }],
      content: 'yes',
    };
    expect(edited(wire, 0)).toEqual({ role: 'assistant', content: 'yes' });
    expect(edited(wire, 1, text('y'))).toEqual({ ...wire, content: 'y' });
    const twice = { role: 'assistant', reasoning: 'hm', reasoning_content: 'hm', content: '' };
    expect(edited(twice, 0, { type: 'reasoning', text: 'h' })).toEqual({
      role: 'assistant',
      reasoning_content: 'h',
      content: '',
    });
  });

  it('has empty content when it is the assistant’s and loses its last words', () => {
    expect(edited({ role: 'assistant', content: 'x' }, 0)).toEqual({ role: 'assistant', content: '' });
  });

  it('keeps a refusal in its field, and joins an edited one to the content', () => {
    const wire = { role: 'assistant', content: 'a', refusal: 'no' };
    expect(edited(wire, 0, text('b'))).toEqual({ role: 'assistant', content: 'b', refusal: 'no' });
    expect(edited(wire, 1, text('n'))).toEqual({ role: 'assistant', content: 'a\nn' });
  });

  it('is sent as a plain message if a summary replaces it', () => {
    const shown = made({
      id: 's',
      role: 'user',
      origin: 'synthetic',
      label: 'summary',
      parts: [text('before: …')],
      wire: { y: 1 },
    });
    expect(sent(shown)).toEqual({ role: 'user', content: 'before: …' });
  });

  it('is written once: the same view gives the same objects', () => {
    const shown = originals(openaiChat.parse([{ role: 'user', content: 'long' }]).messages)[0]!;
    const stub = withPart(shown, 0, [text('short')]);
    expect(sent(stub)).toBe(sent(stub));
  });
});

describe('messages of another format, sent as chat', () => {
  it('are split: a message with results and text becomes one message for each', () => {
    const result = (callId: string): Part => ({
      type: 'tool-result',
      callId,
      content: [{ type: 'text', text: callId }],
    });
    const call = (callId: string): Part => ({ type: 'tool-call', callId, name: 'f', arguments: '{}' });
    const view = originals([
      {
        id: '1',
        role: 'assistant',
        origin: 'model',
        parts: [{ type: 'reasoning', text: 'hm', signature: 's' }, call('a'), call('b')],
      },
      { id: '2', role: 'user', origin: 'user', parts: [text('and'), result('a'), result('b')] },
    ]);
    expect(openaiChat.serialise(view).messages).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'f', arguments: '{}' },
        })),
      },
      { role: 'tool', tool_call_id: 'a', content: 'a' },
      { role: 'tool', tool_call_id: 'b', content: 'b' },
      { role: 'user', content: 'and' },
    ]);
  });

  it('have a tool message without a result sent as a user message', () => {
    const view = originals([{ id: '1', role: 'tool', origin: 'tool', parts: [text('done')] }]);
    expect(openaiChat.serialise(view).messages).toEqual([{ role: 'user', content: 'done' }]);
  });
});
