import { openaiChat } from '../../../src/formats/index.js';
import { openaiResponses } from '../../../src/formats/openai-responses/index.js';
import { validateOpenAiResponses } from '../../../src/testkit/index.js';
import type { Message, Part } from '../../../src/transcript/index.js';
import { call, everything, output, says, thought, type Loose } from '../../support/responses.js';
import { originals, withPart } from './views.js';

const text = (words: string): Part => ({ type: 'text', text: words });
const kindsOf = (notices: readonly { kind: string }[]): string[] => notices.map(({ kind }) => kind);

/** The body that a face would send. */
function bodyOf(body: Loose, view = originals(openaiResponses.parse(body).messages)): Loose {
  const { messages, beside } = openaiResponses.serialise(view);
  return JSON.parse(JSON.stringify({ ...body, input: messages, ...beside })) as Loose;
}

describe('a Responses request that is not edited', () => {
  it('is grouped by step: consecutive items of the model are one message, each result is another', () => {
    const { messages } = openaiResponses.parse([
      says('user', 'go'),
      thought('1'),
      call('a'),
      call('b'),
      output('b'),
      output('a'),
    ]);
    expect(messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['reasoning', 'tool-call', 'tool-call']],
      ['tool', ['tool-result']],
      ['tool', ['tool-result']],
    ]);
    expect(messages[1]!.parts[0]).toMatchObject({ text: 'thinking of 1', signature: 'sealed-1' });
  });

  it('is sent as one user message if its input is a text', () => {
    expect(bodyOf({ input: 'hello' })).toEqual({ input: [{ role: 'user', content: 'hello' }] });
  });

  it('may hold the result of a call that an earlier response holds', () => {
    const body = { previous_response_id: 'resp_1', input: [output('earlier'), says('user', 'go on')] };
    expect(bodyOf(body)).toEqual(body);
    expect(validateOpenAiResponses(bodyOf(body))).toEqual([]);
  });

  it('keeps ids of 450 characters as their server made them', () => {
    const id = 'x|'.repeat(225);
    const body = { input: [says('user', 'go'), call(id), output(id), says('user', 'and?')] };
    expect(bodyOf(body)).toEqual(body);
  });

  it('is refused if it is in another format', () => {
    expect(() => openaiResponses.parse({ messages: [] })).toThrow('openai-responses');
    expect(() => openaiResponses.parse([{ role: 'tool', tool_call_id: 'x', content: 'y' }])).toThrow('known');
    expect(() => openaiResponses.parse([7])).toThrow('message 0');
  });
});

