import {
  addNotificationMetadata,
  AIMessage,
  AIMessageChunk,
  coerceMessageLikeToMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from '@langchain/core/messages';
import type { MessageFieldWithRole, StoredMessage } from '@langchain/core/messages';
import { langchain, openaiChat } from '../../../../src/formats/index.js';
import { validateLangChain } from '../../../../src/testkit/index.js';
import type { Message } from '../../../../src/transcript/index.js';
import { made, originals, withPart } from '../views.js';
import { everything } from './requests.js';

type Loose = Record<string, any>;

const text = (words: string) => [{ type: 'text' as const, text: words }];
const back = (list: readonly unknown[]) => langchain.serialise(originals(langchain.parse(list).messages));
const kinds = (notices: readonly { readonly kind: string }[]): string[] => notices.map(({ kind }) => kind);

/** Legal by our rules, and LangChain makes messages of it. */
function legal(messages: readonly unknown[]): void {
  if (messages.length > 0) expect(validateLangChain(messages)).toEqual([]);
  for (const message of messages as Loose[]) {
    const [taken] = message.data
      ? mapStoredMessagesToChatMessages([message as StoredMessage])
      : [coerceMessageLikeToMessage(message as MessageFieldWithRole)];
    expect(typeof taken!.getType()).toBe('string');
  }
}

const FORMS: readonly (readonly [string, () => Loose[]])[] = [
  ['instances', () => everything()],
  ['what JSON makes of them', () => JSON.parse(JSON.stringify(everything())) as Loose[]],
  ['stored messages', () => mapChatMessagesToStoredMessages(everything())],
  [
    'bare fields',
    () => mapChatMessagesToStoredMessages(everything()).map(({ type, data }) => ({ type, ...data })),
  ],
];

describe('a LangChain answer with fields next to its content', () => {
  it.each<[string, Loose]>([
    ['a refusal', { content: '', additional_kwargs: { refusal: 'I cannot.' } }],
    [
      'a refusal as a block',
      { content: [{ type: 'refusal', refusal: 'I cannot.', extras: { category: 'a' } }] },
    ],
    ['sound', { content: '', additional_kwargs: { audio: { id: 'audio_1' } } }],
    ['calls beside an empty list', { content: [], tool_calls: [{ id: 'c', name: 'look', args: {} }] }],
  ])('%s is sent unchanged', (_, fields) => {
    const given = [
      { type: 'human', content: 'go' },
      { type: 'ai', ...fields },
    ];
    const { messages, notices } = back(given);
    expect([messages, notices]).toEqual([given, []]);
    expect(messages[1]).toBe(given[1]);
  });

  it.each<[string, Loose]>([
    ['beside the content', { content: '', additional_kwargs: { refusal: 'I cannot.' } }],
    ['as a block', { content: [{ type: 'refusal', refusal: 'I cannot.' }] }],
  ])('a refusal %s is read as words', (_, fields) => {
    const { messages, notices } = langchain.parse([{ type: 'ai', ...fields }]);
    expect(messages[0]!.parts).toMatchObject([{ type: 'text', text: 'I cannot.' }]);
    expect(notices).toEqual([]);
  });

  it.each([
    ['cut', 1, [{ type: 'text', text: '[cut]' }]],
    ['as it was', 0, [{ type: 'text', text: 'go' }]],
  ] as const)(
    'keeps the raw OpenAI output of a message %s only if its text is unchanged',
    (how, at, parts) => {
      const output = [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'long' }] },
      ];
      const { messages } = langchain.parse([
        { type: 'human', content: 'go' },
        { type: 'ai', content: 'long', response_metadata: { model_provider: 'openai', output } },
      ]);
      const view = originals(messages).map((shown, i) => (i === at ? withPart(shown, 0, parts) : shown));
      const about = { model_provider: 'openai', ...(how === 'cut' ? {} : { output }) };
      expect((langchain.serialise(view).messages as Loose[])[1]!.response_metadata).toEqual(about);
    },
  );

  it.each([
    ['as it came', (item: Loose) => ({ response_metadata: { output: [item] } })],
    ['where a stream leaves it', (item: Loose) => ({ additional_kwargs: { tool_outputs: [item] } })],
  ])('holds the tool call that OpenAI ran, %s, as a part of its size', (_, more) => {
    const item = { type: 'mcp_call', id: 'mcp_1', name: 'list', arguments: '{}', output: 'x'.repeat(4_000) };
    const given = [new HumanMessage('go'), new AIMessage({ content: 'Listed.', ...more(item) })];
    const { messages } = langchain.parse(given);
    const [, ran] = messages[1]!.parts;
    expect(ran).toMatchObject({ type: 'opaque', kind: 'mcp_call' });
    expect(ran).toHaveProperty('bytes', JSON.stringify(item).length);
    expect(back(given)).toEqual({ messages: given, notices: [] });
    const cut = originals(messages).map((shown, at) =>
      at === 1 ? withPart(shown, 0, text('[cut]')) : shown,
    );
    expect(langchain.serialise(cut)).toMatchObject({ messages: [{}, { content: '[cut]' }], notices: [] });
  });

  it('has a refusal from chat in its content', () => {
    const given = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, refusal: 'I cannot.' },
    ];
    const { messages, notices } = langchain.serialise(originals(openaiChat.parse(given).messages));
    expect(messages).toEqual([
      { type: 'human', content: 'go' },
      { type: 'ai', content: 'I cannot.' },
    ]);
    expect(notices).toEqual([]);
  });
});

