import fc from 'fast-check';
import { createExactCounter } from '../../../src/tokens/index.js';
import type { TokenCounter } from '../../../src/spi/index.js';
import { fixture, O200K } from './fixtures/index.js';

let counter: TokenCounter;
let plain: (text: string) => number;

beforeAll(async () => {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  plain = (text) => countTokens(text, { disallowedSpecial: new Set<string>() });
  counter = await createExactCounter('o200k_base');
});

describe('the exact counter', () => {
  it('names its encoding and says that it is exact', () => {
    expect(counter.name).toBe('o200k_base');
    expect(counter.exact).toBe(true);
    expect(counter.count('')).toBe(0);
    expect(counter.count('hello world')).toBe(2);
  });

  it.each(Object.entries(O200K))('counts %s as the library does: %i', (name, tokens) => {
    expect(counter.count(fixture(name))).toBe(tokens);
    expect(plain(fixture(name))).toBe(tokens);
  });

  it('agrees with the library on any text without long runs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 150 }), (text) => {
        expect(counter.count(text)).toBe(plain(text));
      }),
      { numRuns: 50 },
    );
  });

  it('agrees with the library wherever white space, marks and line breaks meet', () => {
    const units = ['a', 'Foo', "'s", '12', ';', '**', '/', '.', '中', 'é', '😀', '\u0301', '\u200d'];
    const gaps = [' ', '  ', '\t', '\v', '\n', '\r\n', '{\n', '\n/', '\u00a0', '\u3000', '\u2028', '\ufeff'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...units, ...gaps), { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        expect(counter.count(text)).toBe(plain(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['<|endoftext|>', '<|im_start|>system<|im_sep|>', 'a <|fim_prefix|> b', '<|endofprompt|>'])(
    'counts the special token %s as the text it is',
    (text) => expect(counter.count(text)).toBeGreaterThan(3),
  );

  it.each(['\ud83d', 'a\udc00b', '\udc00\ud83d', '\ud800'.repeat(1_000)])(
    'survives lone surrogates',
    (text) => {
      expect(counter.count(text)).toBeGreaterThan(0);
    },
  );

  const HAN = Array.from({ length: 340 }, (_, index) => String.fromCharCode(0x4e00 + index * 7)).join('');
  const BASE64 = Buffer.from(Array.from({ length: 9_000 }, (_, index) => (index * 7_919) % 251)).toString(
    'base64',
  );
  it.each([
    ['letters', 'x'],
    ['Chinese without a stop', HAN],
    ['emoji', '🎉👍🏽'],
    ['spaces', ' '],
    ['line breaks', '\n'],
    ['full-width spaces', '\u3000'],
    ['a rule', '='],
    ['box drawing', '─'],
    ['marks and combining accents', '!!\u0301\u0301'],
    ['base64', BASE64],
  ])('counts 200,000 characters of %s in proportion to their length', (_, unit) => {
    const of = (chars: number): number =>
      counter.count(unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars));
    const growth = of(200_000) / of(20_000);
    expect(growth).toBeGreaterThan(9.5);
    expect(growth).toBeLessThan(10.5);
  });

  it('miscounts a cut run by less than a hundredth', () => {
    const words = fixture('prose.txt').replace(/[^a-z]/g, '');
    for (const run of [words, HAN, HAN.slice(50, 230)]) {
      expect(Math.abs(counter.count(run) / plain(run) - 1)).toBeLessThan(0.01);
    }
  });

  it('counts the older encoding as well', async () => {
    const older = await createExactCounter('cl100k_base');
    expect(older.count('antidisestablishmentarianism')).toBe(6);
    expect(older.count(fixture('chinese.txt'))).toBeGreaterThan(counter.count(fixture('chinese.txt')));
  });
});