describe('an edited Responses request', () => {
  const body = everything();
  const messages = openaiResponses.parse(body).messages;
  const find = (type: string): { message: number; part: number } => {
    for (const [message, one] of messages.entries()) {
      const items = (one.wire as { items?: Loose[] }).items ?? [];
      const part = one.parts.findIndex((p) => {
        const [at] = Array.isArray(p.wire) ? (p.wire as number[]) : [];
        return at !== undefined && items[at]?.type === type;
      });
      if (part >= 0) return { message, part };
    }
    throw new Error(`no ${type} in the fixture`);
  };
  const edit = (
    type: string,
    change: (part: Part) => readonly Part[],
  ): { body: Loose; notices: string[] } => {
    const { message, part } = find(type);
    const view = originals(messages);
    view[message] = withPart(view[message]!, part, change(messages[message]!.parts[part]!));
    const sent = bodyOf(body, view);
    expect(validateOpenAiResponses(sent)).toEqual([]);
    return { body: sent, notices: kindsOf(openaiResponses.serialise(view).notices) };
  };
  const result =
    (words: string) =>
    (part: Part): readonly Part[] => [{ ...part, content: [text(words)] } as Part];
  const args =
    (json: string) =>
    (part: Part): readonly Part[] => [{ ...part, arguments: json } as Part];
  const sentOf = ({ body: sent }: { body: Loose }, type: string): Loose =>
    (sent.input as Loose[]).find((item) => item.type === type)!;

  it.each([
    ['function_call_output', 'output', 'cut'],
    ['custom_tool_call_output', 'output', 'cut'],
    ['local_shell_call_output', 'output', 'cut'],
    ['apply_patch_call_output', 'output', 'cut'],
    ['shell_call_output', 'output', [{ stdout: 'cut', stderr: '', outcome: { type: 'exit', exit_code: 0 } }]],
  ])('has the output of a %s replaced, and starts a new chain', (type, field, wanted) => {
    const sent = edit(type, result('cut'));
    expect(sentOf(sent, type)[field]).toEqual(wanted);
    expect(sent.notices).toEqual(['new-chain']);
  });

  it('keeps a server-run tool call and its cut output in one item', () => {
    const { message, part } = find('mcp_call');
    const view = originals(messages);
    view[message] = withPart(view[message]!, part + 1, result('cut')(messages[message]!.parts[part + 1]!));
    expect(sentOf({ body: bodyOf(body, view) }, 'mcp_call')).toMatchObject({
      output: 'cut',
      arguments: '{"q":1}',
    });
  });

  it('has an allowed call name no approval, once the approval is left out', () => {
    const allowed = {
      input: [
        says('user', 'go'),
        { type: 'mcp_approval_request', id: 'q', server_label: 's', name: 'pay', arguments: '{}' },
        { type: 'mcp_approval_response', approval_request_id: 'q', approve: true },
        {
          type: 'mcp_call',
          id: 'm',
          approval_request_id: 'q',
          server_label: 's',
          name: 'pay',
          arguments: '{}',
        },
        says('user', 'and?'),
      ],
    };
    expect(bodyOf(allowed)).toEqual(allowed);
    const [first, , , ...rest] = originals(openaiResponses.parse(allowed).messages);
    const { input } = bodyOf(allowed, [withPart(first!, 0, [text('cut')]), ...rest]);
    expect((input as Loose[]).map(({ type, approval_request_id: id }) => [type, id])).toEqual([
      ['message', undefined],
      ['mcp_call', null],
      ['message', undefined],
    ]);
  });

  it('gets a blank screenshot in place of a cut one, and a user message with the cut text after it', () => {
    const sent = edit('computer_call_output', result('[left out; recall m9#0]'));
    const at = (sent.body.input as Loose[]).findIndex(({ type }) => type === 'computer_call_output');
    expect(sent.body.input[at].output.image_url).toMatch(/^data:image\/png/);
    expect(sent.body.input[at + 1]).toEqual({ role: 'user', content: '[left out; recall m9#0]' });
  });

  it.each([
    ['function_call', 'arguments', '{"path":"…"}', '{"path":"…"}'],
    ['custom_tool_call', 'input', '{"input":"*** cut"}', '*** cut'],
    ['shell_call', 'action', '{"commands":["…"]}', { commands: ['…'] }],
    ['apply_patch_call', 'operation', '{"type":"delete_file"}', { type: 'delete_file' }],
  ])('has the arguments of a %s replaced, and keeps its ids', (type, field, json, wanted) => {
    const sent = sentOf(edit(type, args(json)), type);
    expect(sent[field]).toEqual(wanted);
    expect(sent).toMatchObject({ call_id: expect.any(String), id: expect.any(String) });
  });

  it('keeps the arguments of a computer_call in the field that held them, if the other is null', () => {
    const screen = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA==' };
    const { messages } = openaiResponses.parse([
      says('user', 'go'),
      { type: 'computer_call', id: 'c', call_id: 'a', actions: null, action: { type: 'type', text: 'long' } },
      { type: 'computer_call_output', call_id: 'a', output: screen },
    ]);
    const [first, made, last] = originals(messages);
    const [part] = made!.message.parts;
    const cut = withPart(made!, 0, [{ ...part, arguments: '{"type":"type","text":"…"}' } as Part]);
    const { messages: sent } = openaiResponses.serialise([first!, cut, last!]);
    expect(sent[1]).toMatchObject({ actions: null, action: { type: 'type', text: '…' } });
  });

  it('sends a call without its item id once the reasoning that led to it is removed', () => {
    const { body: sent } = edit('reasoning', () => []);
    const input = sent.input as Loose[];
    expect(input.some(({ id }) => id === 'rs_1')).toBe(false);
    expect(input.find(({ call_id: id }) => id === 'a')).not.toHaveProperty('id');
    expect(input.find(({ id }) => id === 'rs_2')).toBeDefined();
  });

  it('is sent without reasoning once the words that it led to are removed', () => {
    const { message } = find('reasoning');
    const view = originals(messages);
    view[message] = withPart(view[message]!, 1, []);
    const sent = bodyOf(body, view);
    expect(validateOpenAiResponses(sent)).toEqual([]);
    expect((sent.input as Loose[]).some(({ id }) => id === 'rs_1' || id === 'msg_1')).toBe(false);
  });

  it('has words in the place of a picture of the user', () => {
    const view = originals(messages);
    view[3] = withPart(view[3]!, 1, [text('[image left out]')]);
    expect(bodyOf(body, view).input[2].content).toEqual([
      body.input[2]!.content[0],
      { type: 'input_text', text: '[image left out]' },
      body.input[2]!.content[2],
    ]);
  });

  it('starts a new chain when an earlier response holds the start, with a notice', () => {
    const chained = { previous_response_id: 'resp_1', input: [output('earlier'), says('user', 'go on')] };
    const view = originals(openaiResponses.parse(chained).messages);
    view[1] = withPart(view[1]!, 0, [text('go')]);
    const sent = bodyOf(chained, view);
    expect(sent).not.toHaveProperty('previous_response_id');
    expect(validateOpenAiResponses(sent)).toEqual([]);
    expect(kindsOf(openaiResponses.serialise(view).notices)).toEqual(['orphan-result', 'new-chain']);
  });
});