it('a LangChain user message with a source is a program’s, unless the source is summarization or null', () => {
  const told = (source: string) =>
    addNotificationMetadata(new HumanMessage('Task t_42 is done.'), { source });
  const { messages } = langchain.parse([
    new HumanMessage('go'),
    told('async_subagent'),
    told('summarization'),
    { type: 'human', content: 'Task t_42 is done.', additional_kwargs: { lc_source: null } },
  ]);
  expect(messages.map(({ role, origin }) => [role, origin])).toEqual([
    ['user', 'user'],
    ['user', 'synthetic'],
    ['user', 'user'],
    ['user', 'user'],
  ]);
});

describe.each(FORMS)('LangChain messages as %s', (_, list) => {
  it('are sent as the same objects without a notice', () => {
    const given = list();
    const { messages, notices } = back(given);
    expect(notices).toEqual([]);
    expect(messages).toHaveLength(given.length);
    messages.forEach((message, at) => expect(message).toBe(given[at]));
  });

  it('are read into roles and kinds of parts', () => {
    const { messages } = langchain.parse(list());
    expect(messages.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ['system', 'text'],
      ['user', 'text'],
      ['user', 'text', 'file', 'file'],
      ['assistant', 'reasoning', 'text', 'tool-call', 'tool-call'],
      ['tool', 'tool-result'],
      ['tool', 'tool-result'],
      ['assistant', 'reasoning', 'tool-call'],
      ['tool', 'tool-result'],
      ['assistant', 'opaque', 'opaque', 'text'],
      ['user', 'text'],
    ]);
    expect(messages[3]!.parts[0]).toMatchObject({ signature: 'c2ln', text: 'I look.' });
    expect(messages[5]!.parts[0]).toMatchObject({ isError: true, callId: 'a' });
  });

  it('have only the content of an edited result replaced, and keep their form', () => {
    const view = originals(langchain.parse(list()).messages);
    const part = view[4]!.message.parts[0] as any;
    view[4] = withPart(view[4]!, 0, [{ ...part, content: text('[stub]') }]);
    const { messages, notices } = langchain.serialise(view);
    legal(messages);
    expect(notices).toEqual([]);
    const kept = fieldsOf(messages[4]);
    expect(kept).toMatchObject({
      content: '[stub]',
      tool_call_id: 'b',
      name: 'look',
      artifact: { raw: [1] },
    });
    expect(fieldsOf(list()[4])).toMatchObject({ content: 'a cat' });
    expect(Object.getPrototypeOf(messages[4])).toBe(Object.getPrototypeOf(list()[4]));
  });

  it('have edited arguments replaced wherever the message repeats them', () => {
    const view = originals(langchain.parse(list()).messages);
    view[3] = withPart(view[3]!, 2, [{ ...(view[3]!.message.parts[2] as any), arguments: '{"at":"[cut]"}' }]);
    view[6] = withPart(view[6]!, 1, [
      { ...(view[6]!.message.parts[1] as any), arguments: '{"again":"[cut]"}' },
    ]);
    const { messages } = langchain.serialise(view);
    legal(messages);
    const anthropic = fieldsOf(messages[3]);
    expect(anthropic.tool_calls[0]).toEqual({
      id: 'a',
      name: 'look',
      args: { at: '[cut]' },
      type: 'tool_call',
    });
    expect(anthropic.content[2]).toMatchObject({ type: 'tool_use', id: 'a', input: { at: '[cut]' } });
    expect(anthropic.content[0]).toEqual({ type: 'thinking', thinking: 'I look.', signature: 'c2ln' });
    const openai = fieldsOf(messages[6]);
    expect(openai.tool_calls[0].args).toEqual({ again: '[cut]' });
    expect(openai.additional_kwargs).toEqual({ reasoning_content: 'Once more.' });
    expect(JSON.stringify(messages)).not.toContain('again\\":true');
  });

  it('lose removed thinking completely', () => {
    const view = originals(langchain.parse(list()).messages);
    view[3] = withPart(view[3]!, 0, []);
    view[6] = withPart(view[6]!, 0, []);
    const { messages } = langchain.serialise(view);
    legal(messages);
    expect(fieldsOf(messages[3]).content).toHaveLength(3);
    expect(fieldsOf(messages[6]).additional_kwargs.reasoning_content).toBeUndefined();
  });

  it('get a summary in their own form', () => {
    const view = originals(langchain.parse(list()).messages);
    const summary: Message = {
      id: 's',
      role: 'assistant',
      origin: 'synthetic',
      parts: text('So far: cats.'),
    };
    view.splice(3, 5, made(summary));
    const { messages } = langchain.serialise(view);
    legal(messages);
    expect(fieldsOf(messages[3])).toMatchObject({ content: 'So far: cats.' });
    const form = list()[3] as Loose;
    if (form.lc === 1 && !(form instanceof AIMessage))
      expect(messages[3]).toMatchObject({ lc: 1, id: form.id });
    if ((form as Loose).data)
      expect(mapStoredMessagesToChatMessages(messages as any)[3]!.text).toBe('So far: cats.');
  });
});

