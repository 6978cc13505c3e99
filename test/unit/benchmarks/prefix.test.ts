import { addTally, newTally, Prefixes, unchangedShare } from '../../../benchmarks/support/prefix.js';
import { referenceCount } from '../../../benchmarks/support/reference-count.js';

const message = (text: string) => ({ role: 'user', content: text });
const tokensOf = (...texts: string[]): number => referenceCount(texts.map(message));

describe('the tally of a prefix cache', () => {
  it('bills a request that extends the last one only for its new messages', () => {
    const prefixes = new Prefixes();
    prefixes.next(['one', 'two'].map(message), false);
    const billed = prefixes.next(['one', 'two', 'three'].map(message), false);
    expect(billed).toEqual({ cached: tokensOf('one', 'two'), fresh: tokensOf('three') });
    expect(prefixes.tally).toMatchObject({ requests: 1, between: 1, extended: 1, changedTokens: 0 });
    expect(unchangedShare(prefixes.tally)).toBe(1);
  });

  it('bills messages after a change again, and counts as left only those that are gone', () => {
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

  it('counts a change without a commit as no extension', () => {
    const prefixes = new Prefixes();
    prefixes.next(['one', 'two'].map(message), false);
    prefixes.next(['one', 'other'].map(message), false);
    expect(prefixes.tally).toMatchObject({ between: 1, extended: 0 });
  });

  it('counts a removed message as left although an equal one stays', () => {
    const prefixes = new Prefixes();
    prefixes.next(['one', 'one'].map(message), false);
    prefixes.next(['one'].map(message), true);
    expect(prefixes.tally.leftTokens).toBe(tokensOf('one'));
  });

  it('adds up with another tally', () => {
    const sum = newTally();
    addTally(sum, { ...newTally(), requests: 2, sentTokens: 5 });
    addTally(sum, { ...newTally(), requests: 1, sentTokens: 4 });
    expect(sum).toMatchObject({ requests: 3, sentTokens: 9 });
  });
});
