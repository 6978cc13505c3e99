import fc from 'fast-check';
import { keyOf, readText, writeText } from '../../../src/stores/bytes.js';

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
});
