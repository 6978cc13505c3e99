import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SIGNS, visitLines, weightOf } from '../../../../src/text/digest/line-signs.js';

/** Every pattern asked of every line. */
const plainWeight = (line: string): number =>
  SIGNS.reduce((sum, { weight, pattern }) => (pattern.test(line) ? sum + weight : sum), 0);

const pieces = fc.oneof(
  fc.constantFrom(
    'Error',
    'exception',
    'PANIC',
    'fatal',
    'Traceback',
    'fail',
    'failed',
    'TypeError',
    'érror',
  ),
  fc.constantFrom(
    'deadbeef-cafe-',
    'a1b2c3d4-0000-',
    'abcdef1',
    'ABCDEF1',
    '#12',
    '#1',
    'AB-1',
    'B-1',
    'é-1',
  ),
  fc.constantFrom(
    'https://x',
    'src/a.ts',
    '/',
    '.md',
    'export function f',
    'class A',
    '  12| def x',
    'fooBar',
    'a_b',
    '_b',
  ),
  fc.constantFrom(' ', '(', '"', ':', '=', '-', '.', '\n', '\r\n', '\t', '→'),
  fc.string({ unit: fc.constantFrom('a', 'e', 'f', 'r', 'X', '0', '7', '_', '-', '#', 'ſ'), maxLength: 9 }),
);
const texts = fc.array(pieces, { maxLength: 30 }).map((some) => some.join(''));

describe('signs of lines', () => {
  it('are found where asking every pattern of every line finds them', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const lines: string[] = [];
        visitLines(text, (line, has) => {
          lines.push(line);
          expect([line, weightOf(line, has)]).toEqual([line, plainWeight(line)]);
        });
        expect(lines).toEqual(text.split('\n'));
      }),
      { numRuns: 600 },
    );
  });

  it('are found in texts longer than what is read at a time', () => {
    const filler = 'the river runs past the mill\n';
    fc.assert(
      fc.property(fc.integer({ min: 65_000, max: 66_000 }), texts, (chars, text) => {
        const long = filler.repeat(Math.ceil(chars / filler.length)).slice(0, chars) + text;
        const weights: number[] = [];
        visitLines(long, (line, has) => weights.push(weightOf(line.slice(0, 240), has)));
        expect(weights).toEqual(long.split('\n').map((line) => plainWeight(line.slice(0, 240))));
      }),
      { numRuns: 12 },
    );
  });
});
