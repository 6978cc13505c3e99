import { createSpillway, type Message } from '../../../src/index.js';

const good: Message = { id: 'a', role: 'user', origin: 'user', parts: [{ type: 'text', text: 'hello' }] };
const circular: Record<string, unknown> = { role: 'user' };
circular.id = circular;
const endless = { type: 'tool-result', callId: 'c', content: [] as unknown[] };
endless.content.push(endless);
const withParts = (...parts: readonly unknown[]): unknown => ({ ...good, id: 'b', parts });

it.each<[string, unknown, RegExp]>([
  ['is nothing', null, /message 1; found null; allowed: an object/],
  ['is a text', 'hello', /message 1; .*hello/],
  ['is as a provider takes it', { role: 'user', content: 'hello' }, /id of message 1; .*session\.follow\(\)/],
  ['refers to itself', circular, /id of message 1/],
  ['holds a number that JSON cannot write', withParts(1n), /part 0 of the parts of message b; found 1/],
  [
    'has a name that is none',
    { ...good, id: 'b', name: { of: 'x' } },
    /name of message b; .*allowed: a text/,
  ],
  [
    'has a result that holds itself',
    withParts(endless),
    /^MESSAGE_INVALID: content within content, message b; .*parts that end/,
  ],
  ['has no id', { ...good, id: '' }, /id of message 1/],
  [
    'has a role that is none',
    { ...good, id: 'b', role: 'human' },
    /role of message b; found .*human.*; allowed: system, user/,
  ],
  ['has an origin that is none', { ...good, id: 'b', origin: 'original' }, /origin of message b/],
  ['has a text for parts', { ...good, id: 'b', parts: 'hello' }, /parts of message b/],
  ['has a part that is none', withParts(null), /part 0 of the parts of message b/],
  [
    'has a part of no known type',
    withParts(...good.parts, { type: 'toString' }),
    /part 1 of the parts of message b; .*text, reasoning/,
  ],
  ['has a text part without a text', withParts({ type: 'text' }), /text of part 0/],
  [
    'has a call whose arguments are no text',
    withParts({ type: 'tool-call', callId: 'c', name: 'n', arguments: {} }),
    /arguments of part 0/,
  ],
  [
    'has a file of no size',
    withParts({ type: 'file', mediaType: 'image/png', bytes: Number.NaN }),
    /bytes of part 0.*NaN/,
  ],
  [
    'has a part smaller than nothing',
    withParts({ type: 'opaque', kind: 'x', bytes: -1e9 }),
    /bytes of part 0/,
  ],
  ['has a result without content', withParts({ type: 'tool-result', callId: 'c' }), /content of part 0/],
  [
    'has a result of what is no text',
    withParts({ type: 'tool-result', callId: 'c', content: [{ type: 'text', text: 1 }] }),
    /text of part 0 of the content/,
  ],
])(
  'an appended message that %s is refused with an error that names the place, and nothing is added',
  async (_, message, said) => {
    const session = (await createSpillway({ inputBudget: 8_000 })).session();
    const append = (): unknown => session.append(good, message as Message);
    expect(append).toThrow(
      expect.objectContaining({ code: 'MESSAGE_INVALID', message: expect.stringMatching(said) }),
    );
    expect(session.log).toHaveLength(0);
  },
);

it.each([
  ['by a message of the log', ['b', 'a']],
  ['by another of the list', ['b', 'c', 'b']],
  ['by a message that was rolled back', ['b', 'gone']],
])('no message of a list is added if one id is taken: %s', async (_, ids) => {
  const session = (await createSpillway({ inputBudget: 8_000 })).session();
  await session.append(good, { ...good, id: 'gone' });
  await session.operator.rollback('a');
  const append = (): unknown => session.append(...ids.map((id) => ({ ...good, id })));
  expect(append).toThrow(expect.objectContaining({ code: 'MESSAGE_ID_TAKEN' }));
  expect(session.log).toHaveLength(1);
});
