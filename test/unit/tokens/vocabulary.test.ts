import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Merging } from '../../../src/tokens/merge.js';
import type { Ranks } from '../../../src/tokens/ranks.js';
import { NO_RANK, Vocabulary } from '../../../src/tokens/vocabulary.js';

function ranksOf(tokens: readonly Uint8Array[]): Ranks {
  return { lengths: Uint8Array.from(tokens, (token) => token.length), bytes: Buffer.concat(tokens) };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const fewBytes = fc.uint8Array({ minLength: 1, maxLength: 5, max: 3 });

describe('the vocabulary', () => {
  it('knows the rank of each of its tokens wherever the bytes stand, and of nothing else', () => {
    const distinct = fc.uniqueArray(fewBytes, { minLength: 1, maxLength: 60, selector: String });
    fc.assert(
      fc.property(distinct, fewBytes, fc.nat(3), (tokens, other, shift) => {
        const vocabulary = new Vocabulary(ranksOf(tokens));
        const rankOf = (token: Uint8Array): number => {
          const text = Uint8Array.of(...Array<number>(shift).fill(9), ...token, 9);
          return vocabulary.rankOf(text, shift, shift + token.length);
        };
        expect(tokens.map(rankOf)).toEqual(tokens.map((_, rank) => rank));
        const known = tokens.findIndex((token) => String(token) === String(other));
        expect(rankOf(other)).toBe(known < 0 ? NO_RANK : known);
      }),
    );
  });

  it('passes over ranks that no token has', () => {
    const vocabulary = new Vocabulary(ranksOf(['a', '', 'b'].map(bytesOf)));
    expect(vocabulary.rankOf(bytesOf('b'), 0, 1)).toBe(2);
    expect(vocabulary.rankOf(bytesOf('c'), 0, 1)).toBe(NO_RANK);
  });
});

describe('merging', () => {
  const counted = (tokens: readonly string[], text: string): number => {
    const merging = new Merging(new Vocabulary(ranksOf(tokens.map(bytesOf))), 16);
    return merging.count(bytesOf(text), text.length);
  };

  it.each([
    ['the lowest rank first: bc, then abc', ['a', 'b', 'c', 'bc', 'ab', 'abc'], 'abc', 1],
    ['a pair that comes first may stand in the way', ['a', 'b', 'c', 'ab', 'bc', 'abcd'], 'abc', 2],
    ['the leftmost of equals', ['a', 'aa', 'aaa'], 'aaa', 1],
    ['equals do not overlap', ['a', 'aa'], 'aaaaa', 3],
    ['what never merges', ['a', 'b', 'ba'], 'aabb', 4],
    ['one byte', ['a'], 'a', 1],
  ])('%s', (_, tokens, text, parts) => {
    expect(counted(tokens, text)).toBe(parts);
  });
});
