import { anthropic, openaiChat } from '../../../../src/formats/index.js';
import { validateAnthropic } from '../../../../src/testkit/index.js';
import type { Message, Part } from '../../../../src/transcript/index.js';
import {
  answer,
  call,
  calls,
  conversation,
  image,
  says,
  system,
  thought,
  user as words,
} from '../../../support/messages.js';
import { made, originals, withPart } from '../views.js';
import { assistant, result, text, thinking, use, user, type Loose } from './bodies.js';

interface Sent {
  readonly messages: Loose[];
  readonly system: unknown;
  readonly kinds: readonly string[];
}

function send(messages: readonly Message[]): Sent {
  const sent = anthropic.serialise(originals(messages));
  const body = { ...sent.beside, messages: sent.messages };
  expect(validateAnthropic(body)).toEqual([]);
  return {
    messages: sent.messages as Loose[],
    system: sent.beside?.system,
    kinds: sent.notices.map(({ kind }) => kind),
  };
}

const wire = (...messages: Loose[]): Sent => send(anthropic.parse({ messages }).messages);
const go = user(text('Go.'));

describe('a broken Anthropic log', () => {
  it('gets an error result for an interrupted call, with a notice', () => {
    const { messages, kinds } = wire(
      go,
      assistant(use('a'), use('b')),
      user(result('b')),
      assistant(text('Odd.')),
      go,
    );
    expect(kinds).toEqual(['interrupted-call']);
    expect(messages[2]!.content[1]).toEqual({
      type: 'tool_result',
      tool_use_id: 'a',
      content: '[no result: the call was interrupted]',
      is_error: true,
    });
  });

  it('is sent without empty messages and misplaced options of the operator, with notices', () => {
    const options = { role: 'system', output_config: { effort: 'high' } };
    const { messages, kinds } = wire({ role: 'user', content: '' }, go, assistant(text('Odd.')), options, go);
    expect(kinds).toEqual(['empty-text', 'midway-instructions']);
    expect(messages).toEqual([go, assistant(text('Odd.')), go]);
  });

  it('has the results of two messages joined in one, before the words, with notices', () => {
    const { messages, kinds } = wire(
      go,
      assistant(use('a'), use('b')),
      user(text('wait'), result('a')),
      user(result('b')),
    );
    expect(kinds).toEqual(['displaced-result', 'displaced-result', 'results-joined']);
    expect(messages).toHaveLength(3);
    expect(messages[2]!.content.map(({ type }: Loose) => type)).toEqual([
      'tool_result',
      'tool_result',
      'text',
    ]);
  });

  it('has an id used again in a later step renamed in call and result', () => {
    const { messages, kinds } = wire(
      go,
      assistant(use('a')),
      user(result('a', 'one')),
      assistant(use('a')),
      user(result('a', 'two')),
    );
    expect(kinds).toEqual(['call-id']);
    expect([messages[3]!.content[0].id, messages[4]!.content[0].tool_use_id]).toEqual(['a_2', 'a_2']);
  });

  it.each(['call|1', 'x'.repeat(450), 'ünï'])(
    'has the id %s, which the provider refuses, replaced in call and result',
    (id) => {
      const { messages, kinds } = send(
        conversation(words('Go.'), calls(call('read', {}, id)), {
          role: 'tool',
          origin: 'tool',
          parts: [answer(id, 'ok')],
        }),
      );
      expect(kinds).toEqual(['call-id']);
      expect(messages[1]!.content[0].id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(messages[2]!.content[0].tool_use_id).toBe(messages[1]!.content[0].id);
    },
  );

  it('has a call without an id reported and answered as interrupted', () => {
    const body = [go, assistant({ type: 'tool_use', name: 'read', input: {} }), user(text('And?'))];
    expect(anthropic.parse(body).notices.map(({ kind }) => kind)).toEqual(['missing-call-id']);
    expect(wire(...body).kinds).toContain('interrupted-call');
  });

  it('has arguments that are no JSON wrapped, and a refused tool name replaced, with notices', () => {
    const { messages, kinds } = send(
      conversation(words('Go.'), calls(call('functions.read', '{"path": ', 'a'))),
    );
    expect(kinds).toEqual(['arguments-not-json', 'tool-name', 'interrupted-call']);
    expect(messages[1]!.content[0]).toMatchObject({
      name: 'functions_read',
      input: { arguments: '{"path": ' },
    });
  });

  it('gets a user message at each end that the assistant holds, with notices', () => {
    const { messages, kinds } = wire(assistant(text('Hello.')), go, assistant(text('Bye.')));
    expect(kinds).toEqual(['begins-with-assistant', 'ends-with-assistant']);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
  });

  it('has empty texts reported, and is one message if it is empty', () => {
    expect(send([]).messages).toHaveLength(1);
    expect(wire(go, assistant(text('  ')), user(text('And?'), text(''))).kinds).toEqual([
      'empty-text',
      'empty-text',
    ]);
    expect(wire({ role: 'user', content: '' }).kinds).toEqual(['empty-text', 'nothing-said']);
  });

  it('does not send cleared instructions as words of the user', () => {
    const briefly = { role: 'system', content: 'Be brief.', clear_at: 'next_user_message' };
    const misplaced = [go, assistant(text('Odd.')), briefly];
    expect(wire(...misplaced).messages.at(-1)!.content[1]).toEqual(text('Be brief.'));
    const { messages, kinds } = wire(...misplaced, assistant(text('So.')), go);
    expect(JSON.stringify(messages)).not.toContain('Be brief.');
    expect(kinds).toContain('midway-instructions');
  });

  it('has misplaced later instructions moved into a user message, with a notice', () => {
    const {
      messages,
      system: top,
      kinds,
    } = send(
      conversation(system('Be brief.'), words('Hi.'), says('Hello.'), system('Now French.'), words('Merci.')),
    );
    expect(top).toBe('Be brief.');
    expect(kinds).toEqual(['midway-instructions']);
    expect(messages[2]!.content[1].text).toBe('Now French.');
  });

  it('is sent without excess cache marks, marks on thinking, and unsigned thinking, with notices', () => {
    const marked = (words: string): Loose => ({ ...text(words), cache_control: { type: 'ephemeral' } });
    const { messages, kinds } = wire(
      ...[1, 2, 3].flatMap((i) => [user(marked(`q${i}`)), assistant(marked(`a${i}`))]),
      user(marked('last')),
    );
    expect(kinds).toEqual(['cache-mark']);
    expect(messages.map((message) => 'cache_control' in message.content[0])).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
    const thought = { ...thinking('x'), cache_control: { type: 'ephemeral' } };
    const more = wire(
      go,
      assistant(thought, { type: 'thinking', thinking: 'y', signature: '' }, text('z')),
      go,
    );
    expect(more.kinds).toEqual(['cache-mark', 'unsigned-reasoning']);
    expect(more.messages[1]!.content).toEqual([thinking('x'), text('z')]);
  });

  it('is sent without thinking that no words or calls follow', () => {
    const alone = wire(go, assistant(thinking('x')), go);
    expect(alone).toMatchObject({
      messages: [{ role: 'user' }, { role: 'user' }],
      kinds: ['dangling-reasoning'],
    });
    const behind = wire(go, assistant(text('z'), thinking('x')), go);
    expect(behind.messages[1]!.content).toEqual([text('z')]);
    const apart = wire(go, assistant(thinking('x')), assistant(text('z')), go);
    expect(apart.kinds).toEqual([]);
  });

  it('has a picture in the result of a failed call replaced by its name, with a notice', () => {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
    const failed = { ...result('a', [text('no'), picture]), is_error: true };
    expect(wire(go, assistant(use('a')), user(failed)).kinds).toEqual(['file-named']);
  });

  it('has a message of an unknown role sent as labelled words', () => {
    const { messages } = wire(go, assistant(text('Hi.')), { role: 'critic', content: 'Too long.' });
    expect(messages[2]!.content.map((block: Loose) => block.text)).toEqual([
      '[message of unknown role critic]',
      'Too long.',
    ]);
  });
});

describe('a log of another format', () => {
  it('is written from its parts: pictures, documents, calls; a file without a place is named', () => {
    const chat = openaiChat.parse([
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGVsbG8=' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGVsbG8=' } },
          { type: 'input_audio', input_audio: { data: 'aGVsbG8=', format: 'wav' } },
        ],
      },
      {
        role: 'assistant',
        reasoning_content: 'I think.',
        content: null,
        tool_calls: [{ id: 'c:1', type: 'function', function: { name: 'ls', arguments: '{"b":1,"a":2}' } }],
      },
      { role: 'tool', tool_call_id: 'c:1', content: 'a.ts' },
    ]).messages;
    const { messages, system: top, kinds } = send(chat);
    expect(top).toBe('Be brief.');
    expect(messages[0]!.content.map(({ type }: Loose) => type)).toEqual([
      'text',
      'image',
      'document',
      'text',
    ]);
    expect(JSON.stringify(messages[1]!.content[0].input)).toBe('{"b":1,"a":2}');
    expect(kinds).toEqual(['file-named', 'foreign-reasoning', 'call-id']);
  });

  it('has the result in an assistant message moved to a user turn after it', () => {
    const { messages, kinds } = send(
      conversation(
        words('Go.'),
        says(call('search', {}, 'p'), answer('p', 'found'), 'It says so.'),
        words('Thanks.'),
      ),
    );
    expect(kinds).toEqual([]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });
});

