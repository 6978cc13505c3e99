import fc from 'fast-check';
import { passagesOf } from '../../../../src/text/reading/index.js';

const textsOf = (prose: string): string[] => passagesOf(prose).map(({ text }) => text);
/** Holds no half of a surrogate pair. */
const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text);
const bare = (text: string): string => text.replace(/\s+/g, '');

describe('passages of prose', () => {
  it('are its paragraphs', () => {
    expect(textsOf('One.\n\nTwo,\nstill two.\n\n\n\nThree.')).toEqual(['One.', 'Two,\nstill two.', 'Three.']);
    expect(textsOf(' \n\n ')).toEqual([]);
  });

  it('keep a heading, and a line that announces, with what follows', () => {
    expect(textsOf('## Findings\n\nIt leaks.\n\nTwo ways:\n\n1. seal\n2. pump\n\nEnd.')).toEqual([
      '## Findings\nIt leaks.',
      'Two ways:\n1. seal\n2. pump',
      'End.',
    ]);
  });

  it('keep a block of code together across its blank lines', () => {
    expect(textsOf('So:\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\nDone.')).toEqual([
      'So:\n```ts\nconst a = 1;\n\nconst b = 2;\n```',
      'Done.',
    ]);
  });

  it('keep the indentation of their first line, except for the very first passage', () => {
    const item = (text: string): string => `    - ${text} ${'words '.repeat(80)}end`;
    const parts = textsOf(`  Two ways:\n\n${item('seal')}\n${item('pump')}\n\n\n  Then go.`);
    expect(parts.map((part) => /^\s*\S+/.exec(part)?.[0])).toEqual(['Two', '    -', '  Then']);
  });

  it('split a long list between its items, and a text without borders at a space', () => {
    const items = Array.from({ length: 20 }, (_, i) => `- item ${i} ${'words '.repeat(12)}end`);
    const parts = textsOf(items.join('\n'));
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part).toMatch(/^- item \d+ .*end$/s);
    const endless = 'word '.repeat(1_000);
    for (const part of textsOf(endless)) {
      expect(part.length).toBeLessThanOrEqual(1_200);
      expect(part).toMatch(/^word(?: word)*$/);
    }
  });

  it('lose nothing but white space, keep the order, and split no surrogate pair (property)', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        '```',
        '~~~ts',
        '# Heading',
        '- item',
        '1. first',
        'So:',
        '**Bold**',
        '部署失败。',
      ),
      fc.string({ maxLength: 80 }),
      fc.string({ unit: 'binary', minLength: 400, maxLength: 1_600 }),
      fc.nat({ max: 600 }).map((n) => '👩‍👧'.repeat(n)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const prose = lines.join('\n');
        const passages = passagesOf(prose);
        expect(bare(passages.map(({ text }) => text).join(''))).toBe(bare(prose));
        passages.forEach(({ text, at }, i) => {
          expect(at).toBe(i);
          expect(text).toBe(text.trimEnd());
          expect(text).not.toMatch(at === 0 ? /^\s/ : /^\s*\n/);
          expect(text).not.toBe('');
          expect(text.length).toBeLessThanOrEqual(1_200);
          if (isWhole(prose)) expect(isWhole(text)).toBe(true);
        });
      }),
      { numRuns: 200 },
    );
  });
});
