import fc from 'fast-check';
import { cutText, isCut } from '../../../../src/text/digest/index.js';
import { count, meteredCount } from './support.js';

const lines = Array.from({ length: 500 }, (_, i) => `line ${i} of the log says something`).join('\n');

describe('cutText', () => {
  it('returns a text that fits unchanged', () => {
    expect(cutText('one two', { maxTokens: 2, count, handle: 'm1#0' })).toBe('one two');
  });

  it('keeps complete lines of the head and the tail, around a line that says how much is cut', () => {
    const cut = cutText(lines, { maxTokens: 120, count, handle: 'm1#0' });
    expect(cut.startsWith('line 0 of the log says something\n')).toBe(true);
    expect(cut.endsWith('\nline 499 of the log says something')).toBe(true);
    expect(cut).toMatch(/\n\[… about 3,\d{3} of 3,500 tokens cut; m1#0 …\]\nline/);
    expect(isCut(cut)).toBe(true);
    expect(count(cut)).toBeLessThanOrEqual(120);
    expect(count(cut)).toBeGreaterThan(80);
  });

  it('does not count the complete text if its size is known', () => {
    const meter = meteredCount();
    cutText(lines, { maxTokens: 120, count: meter.count, handle: 'm1#0', knownTokens: 3500 });
    expect(meter.chars).toBeLessThan(3000);
  });

  it.each([2, 5, 8, 12, 20, 48])('keeps the beginning of the text within %d tokens', (maxTokens) => {
    const cut = cutText(lines, { maxTokens, count, handle: 'm1#0' });
    expect(count(cut)).toBeLessThanOrEqual(maxTokens);
    expect(lines.startsWith(cut.slice(0, Math.min(16, Math.floor(cut.length / 4))))).toBe(true);
  });

  it('cuts one unbroken line of 200,000 characters', () => {
    const byChars = (text: string) => Math.ceil(text.length / 4);
    const cut = cutText('x'.repeat(200_000), { maxTokens: 100, count: byChars, handle: 'm1#0' });
    expect(byChars(cut)).toBeLessThanOrEqual(100);
    expect(byChars(cut)).toBeGreaterThan(60);
  });

  it('never splits a surrogate pair, and always fits', () => {
    const text = fc.array(fc.constantFrom('😀', 'a', '\n', '漢', ' '), { minLength: 50, maxLength: 400 });
    const byChars = (piece: string) => Math.ceil(piece.length / 2);
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (letters, maxTokens) => {
        const cut = cutText(letters.join(''), { maxTokens, count: byChars, handle: 'm1#0' });
        expect(cut).not.toMatch(/\p{Surrogate}/u);
        expect(byChars(cut)).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });
});
