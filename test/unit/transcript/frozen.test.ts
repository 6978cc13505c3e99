import { frozenCopy } from '../../../src/transcript/frozen.js';

describe('a frozen copy', () => {
  it('has the fields of its source in their order, with the changes in place', () => {
    const source = { id: 'm1', parts: ['a'], role: 'user' };
    const copy = frozenCopy(source, { parts: ['b'], seq: 3 });
    expect(Object.entries(copy)).toEqual([
      ['id', 'm1'],
      ['parts', ['b']],
      ['role', 'user'],
      ['seq', 3],
    ]);
  });

  it('cannot be written to, while its source can', () => {
    const source = { id: 'm1' };
    const copy = frozenCopy(source);
    expect(() => Object.assign(copy, { id: 'm2' })).toThrow(TypeError);
    source.id = 'm3';
    expect(copy.id).toBe('m1');
  });
});