describe('a broken Responses log', () => {
  const repair = (input: Loose[]): { sent: Loose[]; kinds: string[] } => {
    const { messages, notices } = openaiResponses.serialise(originals(openaiResponses.parse(input).messages));
    expect(validateOpenAiResponses(messages)).toEqual([]);
    return { sent: messages as Loose[], kinds: kindsOf(notices) };
  };

  it('gets a result for an interrupted call, after the results of its step', () => {
    const { sent, kinds } = repair([
      says('user', 'go'),
      call('a'),
      call('b'),
      output('a'),
      says('user', 'stop'),
    ]);
    expect(kinds).toEqual(['interrupted-call']);
    expect(sent.map(({ type, call_id: id }) => id ?? type)).toEqual([
      'message',
      'a',
      'b',
      'a',
      'b',
      'message',
    ]);
  });

  it.each([
    ['custom_tool_call', { input: 'x', name: 'p' }],
    ['local_shell_call', { id: 'l', action: { type: 'exec', command: [], env: {} } }],
    ['shell_call', { action: { commands: [] } }],
    ['apply_patch_call', { operation: { type: 'delete_file', path: 'a' } }],
    ['computer_call', { id: 'c', action: { type: 'screenshot' } }],
    ['tool_search_call', { arguments: {}, execution: 'client' }],
  ])('gets a legal result for an interrupted %s', (type, fields) => {
    expect(
      repair([says('user', 'go'), { type, call_id: 'a', ...fields }, says('user', 'stop')]).kinds,
    ).toEqual(['interrupted-call']);
  });

  it('has a request for approval without an answer declined', () => {
    const { sent } = repair([
      { type: 'mcp_approval_request', id: 'q', server_label: 's', name: 'drop', arguments: '{}' },
      says('user', 'something else'),
    ]);
    expect(sent[1]).toMatchObject({
      type: 'mcp_approval_response',
      approval_request_id: 'q',
      approve: false,
    });
  });

  it('has ids used again in a later step renamed, in calls and results', () => {
    const { sent, kinds } = repair([
      says('user', 'go'),
      call('a'),
      output('a', 'one'),
      { ...call('a'), id: 'fc_2' },
      output('a', 'two'),
    ]);
    expect(kinds).toEqual(['call-id']);
    expect(sent.slice(1).map(({ call_id: id }) => id)).toEqual(['a', 'a', 'a_2', 'a_2']);
  });

  it('has calls and results without ids paired by order', () => {
    const bare = (item: Loose): Loose => {
      const { call_id: _, id: __, ...rest } = item;
      return rest;
    };
    const { sent, kinds } = repair([
      says('user', 'go'),
      bare(call('a')),
      bare(call('b')),
      bare(output('a')),
      bare(output('b')),
    ]);
    expect(kinds).toEqual(['missing-result-id', 'missing-result-id']);
    expect(sent[1]!.call_id).toBe(sent[3]!.call_id);
    expect(sent[2]!.call_id).toBe(sent[4]!.call_id);
  });

  it('gives notices of reasoning that led to nothing and of reasoning that cannot be sent back', () => {
    expect(repair([says('user', 'go'), thought('1'), says('user', 'well?')]).kinds).toEqual([
      'dangling-reasoning',
    ]);
    const unbound = { type: 'reasoning', summary: [] };
    expect(repair([says('user', 'go'), unbound, call('a'), output('a')]).kinds).toEqual([
      'unbound-reasoning',
    ]);
  });

  it('has halves of surrogate pairs, missing content and arguments that are an object mended', () => {
    const { sent, kinds } = repair([
      says('user', 'half \ud83d of it'),
      { role: 'user', content: null },
      { ...call('a'), arguments: { path: 'a.ts' } },
      output('a'),
    ]);
    expect(kinds).toEqual(['lone-surrogate', 'no-content', 'arguments-not-text']);
    expect(sent[2]!.arguments).toBe('{"path":"a.ts"}');
  });
});