function fieldsOf(message: unknown): Loose {
  const loose = message as Loose;
  return loose.data ?? (loose.content === undefined ? loose.kwargs : loose);
}

describe('a log that is broken', () => {
  const user = (words: string) => ({ type: 'human', content: words });
  const step = (...calls: Loose[]) => ({ type: 'ai', content: '', tool_calls: calls });
  const call = (id?: string, args: unknown = {}) => ({
    ...(id && { id }),
    name: 'look',
    args,
    type: 'tool_call',
  });
  const tool = (id: string) => ({ type: 'tool', tool_call_id: id, content: `saw ${id}` });

  it.each([
    ['arguments-not-json', [user('a'), step(call('x', '{"n": 1')), tool('x')]],
    ['empty-text', [user('a'), { type: 'ai', content: '' }, user('')]],
    ['unknown-role', [user('a'), { type: 'critic', content: 'Hm.' }]],
  ])('%s: is mended with a notice and loses no result', (kind, list: Loose[]) => {
    const { messages, notices } = back(list);
    expect(kinds(notices)).toContain(kind);
    legal(messages);
    const sent = JSON.stringify(messages);
    for (const id of ['x', 'y']) {
      if (JSON.stringify(list).includes(`saw ${id}`)) expect(sent).toContain(`saw ${id}`);
    }
  });

  it('is sent without thinking that led to nothing, which Anthropic refuses at the end of a turn', () => {
    const thought = { type: 'ai', content: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }] };
    expect(back([user('a'), thought, user('b')]).messages).toEqual([user('a'), user('b')]);
  });

  it('has calls without an id named after their place, with a notice', () => {
    const { messages, notices } = langchain.parse([user('a'), step(call())]);
    expect(messages[1]!.parts[0]).toMatchObject({ callId: 'call_m1_0' });
    expect(kinds(notices)).toEqual(['missing-call-id']);
    legal(langchain.serialise(originals(messages)).messages);
  });

  it('keeps calls that LangChain could not read, and gets no result for them', () => {
    const odd = {
      type: 'ai',
      content: '',
      tool_calls: [],
      invalid_tool_calls: [{ id: 'x', name: 'look', args: '{"n', error: 'e' }],
    };
    const { messages, notices } = back([user('a'), odd, user('b')]);
    expect([messages, notices]).toEqual([[user('a'), odd, user('b')], []]);
  });

  it('gets the new id of a call only in the block that repeats that call', () => {
    const block = (id?: string, n = 0) => ({
      type: 'tool_use',
      ...(id && { id }),
      name: 'look',
      input: { n },
    });
    const odd = {
      type: 'ai',
      content: [block('x', 0), block(undefined, 1), block('y', 2), block('y', 3), block(undefined, 4)],
      tool_calls: [call('x', { n: 0 }), call('', { n: 1 }), call('y', { n: 2 }), call('y', { n: 3 }), call()],
    };
    const { messages } = langchain.serialise(originals(langchain.parse([user('a'), odd]).messages));
    legal(messages);
    const { content, tool_calls: calls } = messages[1] as Loose;
    expect(content.map(({ id }: Loose) => id)).toEqual(calls.map(({ id }: Loose) => id));
    expect(calls.map(({ id }: Loose) => id)).toEqual(['x', 'call_m1_1', 'y', 'y_2', 'call_m1_4']);
    expect(content[0]).toBe(odd.content[0]);
  });

  it('keeps the other fields of an edited class instance, and never calls its constructor', () => {
    class Signed extends AIMessageChunk {
      constructor(signature: string) {
        if (typeof signature !== 'string') throw new TypeError('A signature is a text.');
        super({ content: '', additional_kwargs: { signature } });
        this.invalid_tool_calls = [{ id: 'x', name: 'look', args: '{"n', type: 'invalid_tool_call' }];
        this.tool_calls = [{ id: 'y', name: 'look', args: {}, type: 'tool_call' }];
      }
    }
    const given = new Signed('ann');
    const view = originals(langchain.parse([user('a'), given, tool('y')]).messages);
    const parts = view[1]!.message.parts;
    view[1] = withPart(view[1]!, 0, [{ ...(parts[0] as any), arguments: '{"n":"[cut]"}' }]);
    const { messages } = langchain.serialise(view);
    legal(messages);
    const sent = messages[1] as AIMessageChunk;
    expect(sent).toBeInstanceOf(Signed);
    expect(sent.tool_calls).toEqual([{ id: 'y', name: 'look', args: { n: '[cut]' }, type: 'tool_call' }]);
    expect(sent.invalid_tool_calls).toEqual(given.invalid_tool_calls);
    expect(sent.additional_kwargs).toEqual({ signature: 'ann' });
    expect((JSON.parse(JSON.stringify(sent)) as Loose).kwargs).toMatchObject({
      tool_calls: sent.tool_calls,
      invalid_tool_calls: sent.invalid_tool_calls,
    });
    expect(given.tool_calls![0]!.args).toEqual({});
  });

  it('has calls that are only in the provider’s own field sent as calls, with their results', () => {
    const raw = { id: 'x', type: 'function', function: { name: 'look', arguments: '{"n":1}' } };
    const { messages } = back([
      user('a'),
      { type: 'ai', content: '', additional_kwargs: { tool_calls: [raw] } },
      tool('x'),
    ]);
    legal(messages);
    expect(messages[1]).toMatchObject({ tool_calls: [{ id: 'x', name: 'look', args: { n: 1 } }] });
    expect(messages[2]).toEqual(tool('x'));
  });
});

