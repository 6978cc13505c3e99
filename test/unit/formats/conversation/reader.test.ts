import { AIMessage, HumanMessage } from '@langchain/core/messages';
import fc from 'fast-check';
import { formats } from '../../../../src/formats/index.js';
import type { Parsed, WireFormat } from '../../../../src/spi/index.js';
import { SAMPLES } from '../../../support/samples.js';

type Items = readonly unknown[];

/** What a client may send in a place: items as they are, under one id, without ids, as LangChain's classes; and no item at all. */
function poolOf({ name, messagesField }: WireFormat): Items {
  const [sample] = SAMPLES[name]!;
  const items = (
    Array.isArray(sample) ? sample : (sample as Record<string, unknown>)[messagesField]
  ) as Items;
  const plain = structuredClone(items.map((item) => JSON.parse(JSON.stringify(item)) as object));
  const without = plain.map(
    (item) =>
      JSON.parse(
        JSON.stringify(item, (key, value) => (/(^id|_id|Id)$/.test(key) ? undefined : value)),
      ) as object,
  );
  const classes =
    name === 'langchain'
      ? [new HumanMessage('And now?'), new AIMessage({ content: 'It turns.', id: 'same' })]
      : [];
  return [
    ...plain,
    ...without,
    ...without.map((item) => ({ id: 'same', ...item })),
    { role: 'critic', content: 'Hm.' },
    ...classes,
    7,
  ];
}

/** Fields next to the list that affect how it is read. */
const BESIDE: Readonly<Record<string, readonly object[]>> = {
  'openai-chat': [{}, { model: 'm' }],
  anthropic: [{}, { system: 'Be brief.' }],
  'openai-responses': [{}, { instructions: 'Be brief.' }, { previous_response_id: 'resp_1' }],
  gemini: [{}, { systemInstruction: { parts: [{ text: 'Be brief.' }] } }],
  'ai-sdk': [{}, { system: 'Be brief.' }, { system: ['Be brief.', 'Be kind.'] }],
  langchain: [{}, { model: 'm' }],
};

/** Copies of the items; instances of classes stay the same objects. */
const again = (items: Items): Items =>
  items.map((item) =>
    item instanceof HumanMessage || item instanceof AIMessage ? item : structuredClone(item),
  );

const outcome = (read: () => Parsed): string => {
  try {
    const { changedFrom: _, ...parsed } = read();
    return JSON.stringify(parsed);
  } catch (error) {
    return String(error);
  }
};

describe.each([...formats.values()].map((format) => ({ name: format.name, format })))(
  'the reader of $name',
  ({ name, format }) => {
    const pool = poolOf(format);
    const body = (items: Items, beside: object = {}) => ({ ...beside, [format.messagesField]: items });

    it('gives the same as parse, whatever a client changes from turn to turn', () => {
      const index = fc.nat(40);
      const turn = fc.record({
        kind: fc.nat(5),
        at: index,
        item: fc.constantFrom(...pool),
        beside: fc.nat(8),
      });
      fc.assert(
        fc.property(fc.array(turn, { minLength: 2, maxLength: 25 }), (turns) => {
          const reader = format.createReader!();
          let items: Items = [];
          let last: Parsed | undefined;
          for (const { kind, at, item, beside } of turns) {
            const place = items.length === 0 ? 0 : at % items.length;
            if (kind === 0) items = items.slice(0, place);
            else if (kind === 1) items = items.map((one, i) => (i === place ? item : one));
            else if (kind === 2) items = again(items);
            else if (kind === 3) items = [...items.slice(0, place), item, ...items.slice(place)];
            else items = [...items, item];
            const sent = body(items, BESIDE[name]![beside] ?? {});
            let now: Parsed | undefined;
            expect(outcome(() => (now = reader.read(sent)))).toBe(outcome(() => format.parse(sent)));
            const same = (now?.messages ?? []).slice(0, now?.changedFrom ?? 0);
            same.forEach((message, place) => {
              if (same.slice(0, place + 1).some(({ role }) => role !== 'system'))
                expect(message).toEqual(last?.messages[place]);
            });
            last = now;
          }
        }),
        { numRuns: 150 },
      );
    });

    it('reports from where the list is new, even if the objects are copies', () => {
      const good = pool.filter((item) => outcome(() => format.parse(body([item, item]))).startsWith('{'));
      const reader = format.createReader!();
      const first = reader.read(body(good)).messages;
      const second = reader.read(body([...again(good), good[0]]));
      expect(second.messages.length).toBeGreaterThan(first.length);
      expect(second.changedFrom).toBe(first.length);
    });

    it('reads the earlier body again after a body that it refused', () => {
      const reader = format.createReader!();
      const sent = body([pool[0], pool[1]]);
      const before = outcome(() => reader.read(sent));
      expect(() => reader.read(body([pool[0], null]))).toThrow(/INPUT_FORMAT|not/);
      expect(outcome(() => reader.read(sent))).toBe(before);
    });
  },
);

describe('the reader, when one message changes', () => {
  const look = { role: 'assistant', tool_calls: [{ function: { name: 'look', arguments: '{}' } }] };
  const system = (day: string) => ({ role: 'system', content: `Today is ${day}.` });
  const rest = [{ role: 'user', content: 'Build a mill.' }, look, { role: 'tool', content: 'a wheel' }];

  it('keeps the messages after it if only its text changed', () => {
    const reader = formats.get('openai-chat')!.createReader!();
    const monday = reader.read([system('Monday'), ...rest]).messages;
    const tuesday = reader.read([system('Tuesday'), ...rest, { role: 'user', content: 'And?' }]);
    expect(tuesday.messages[0]!.parts).toEqual([{ type: 'text', text: 'Today is Tuesday.' }]);
    expect(tuesday.changedFrom).toBe(4);
    expect(tuesday.messages.slice(1, 4)).toEqual(monday.slice(1));
  });

  it('parses a later result again if the call that it answers changed', () => {
    const reader = formats.get('openai-chat')!.createReader!();
    reader.read([...rest.slice(0, 2), rest[2]]);
    const named = { ...look, tool_calls: [{ id: 'c7', function: { name: 'look', arguments: '{}' } }] };
    const { messages } = reader.read([rest[0], named, rest[2]]);
    expect(messages[2]!.parts).toMatchObject([{ type: 'tool-result', callId: 'c7' }]);
  });
});