describe('a session of another format, written for Responses', () => {
  const chat = (...messages: Loose[]): Message[] => [...openaiChat.parse(messages).messages];

  it('is written from its parts: words, pictures, calls, results', () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const image = { type: 'image_url', image_url: { url } };
    const { messages, notices, beside } = openaiResponses.serialise(
      originals(
        chat(
          { role: 'system', content: 'be brief' },
          { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
          {
            role: 'assistant',
            content: 'reading',
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'fs.read', arguments: '{"a":1}' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'a.ts' }, image] },
        ),
      ),
    );
    const picture = { type: 'input_image', detail: 'auto', image_url: url };
    expect(messages).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: [{ type: 'input_text', text: 'look' }, picture] },
      { role: 'assistant', content: 'reading' },
      { type: 'function_call', call_id: 'c', name: 'fs_read', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'a.ts' }, picture] },
    ]);
    expect(kindsOf(notices)).toEqual(['tool-name']);
    expect(beside).toBeUndefined();
  });

  it('gets shorter ids for those that are too long, the same in call and result', () => {
    const id = 'toolu_'.repeat(20);
    const { messages } = openaiResponses.serialise(
      originals(
        chat(
          { role: 'user', content: 'go' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id, type: 'function', function: { name: 'ls', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: id, content: 'x' },
        ),
      ),
    );
    const [, made, answered] = messages as Loose[];
    expect(made!.call_id).toMatch(/^[\w-]{64}$/);
    expect(answered!.call_id).toBe(made!.call_id);
  });

  it('can be written back: chat takes items of Responses, with pictures and notices', () => {
    const body = everything();
    const { messages, notices } = openaiChat.serialise(originals(openaiResponses.parse(body).messages));
    expect(messages.length).toBeGreaterThan(20);
    expect(JSON.stringify(messages)).toContain('data:image/png;base64,iVBORw0KGgo=');
    expect(kindsOf(notices)).toContain('foreign-part');
  });
});

describe('a picture that the model drew', () => {
  const drawn = {
    type: 'image_generation_call',
    id: 'ig_1',
    status: 'completed',
    result: 'A'.repeat(40_000),
  };
  const body = { input: [says('user', 'draw'), thought('1'), drawn, says('user', 'and?')] };

  it('is read as a picture of its size, and sent unchanged', () => {
    const { messages } = openaiResponses.parse(body);
    expect(messages[1]!.parts[1]).toMatchObject({ type: 'file', mediaType: 'image/png', bytes: 40_000 });
    expect(bodyOf(body)).toEqual(body);
  });

  it('is sent without the reasoning that led to it when words replace it', () => {
    const [asked, step, next] = originals(openaiResponses.parse(body).messages);
    const view = [asked!, withPart(step!, 1, [text('[a picture]')]), next!];
    const { input } = bodyOf(body, view);
    expect(input).toEqual([body.input[0], { role: 'assistant', content: '[a picture]' }, body.input[3]]);
    expect(validateOpenAiResponses({ input })).toEqual([]);
  });
});