describe('messages of other formats', () => {
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
      reasoning_content: 'hm',
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'look', arguments: '{"n":1}' } }],
    },
    { role: 'tool', tool_call_id: 'x', content: 'a cat' },
  ]).messages;

  it('are written as LangChain messages from their parts, with pictures and unsigned thinking', () => {
    const { messages, notices } = langchain.serialise(originals(chat));
    expect(notices).toEqual([]);
    expect(messages).toEqual([
      {
        type: 'human',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        ],
      },
      {
        type: 'ai',
        content: '',
        tool_calls: [{ id: 'x', name: 'look', args: { n: 1 }, type: 'tool_call' }],
        additional_kwargs: { reasoning_content: 'hm' },
      },
      { type: 'tool', tool_call_id: 'x', name: 'look', content: 'a cat' },
    ]);
    legal(messages);
  });

  it('take over the pictures and files of LangChain messages', () => {
    const parsed = langchain.parse(everything()).messages.slice(2, 3);
    const { messages } = openaiChat.serialise(originals(parsed));
    const urls = (messages[0] as any).content.map((item: any) => item.image_url?.url ?? item.file?.file_data);
    expect(urls).toEqual([undefined, 'data:image/png;base64,aGk=', 'data:application/pdf;base64,AQID']);
  });
});