describe('edits', () => {
  const parsed = anthropic.parse([
    go,
    assistant(thinking('deep'), text('Reading.'), use('a', { path: 'x' })),
    user(result('a', 'long '.repeat(50))),
    assistant(thinking('deeper'), text('Done.')),
    user(text('Thanks.')),
  ]).messages;
  const short = [{ type: 'text' as const, text: 'stub' }];

  it('replace the part that they name and nothing else', () => {
    const view = originals(parsed);
    const { parts } = parsed[2]!;
    view[2] = withPart(view[2]!, 0, [{ ...parts[0], content: short } as Part]);
    const { messages, notices } = anthropic.serialise(view);
    expect(messages[2]).toEqual(user(result('a', 'stub')));
    expect(messages[1]).toEqual(assistant(thinking('deep'), text('Reading.'), use('a', { path: 'x' })));
    expect(notices).toEqual([]);
  });

  it('remove thinking by replacing it with nothing', () => {
    const view = originals(parsed);
    view[3] = withPart(view[3]!, 0, []);
    expect((anthropic.serialise(view).messages[3] as Loose).content).toEqual([text('Done.')]);
  });

  it('may put in a summary: a user turn comes before it, and between it and thinking', () => {
    const view = originals(parsed);
    const summary = made({ id: 's', role: 'assistant', origin: 'synthetic', label: 'summary', parts: short });
    const begun = anthropic.serialise([summary, ...view.slice(4)]);
    expect(begun.messages.map((message) => (message as Loose).role)).toEqual(['user', 'assistant', 'user']);
    expect(begun.notices).toEqual([]);
    const between = anthropic.serialise([view[0]!, summary, view[3]!, view[4]!]);
    expect(between.messages.map((message) => (message as Loose).role)).toEqual(
      'user assistant user assistant user'.split(' '),
    );
    const merged = anthropic.serialise([view[0]!, summary, withPart(view[3]!, 0, []), view[4]!]);
    expect((merged.messages[1] as Loose).content).toEqual([text('stub'), text('Done.')]);
  });
});

it('signed thinking of another provider is not sent to Anthropic', () => {
  const { messages, kinds } = send(
    conversation(words('Go.'), says(thought('secret', 'sig'), 'ok'), words('And?', image())),
  );
  expect(JSON.stringify(messages)).not.toContain('secret');
  expect(kinds).toEqual(['foreign-reasoning', 'file-named']);
});
