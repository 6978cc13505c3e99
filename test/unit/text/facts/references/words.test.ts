import fc from 'fast-check';
import { SCAN_HEAD_CHARS, SCAN_TAIL_CHARS, scanWords } from '../../../../../src/text/facts/index.js';

function wordsOf(text: string): string[] {
  const words: string[] = [];
  scanWords(text, (word) => words.push(word));
  return words;
}

describe('distinctive words', () => {
  it.each([
    ['read /src/app/main.ts now', ['main.ts', 'src/app/main.ts']],
    ['see ./foo_bar.py.', ['foo_bar', 'foo_bar.py']],
    ['https://example.org/docs/setup?x=1', ['example.org/docs/setup']],
    ['call getUserName(), HTTPServer or __init__', ['getUserName', 'HTTPServer']],
    ['models.ManyToManyField(x)', ['ManyToManyField']],
    ['a ticket ENT-221 and order W2378156', ['ENT-221', 'W2378156']],
    ['550e8400-e29b-41d4-a716-446655440000', ['550e8400-e29b-41d4-a716-446655440000']],
    ['line 1042 of 3000, 12.3456 and 1.5', ['1042', '12.3456']],
    ['user-prompt-submit --no-verify read-only', ['user-prompt-submit']],
    ['The quick brown fox, JUMPED over plainly.', []],
    ['and/or true/false', []],
    ['usr/local/share', ['usr/local/share']],
    ['naïveté Größe', []],
    ['请打开src/app.ts文件', ['app.ts', 'src/app.ts']],
  ])('%j', (text, words) => expect(wordsOf(text)).toEqual(words));

  it('meets the same word behind JSON escapes and terminal colours', () => {
    expect(wordsOf('{"a":"x\\nfooBarBaz\\u001b"}')).toEqual(['fooBarBaz']);
    expect(wordsOf('\u001b[31mfooBarBaz\u001b[0m')).toEqual(['fooBarBaz']);
  });

  it('scans head and tail of a giant text', () => {
    const middle = 'y '.repeat(SCAN_HEAD_CHARS);
    const text = `firstName ${middle} middleName ${middle} lastName`;
    expect(text.length).toBeGreaterThan(SCAN_HEAD_CHARS + SCAN_TAIL_CHARS);
    expect(wordsOf(text)).toEqual(['firstName', 'lastName']);
  });

  it('are always substrings of their text', () => {
    const pieces = fc.constantFrom(
      '\\',
      '\\u',
      '\u001b[',
      '\ud800',
      '.',
      '/',
      '-',
      '_',
      'aB',
      '12',
      '\n',
      'é',
      '漢',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(pieces).map((some) => some.join('')),
        ),
        (text) => {
          for (const word of wordsOf(text)) expect(text).toContain(word);
        },
      ),
    );
  });
});
