import fc from 'fast-check';
import { cutArguments } from '../../../../src/text/digest/index.js';
import { count } from './support.js';

const byChars = (text: string) => Math.ceil(text.length / 4);
const long = 'a guide that goes on and on '.repeat(100);

describe('cutArguments', () => {
  it('cuts long strings, and leaves keys, order, spacing and long numbers as they were written', () => {
    const text = `{"path": "a.md",  "content": ${JSON.stringify(long)}, "owner": 12345678901234567890, "2": true}`;
    const cut = cutArguments(text, { maxTokens: 60, count, handle: 'm2#0' });
    expect(cut).toMatch(
      /^\{"path": "a\.md", {2}"content": "a guide .* more characters; m2#0\]", "owner": 12345678901234567890, "2": true\}$/,
    );
    expect(count(cut)).toBeLessThanOrEqual(60);
    expect(() => JSON.parse(cut)).not.toThrow();
  });

  it('reaches strings inside lists and objects', () => {
    const text = JSON.stringify({ edits: [{ old: long, new: long }], dry: false });
    const cut = JSON.parse(cutArguments(text, { maxTokens: 90, count, handle: 'm2#0' }));
    expect(Object.keys(cut.edits[0])).toEqual(['old', 'new']);
    expect(cut.dry).toBe(false);
  });

  it('keeps only the names if numbers take most of the room', () => {
    const text = JSON.stringify({ name: 'grid', cells: Array.from({ length: 5000 }, (_, i) => i) });
    expect(cutArguments(text, { maxTokens: 30, count, handle: 'm2#0' })).toBe('{"name":"…","cells":"…"}');
  });

  it('does not count arguments that cannot fit however far they are cut', () => {
    const text = JSON.stringify({ path: 'a.md', edits: Array.from({ length: 5000 }, (_, i) => `line ${i}`) });
    let chars = 0;
    const counting = (one: string): number => {
      chars += one.length;
      return byChars(one);
    };
    const request = { maxTokens: 30, count: counting, handle: 'm2#0', knownTokens: byChars(text) };
    expect(cutArguments(text, request)).toBe('{"path":"…","edits":"…"}');
    expect(chars).toBeLessThan(100);
  });

  it('cuts malformed arguments as plain text', () => {
    const cut = cutArguments(`{"content": "${long}`, { maxTokens: 40, count, handle: 'm2#0' });
    expect(cut.startsWith('{"content": "a guide')).toBe(true);
    expect(count(cut)).toBeLessThanOrEqual(40);
  });

  it('always returns an object with the same names, or with the single name "cut"', () => {
    const value = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ depthSize: 'small' }), {
      minKeys: 1,
    });
    fc.assert(
      fc.property(value, fc.string({ minLength: 500, maxLength: 900 }), (object, text) => {
        const source = JSON.stringify({ ...object, content: text });
        const cut = JSON.parse(cutArguments(source, { maxTokens: 200, count: byChars, handle: 'm2#0' }));
        const names = Object.keys(JSON.parse(source));
        expect([JSON.stringify(names), '["cut"]']).toContain(JSON.stringify(Object.keys(cut)));
      }),
    );
  });
});
