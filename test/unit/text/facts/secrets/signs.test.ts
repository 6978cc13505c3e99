import fc from 'fast-check';
import { SHAPES } from '../../../../../src/text/facts/secrets/shapes.js';
import { shapeBits } from '../../../../../src/text/facts/secrets/redact.js';
import { atOnce } from '../../../../../src/transcript/index.js';

/** Bits of the shapes whose whole pattern finds something. */
function matching(text: string): number {
  return SHAPES.reduce((bits, { pattern }, i) => (text.search(pattern) >= 0 ? bits | (1 << i) : bits), 0);
}

const begins = SHAPES.flatMap(({ begins: texts }) => texts);
const anyCase = fc
  .tuple(fc.constantFrom(...begins), fc.constantFrom('lower', 'upper', 'title'))
  .map(([text, how]) =>
    how === 'lower' ? text : how === 'upper' ? text.toUpperCase() : text[0]!.toUpperCase() + text.slice(1),
  );
/** What stands around and behind the beginning of a secret. */
const around = fc.oneof(
  fc.constantFrom(' ', '=', ': "', "':'", '\\"', '\n', '@', '/', '.', ' basic ', '_ID=', '-----END ', 'RSA '),
  fc.constantFrom('eyJ', 'AKIA', 'AIza', 'SG.', 'sk-', 'xoxb-', '-----BEGIN ', 'PRIVATE KEY-----', '://u:'),
  fc.string({ unit: fc.constantFrom('a', 'B', '7', '_', '-', '.'), minLength: 1, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('A', 'X', '0', '9'), minLength: 16, maxLength: 16 }),
  fc.constantFrom('ſ', 'K', 'é'),
);
const texts = fc.array(fc.oneof(anyCase, around), { maxLength: 12 }).map((pieces) => pieces.join(''));

describe('signs of secrets', () => {
  it('are there for every pattern that finds something, and for no other', () => {
    let withSecrets = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const bits = matching(text);
        if (bits > 0) withSecrets++;
        expect(atOnce(shapeBits(text))).toBe(bits);
      }),
      { numRuns: 3_000 },
    );
    expect(withSecrets).toBeGreaterThan(100);
  });

  it('are there in the middle of a text of any length', () => {
    const secret = ['sk-', 'abcdefghij0123456789'].join('');
    for (const before of [0, 65_515, 65_530, 65_536, 200_000, 400_000]) {
      const text = `${'lorem '.repeat(before / 6)} ${'x'.repeat(before % 6)} ${secret}${' ipsum'.repeat(12_000)}`;
      const found = atOnce(shapeBits(text));
      // Of the whole patterns only what stands around the secret is asked: they take a second for the rest, which is plain.
      expect(found).toBe(matching(text.slice(Math.max(0, before - 500), before + 500)));
      expect(found).not.toBe(0);
    }
  });
});
