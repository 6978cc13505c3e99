import { jest } from '@jest/globals';
import fc from 'fast-check';
import { countedAhead, createMeasure, heuristicCounter, measureTools } from '../../../src/tokens/index.js';
import { atOnce, type Message, type Part } from '../../../src/transcript/index.js';
import type { TokenCounter } from '../../../src/spi/index.js';

/** One token a character, and a list of what was asked. */
function countingCounter(): TokenCounter & { readonly asked: string[] } {
  const asked: string[] = [];
  const count = (text: string): number => (asked.push(text), text.length);
  return { name: 'characters', exact: true, count, asked };
}

function message(parts: readonly Part[], more: Partial<Message> = {}): Message {
  return { id: 'm1', role: 'assistant', origin: 'model', parts, ...more };
}

const image = { type: 'file', mediaType: 'image/png', bytes: 4_200_000 } as const;

describe('measuring a message', () => {
  it('adds four tokens to its parts, and the name with one more', () => {
    const measure = createMeasure(countingCounter());
    expect(measure(message([{ type: 'text', text: 'hello' }]))).toEqual({
      tokens: 9,
      bytes: 34 + 5,
      images: 0,
      parts: [{ tokens: 5, bytes: 5, images: 0 }],
    });
    expect(measure(message([], { name: 'ann' }))).toEqual({ tokens: 8, bytes: 34 + 3, images: 0, parts: [] });
  });

  it('counts a call by name and arguments, a result by its texts, a signature by its bytes, and a marker as nothing', () => {
    const { parts } = createMeasure(countingCounter())(
      message([
        { type: 'tool-call', callId: 'c1', name: 'read', arguments: '{"a":1}' },
        { type: 'tool-result', callId: 'c1', content: [{ type: 'text', text: 'né' }, image] },
        { type: 'reasoning', text: 'hm', signature: 'x'.repeat(500) },
        { type: 'reasoning', text: '', signature: 'x'.repeat(500) },
        { type: 'marker', marker: 'compaction', auto: true },
      ]),
    );
    expect(parts).toEqual([
      { tokens: 15, bytes: 60 + 11 + 2, images: 0 },
      { tokens: 1_102, bytes: 60 + 4_200_003, images: 1 },
      { tokens: 2, bytes: 502, images: 0 },
      { tokens: 94, bytes: 500, images: 0 },
      { tokens: 0, bytes: 0, images: 0 },
    ]);
  });

  it('charges an image sent with low detail as such, and other files by size up to a cap', () => {
    const sized = (part: Part): number => createMeasure(countingCounter())(message([part])).parts[0]!.tokens;
    expect(sized({ ...image, wire: { type: 'image_url', image_url: { url: 'data:', detail: 'low' } } })).toBe(
      85,
    );
    expect(sized({ ...image, wire: { type: 'input_image', detail: 'high' } })).toBe(1_100);
    expect(sized({ type: 'file', mediaType: 'text/csv', bytes: 401 })).toBe(101);
    expect(sized({ type: 'file', mediaType: 'application/pdf', bytes: 9_000_000 })).toBe(25_000);
    expect(sized({ type: 'file', mediaType: 'audio/mpeg', bytes: 640_000 })).toBe(2_500);
  });

  it.each(['text/plain', 'application/json', 'application/ld+json'])(
    'takes all of a file that is text (%s) for text',
    (mediaType) => {
      const file: Part = { type: 'file', mediaType, bytes: 4_000_000 };
      const { tokens } = createMeasure(countingCounter())(message([file])).parts[0]!;
      expect(tokens).toBe(1_000_000);
    },
  );

  it('takes no more for a file that is no text', () => {
    const file: Part = { type: 'file', mediaType: 'video/mp4', bytes: 40_000_000 };
    expect(createMeasure(countingCounter())(message([file])).parts[0]!.tokens).toBe(25_000);
  });

  it('counts each text once and joins none', () => {
    const counter = countingCounter();
    createMeasure(counter)(
      message([
        { type: 'text', text: 'one' },
        {
          type: 'tool-result',
          callId: 'c',
          content: ['two', 'three'].map((text) => ({ type: 'text', text })),
        },
      ]),
    );
    expect(counter.asked).toEqual(['one', 'two', 'three']);
  });

  it('is the sum of its parts and its overhead', () => {
    const measure = createMeasure(heuristicCounter);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
        const size = measure(message(texts.map((text) => ({ type: 'text', text }))));
        expect(size.tokens).toBe(4 + size.parts.reduce((sum, part) => sum + part.tokens, 0));
      }),
    );
  });

  it('counts tool definitions by their JSON', () => {
    const two = { tokens: 2 * (7 + 8), bytes: 2 * 7, images: 0 };
    expect(measureTools(countingCounter(), [{ a: 1 }, { b: 2 }])).toEqual(two);
    expect(measureTools(countingCounter(), [])).toEqual({ tokens: 0, bytes: 0, images: 0 });
  });
});

it('a long text without blanks is searched at most twice for places to split it when it is counted ahead', () => {
  const { ahead } = countedAhead(countingCounter());
  const search = jest.spyOn(String.prototype, 'lastIndexOf');
  const text = 'x'.repeat(1_000_000);
  try {
    atOnce(ahead(message([{ type: 'text', text }])));
    const looked = search.mock.contexts.map((of) => String(of).length);
    expect(looked.reduce((sum, chars) => sum + chars, 0)).toBeLessThanOrEqual(2 * text.length);
  } finally {
    search.mockRestore();
  }
});

it.each<[string, () => unknown]>([
  ['-4', () => -4],
  ['4', () => '4'],
  [
    'threw: no',
    () => {
      throw new Error('no');
    },
  ],
])('counting a long text ahead is refused if the counter’s result is %s', (found, count) => {
  const { ahead } = countedAhead({ name: 'theirs', exact: false, count: count as () => number });
  const text = 'word '.repeat(40_000);
  expect(() => atOnce(ahead(message([{ type: 'text', text }])))).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', faults: [expect.objectContaining({ found })] }),
  );
});
