import { keyLines } from '../../../../src/text/digest/index.js';
import { outcomeOf } from '../../../../src/text/reading/index.js';
import { count } from './support.js';

describe('outcomeOf', () => {
  it.each([
    [
      'jest',
      'PASS a\nFAIL b\n\nTests: 1 failed, 214 passed, 215 total',
      'FAIL b; Tests: 1 failed, 214 passed, 215 total (4 lines)',
    ],
    [
      'python',
      'Traceback (most recent call last):\n  File "a.py"\nValueError: bad',
      'Traceback (most recent call last): (3 lines)',
    ],
    ['go', 'ok  \tpkg/a\t0.2s\n--- FAIL: TestB\npanic: nil map', '--- FAIL: TestB (3 lines)'],
    ['rust', 'error[E0308]: mismatched types', 'error[E0308]: mismatched types'],
    ['no errors', 'checked 12 files\nfound 0 errors', 'found 0 errors (2 lines)'],
    ['plain', '\n=====\n  3 results for foo\nx', '3 results for foo (4 lines)'],
    ['empty', '  \n', 'no output'],
  ])('%s', (_name, text, expected) => {
    expect(outcomeOf(text)).toBe(expected);
  });

  it('believes the flag of a failure over the words', () => {
    expect(outcomeOf('nothing special', true)).toBe('failed: nothing special');
    expect(outcomeOf('', true)).toBe('failed without output');
  });

  it('shows only the surroundings of a hit in an endless line', () => {
    const outcome = outcomeOf(`${'x '.repeat(50_000)}error: disk full${' y'.repeat(50_000)}`);
    expect(outcome).toContain('error: disk full');
    expect(outcome.length).toBeLessThan(200);
  });
});

describe('keyLines', () => {
  const text = [
    'start',
    'const port = 1',
    'plain words',
    'see src/a/b.ts',
    'Error: no such id 4f2a9c1',
    'more words',
    'the end',
  ].join('\n');

  it('keeps telling lines verbatim and in order', () => {
    expect(keyLines(text, 100, count)).toBe('const port = 1\nsee src/a/b.ts\nError: no such id 4f2a9c1');
  });

  it('leaves out the least telling lines first', () => {
    expect(keyLines(text, 10, count)).toBe('Error: no such id 4f2a9c1');
  });

  it('leaves out a line that the caller has already told', () => {
    expect(keyLines(text, 100, count, { told: 'Error: no such id 4f2a9c1' })).toBe(
      'const port = 1\nsee src/a/b.ts',
    );
  });
});
