import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keyOf, readText, textOfKey, writeText } from '../../../src/stores/text.js';
import { wordsOfMessage, wordsOfQuery } from '../../../src/stores/words.js';
import { message } from './support.js';

const anyText = fc.string({
  unit: fc.constantFrom('\0', '\\', 'u', '0', 'a', '\ud800', '\udc00', '😀', '"', "'", '\n', '#'),
  maxLength: 40,
});

it('any text comes back from a form that holds no NUL and no half of a pair', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const written = writeText(text);
      expect(written).not.toContain('\0');
      expect(written).toBe(Buffer.from(written).toString());
      expect(readText(written)).toBe(text);
    }),
  );
});

it('different texts have different keys, as short as an index takes', () => {
  const long = fc
    .tuple(anyText, fc.integer({ min: 0, max: 600 }))
    .map(([text, count]) => text + 'x'.repeat(count));
  fc.assert(
    fc.property(long, long, (a, b) => {
      expect(keyOf(a) === keyOf(b)).toBe(a === b);
      expect(Buffer.byteLength(keyOf(a))).toBeLessThan(6 * 513);
    }),
  );
  const posing = keyOf('y'.repeat(9_999));
  expect(keyOf(posing)).not.toBe(posing);
  expect(textOfKey(posing)).toBeUndefined();
  expect(textOfKey(keyOf('a\0b'))).toBe('a\0b');
});

it('a name is found as a whole and by its pieces', () => {
  expect(wordsOfQuery('src/loadAll_v2.ts')).toEqual(['src/loadall_v2.ts', 'src', 'load', 'all', 'v2', 'ts']);
  expect(wordsOfQuery('  ')).toEqual([]);
  expect(wordsOfQuery('Straße STRASSE ﬁle')).toEqual(['straße', 'strasse', 'file']);
  expect(wordsOfQuery('東京都の人')).toEqual(['東京', '京都', '都の', 'の人']);
  expect(wordsOfQuery(`ok ${'x'.repeat(500)}`)).toEqual(['ok']);
});

it('words of any text hold nothing that an index could take for a sign of its own', () => {
  const words = fc.string({ unit: 'binary', maxLength: 200 }).map(wordsOfQuery);
  fc.assert(
    fc.property(words, (all) => {
      for (const word of all) expect(word).toMatch(/^[\p{L}\p{N}\p{M}_./:@-]+$/u);
    }),
  );
});

it('of a dump the ends are read, and it takes no time to speak of', () => {
  const dump = `first ${'ab cd '.repeat(5_000_000)} last`;
  const words = wordsOfMessage(message(0, dump));
  expect([...words.keys()]).toEqual(expect.arrayContaining(['first', 'ab', 'cd', 'last']));
  expect(words.get('ab')).toBeLessThan(250_000);
});
