import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LiteralScan } from '../../../../../src/text/facts/secrets/literal-scan.js';

function found(literals: readonly string[], text: string): string[] {
  const places = new Set<string>();
  new LiteralScan(literals).scan(text, (start, literal) => places.add(`${literals[literal]}@${start}`));
  return [...places].sort();
}

/** Looked for one by one. */
function expected(literals: readonly string[], text: string): string[] {
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const places: string[] = [];
  for (const literal of literals)
    for (let at = folded.indexOf(literal); at >= 0; at = folded.indexOf(literal, at + 1))
      places.push(`${literal}@${at}`);
  return places.sort();
}

describe('scan for literals', () => {
  it('finds every place of each, one inside the other too', () => {
    expect(found(['ab', 'b', 'abc', 'bca'], 'xABCab')).toEqual([
      'ab@1',
      'ab@4',
      'abc@1',
      'b@2',
      'b@5',
      'bca@2',
    ]);
    expect(found(['ask', 'sk'], 'ſk')).toEqual([]);
  });

  it('finds what looking for one after the other finds', () => {
    const letters = fc.constantFrom('a', 'b', 'c', '-');
    const literal = fc.string({ unit: letters, minLength: 1, maxLength: 5 });
    const text = fc.string({ unit: fc.oneof(letters, fc.constantFrom('A', 'B', 'é', '\n')), maxLength: 60 });
    fc.assert(
      fc.property(fc.uniqueArray(literal, { minLength: 1, maxLength: 12 }), text, (literals, words) => {
        expect(found(literals, words)).toEqual(expected(literals, words));
      }),
    );
  });

  it('finds what stands where two pieces of a long text meet', () => {
    const literals = ['needle', 'n', '-eed'];
    fc.assert(
      fc.property(fc.integer({ min: 65_516, max: 65_556 }), fc.nat({ max: 70_000 }), (before, behind) => {
        const text = `${'.'.repeat(before)}needle${'.'.repeat(behind)}`;
        expect(found(literals, text)).toEqual(expected(literals, text));
      }),
      { numRuns: 40 },
    );
  });
});
