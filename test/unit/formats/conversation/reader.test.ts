import { describe, expect, it } from '@jest/globals';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import fc from 'fast-check';
import { formats } from '../../../../src/formats/index.js';
import type { Parsed } from '../../../../src/spi/index.js';

type Items = readonly unknown[];

/** Items that say something about one another: ids that are missing, come twice, or stand elsewhere. */
const POOLS: Readonly<Record<string, Items>> = {
  'openai-chat': [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Build a mill.' },
    { role: 'user', content: [{ type: 'text', text: 'Look.' }], id: 'same' },
    { role: 'assistant', content: 'Gladly.', id: 'same' },
    { role: 'assistant', tool_calls: [{ function: { name: 'look', arguments: '{}' } }] },
    {
      role: 'assistant',
      tool_calls: [
        { function: { name: 'look', arguments: '{}' } },
        { id: 'c1', function: { name: 'look', arguments: '{}' } },
        { id: 'c1', function: { name: 'see', arguments: '{}' } },
      ],
    },
    { role: 'assistant', content: null, function_call: { name: 'see', arguments: '{}' } },
    { role: 'tool', content: 'a wheel' },
    { role: 'tool', name: 'see', content: 'a sail' },
    { role: 'tool', tool_call_id: 'c1', content: 'a wall' },
    { role: 'function', name: 'look', content: 'a door' },
    { role: 'critic', content: 'Hm.' },
    7,
  ],
  anthropic: [
    { role: 'user', content: 'Build a mill.' },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1' },
        { type: 'text', text: 'And?' },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', name: 'look', input: {} }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Yes.', cache_control: { type: 'ephemeral' } }] },
    { role: 'critic', content: 'Hm.' },
    { role: 'tool', content: 'no' },
  ],
  'openai-responses': [
    { role: 'user', content: 'Build a mill.' },
    { role: 'assistant', content: 'Gladly.' },
    { type: 'reasoning', id: 'r1', summary: [] },
    { type: 'function_call', name: 'look', arguments: '{}' },
    { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
    { type: 'function_call_output', output: 'a wheel' },
    { type: 'function_call_output', call_id: 'c1', output: 'a sail' },
    { type: 'local_shell_call', id: 'l1', call_id: 'c2', action: {} },
    { type: 'local_shell_call_output', id: 'l1', output: 'a wall' },
    { type: 'item_reference', id: 'old' },
    { type: 'function_call_output', call_id: 'elsewhere', output: 'a door' },
    { type: 'mcp_call', name: 'search', arguments: '{}', output: 'found' },
    { type: 'compaction_trigger' },
    'a text',
  ],
  gemini: [
    { role: 'user', parts: [{ text: 'Build a mill.' }] },
    'and a wheel',
    { role: 'model', parts: [{ functionCall: { name: 'look' } }, { functionCall: { name: 'see' } }] },
    { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'look', args: {} } }] },
    { role: 'model', parts: [{ text: 'Gladly.' }] },
    { role: 'user', parts: [{ functionResponse: { name: 'see', response: { output: 'a sail' } } }] },
    { role: 'user', parts: [{ functionResponse: { response: {} } }, { text: 'So?' }] },
    { role: 'function', parts: [{ functionResponse: { id: 'c1', name: 'look', response: {} } }] },
    { role: 'critic', parts: [{ text: 'Hm.' }] },
  ],
  'ai-sdk': [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Build a mill.', id: 'same' },
    { role: 'assistant', content: 'Gladly.', id: 'same' },
    { role: 'user', content: 'Twice.', id: 'm1' },
    { role: 'assistant', content: [{ type: 'tool-call', toolName: 'look', input: {} }], id: 'system0' },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolName: 'look', output: { type: 'text', value: 'a' } }],
    },
  ],
  langchain: [
    { type: 'human', content: 'Build a mill.', id: 'same' },
    { type: 'ai', content: 'Gladly.', id: 'same' },
    { type: 'human', content: 'Twice.', id: 'm1' },
    { type: 'ai', content: '', tool_calls: [{ name: 'look', args: {} }] },
    { type: 'tool', content: 'a wheel' },
    new HumanMessage('And now?'),
    new AIMessage({ content: 'Now it turns.', id: 'same' }),
    { type: 'critic', content: 'Hm.' },
  ],
};

/** What stands beside the list and has a say in how it is read. */
const BESIDE: Readonly<Record<string, readonly object[]>> = {
  'openai-chat': [{}, { model: 'm' }],
  anthropic: [{}, { system: 'Be brief.' }],
  'openai-responses': [{}, { instructions: 'Be brief.' }, { previous_response_id: 'resp_1' }],
  gemini: [{}, { systemInstruction: { parts: [{ text: 'Be brief.' }] } }],
  'ai-sdk': [{}, { system: 'Be brief.' }, { system: ['Be brief.', 'Be kind.'] }],
  langchain: [{}, { model: 'm' }],
};

/** The same words in objects of their own; instances stay what they are. */
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
    const pool = POOLS[name]!;
    const body = (items: Items, beside: object = {}) => ({ ...beside, [format.messagesField]: items });

    it('gives what parse gives, over whatever a client does from turn to turn', () => {
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

    it('parses nothing twice, and says from where on something is new, also in new objects', () => {
      const good = pool.filter((item) => outcome(() => format.parse(body([item, item]))).startsWith('{'));
      const reader = format.createReader!();
      const first = reader.read(body(good)).messages;
      const second = reader.read(body([...again(good), good[0]]));
      expect(second.messages.length).toBeGreaterThan(first.length);
      expect(second.changedFrom).toBe(first.length);
    });

    it('starts over after a body that it refused', () => {
      const reader = format.createReader!();
      const sent = body([pool[0], pool[1]]);
      const before = outcome(() => reader.read(sent));
      expect(() => reader.read(body([pool[0], null]))).toThrow(/INPUT_FORMAT|not/);
      expect(outcome(() => reader.read(sent))).toBe(before);
    });
  },
);

describe('what stands before a message that changed', () => {
  const look = { role: 'assistant', tool_calls: [{ function: { name: 'look', arguments: '{}' } }] };
  const system = (day: string) => ({ role: 'system', content: `Today is ${day}.` });
  const rest = [{ role: 'user', content: 'Build a mill.' }, look, { role: 'tool', content: 'a wheel' }];

  it('is kept, and so is what stands behind it, where only words changed', () => {
    const reader = formats.get('openai-chat')!.createReader!();
    const monday = reader.read([system('Monday'), ...rest]).messages;
    const tuesday = reader.read([system('Tuesday'), ...rest, { role: 'user', content: 'And?' }]);
    expect(tuesday.messages[0]!.parts).toEqual([{ type: 'text', text: 'Today is Tuesday.' }]);
    expect(tuesday.changedFrom).toBe(4);
    expect(tuesday.messages.slice(1, 4)).toEqual(monday.slice(1));
  });

  it('is kept, and what stands behind it parsed anew, where a call changed that a later result answers', () => {
    const reader = formats.get('openai-chat')!.createReader!();
    reader.read([...rest.slice(0, 2), rest[2]]);
    const named = { ...look, tool_calls: [{ id: 'c7', function: { name: 'look', arguments: '{}' } }] };
    const { messages } = reader.read([rest[0], named, rest[2]]);
    expect(messages[2]!.parts).toMatchObject([{ type: 'tool-result', callId: 'c7' }]);
  });
});
