import { jest } from '@jest/globals';
import fc from 'fast-check';
import { speechesOf } from '../../../../src/text/reading/index.js';
import { isTagRow, ROWS as HOSTS } from '../../../../src/text/reading/speaker-table.js';
import { EXAMPLES } from './host-examples.js';
import { spoken } from './messages.js';

/** Tags that may be left out: those of the table and of its sections. */
const TAGS = [
  ...HOSTS.filter(isTagRow).map(({ tag }) => tag),
  ...HOSTS.flatMap(({ sections = [] }) =>
    sections.filter(({ isTag }) => isTag).map(({ opens }) => opens.slice(1, -1)),
  ),
];
const WRAPPERS = new RegExp(`</?(?:${[...new Set(TAGS)].join('|')})(?:\\s[^<>]*)?>`, 'g');
const bare = (text: string): string => text.replace(WRAPPERS, '').replace(/\s+/g, '');

/** Pieces of messages: blocks, halves of blocks, lines of programs and words. */
const piece = fc.oneof(
  fc.constantFrom(...EXAMPLES.flatMap(({ example }) => example)),
  fc.constantFrom(...EXAMPLES.map(({ counter }) => counter)),
  fc.constantFrom(...TAGS.flatMap((tag) => [`<${tag}>`, `</${tag}>`])),
  fc.constantFrom(
    '```',
    '```md',
    '~~~',
    '> quoted',
    '    at f (a.ts:1:2)',
    '- a.ts:3 b',
    '# Head',
    'Low Severity',
    'From: x',
  ),
  fc.constantFrom('Never push to main.', 'Use tabs: '.repeat(40), ''),
  fc.string({ maxLength: 30 }),
);
const text = fc
  .array(fc.tuple(piece, fc.constantFrom('', ' ', '\n', '\n\n')), { maxLength: 14 })
  .map((pieces) => pieces.flat().join(''));

it('who speaks loses nothing of a message but tags around blocks', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (texts) => {
      const speeches = speechesOf(spoken(...texts));
      expect(bare(speeches.map((speech) => speech.text).join('\n'))).toBe(bare(texts.join('\n')));
      for (const speech of speeches) expect(speech.text).toBe(speech.text.trimEnd());
    }),
    { numRuns: 1_000 },
  );
});

describe('a message pumped up', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Characters that searches and copies walk over while a text is read. */
  function workOn(pumped: string): number {
    let work = 0;
    const { indexOf, lastIndexOf, slice, startsWith } = String.prototype;
    const span = (to: number, from: number, none: number): number => Math.abs((to < 0 ? none : to) - from);
    jest.spyOn(String.prototype, 'indexOf').mockImplementation(function (
      this: string,
      words: string,
      at = 0,
    ) {
      const found = indexOf.call(this, words, at);
      work += span(found, at, this.length) + 1;
      return found;
    });
    jest.spyOn(String.prototype, 'lastIndexOf').mockImplementation(function (
      this: string,
      words: string,
      at = Infinity,
    ) {
      const found = lastIndexOf.call(this, words, at);
      work += span(found, Math.min(at, this.length), 0) + 1;
      return found;
    });
    jest.spyOn(String.prototype, 'slice').mockImplementation(function (this: string, a?: number, b?: number) {
      const cut = slice.call(this, a, b);
      work += cut.length + 1;
      return cut;
    });
    jest.spyOn(String.prototype, 'startsWith').mockImplementation(function (
      this: string,
      words: string,
      at = 0,
    ) {
      work += 1;
      return startsWith.call(this, words, at);
    });
    speechesOf(spoken(pumped));
    jest.restoreAllMocks();
    return work;
  }

  it.each([
    ['one endless name of a tag', (n: number) => `<${'A'.repeat(n)}`],
    ['tags never closed', (n: number) => '<bash-stderr '.repeat(n)],
    ['blocks never closed', (n: number) => '<bash-stdout>x '.repeat(n)],
    [
      'blocks closed once, by what is refused',
      (n: number) => `${'a <bash-stdout>x '.repeat(n)}</bash-stdout>y`,
    ],
    [
      'blocks closed in quotation marks',
      (n: number) => 'a <bash-stdout>x '.repeat(n) + '`</bash-stdout>'.repeat(n),
    ],
    ['blocks in blocks', (n: number) => '<system-reminder>'.repeat(n) + '</system-reminder>'.repeat(n)],
    ['blocks in a row', (n: number) => '<system-reminder>x</system-reminder>\n'.repeat(n)],
    ['notices without a report', (n: number) => '<task-notification>x</task-notification>\ny\n'.repeat(n)],
    ['fences never closed', (n: number) => '```js\n'.repeat(n)],
    ['fences of another mark', (n: number) => '~~~~a\n'.repeat(n) + '```\n'.repeat(n)],
    ['Markdown in fences never closed', (n: number) => '```md\n```js\n'.repeat(n) + '```\n'.repeat(n)],
    ['quoted lines in threes', (n: number) => '>a\n>b\n>c\nx\n'.repeat(n)],
    ['frames that are no stack', (n: number) => '    at foo (a.js:1:2)\nfoo\nbar\nbaz\n'.repeat(n)],
    [
      'headers of ours',
      (n: number) => 'Earlier in this session (compacted m1; recall by handle):\n'.repeat(n),
    ],
    ['files never ended', (n: number) => '--- Content from referenced files ---\n'.repeat(n)],
    ['arguments upon arguments', (n: number) => 'a\n\nARGUMENTS: '.repeat(n)],
    ['findings upon findings', (n: number) => 'Low Severity\n\n'.repeat(n)],
    [
      'orders upon orders',
      (n: number) =>
        `This session is being continued from a previous conversation\nx\n${'Recent messages are preserved verbatim\n'.repeat(n)}`,
    ],
    ['blank lines', (n: number) => '\n'.repeat(n)],
  ])('costs twice as much when it is twice as long: %s', (_name, pump) => {
    const [one, two, four] = [300, 600, 1_200].map((n) => workOn(pump(n)));
    expect(two! / one!).toBeLessThan(2.5);
    expect(four! / two!).toBeLessThan(2.5);
  });
});
