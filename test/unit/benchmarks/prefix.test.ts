import { addTally, newTally, Prefixes, unchangedShare } from '../../../benchmarks/support/prefix.js';
import { referenceCount } from '../../../benchmarks/support/reference-count.js';

const message = (text: string) => ({ role: 'user', content: text });
const tokensOf = (...texts: string[]): number => referenceCount(texts.map(message));

describe('what a prefix cache keeps', () => {
  it('a request that extends the last one pays for what it adds', () => {
    const prefixes = new Prefixes();
    prefixes.next(['one', 'two'].map(message), false);
    const billed = prefixes.next(['one', 'two', 'three'].map(message), false);
    expect(billed).toEqual({ cached: tokensOf('one', 'two'), fresh: tokensOf('three') });
    expect(prefixes.tally).toMatchObject({ requests: 1, between: 1, extended: 1, changedTokens: 0 });
    expect(unchangedShare(prefixes.tally)).toBe(1);
  });

  it('what stands behind a change is paid for again, and has left only where it is gone', () => {
    const prefixes = new Prefixes();
    prefixes.next(['one', 'two', 'three'].map(message), false);
    const billed = prefixes.next(['one', 'three', 'four'].map(message), true);
    expect(billed).toEqual({ cached: tokensOf('one'), fresh: tokensOf('three', 'four') });
    expect(prefixes.tally).toMatchObject({
      between: 0,
      standingTokens: tokensOf('one', 'two', 'three'),
      changedTokens: tokensOf('two', 'three'),
      leftTokens: tokensOf('two'),
    });
  });

  it('a change where nothing was committed is no extension', () => {
    const prefixes = new Prefixes();
    prefixes.next(['one', 'two'].map(message), false);
    prefixes.next(['one', 'other'].map(message), false);
    expect(prefixes.tally).toMatchObject({ between: 1, extended: 0 });
  });

  it('a copy that leaves has left, though another stands', () => {
    const prefixes = new Prefixes();
    prefixes.next(['one', 'one'].map(message), false);
    prefixes.next(['one'].map(message), true);
    expect(prefixes.tally.leftTokens).toBe(tokensOf('one'));
  });

  it('tallies add up', () => {
    const sum = newTally();
    addTally(sum, { ...newTally(), requests: 2, sentTokens: 5 });
    addTally(sum, { ...newTally(), requests: 1, sentTokens: 4 });
    expect(sum).toMatchObject({ requests: 3, sentTokens: 9 });
  });
});
