import { isStub, stubFor } from '../../../../src/text/digest/index.js';

describe('stubFor', () => {
  it('names the tool, the size and the handle in one line', () => {
    const stub = stubFor({ tool: 'Read', tokens: 1234567, handle: 'm12#0' });
    expect(stub).toBe('[Read result, 1,234,567 tokens, compacted; m12#0]');
  });

  it('includes the status if there is one', () => {
    const stub = stubFor({ tool: 'Read', tokens: 12, handle: 'm1#0', status: 'changed since' });
    expect(stub).toBe('[Read result, 12 tokens, compacted, changed since; m1#0]');
  });

  it('returns one line that isStub recognises, whatever the name of the tool', () => {
    for (const tool of ['Read', undefined, '', 'a]b\n[c', 'x'.repeat(500)]) {
      const stub = stubFor({ tool, tokens: 9, handle: 'call 7#1' });
      expect(isStub(stub)).toBe(true);
      expect(stub).not.toContain('\n');
    }
    const halved = stubFor({ tool: `${'x'.repeat(59)}😀`, tokens: 9, handle: 'm1#0' });
    expect(halved).not.toMatch(/\p{Cs}/u);
  });

  it('returns a stub that isStub does not find in a text that quotes it', () => {
    expect(isStub(`see ${stubFor({ tool: 'Read', tokens: 9, handle: 'm1#0' })}`)).toBe(false);
    expect(isStub(`${stubFor({ tool: 'Read', tokens: 9, handle: 'm1#0' })}\nmore`)).toBe(false);
  });
});
