import { NO_RANK, type Vocabulary } from './vocabulary.js';

/** Higher than any rank: these two do not merge. */
const NEVER = 0x7fffffff;

/**
 * How many tokens byte-pair merging makes of a run: of all neighbours the two whose token ranks lowest become one, the
 * leftmost of equals first, until no two make a token. Quadratic in the run, which is why runs are cut before.
 */
export class Merging {
  readonly #vocabulary: Vocabulary;
  /** Where each part begins; one more than there are parts, for the end of the last. */
  readonly #starts: Int32Array;
  /** Of each part and the next one: the rank of the token that the two would make. */
  readonly #ranks: Int32Array;

  constructor(vocabulary: Vocabulary, mostBytes: number) {
    this.#vocabulary = vocabulary;
    this.#starts = new Int32Array(mostBytes + 1);
    this.#ranks = new Int32Array(mostBytes);
  }

  /** Tokens of the first `length` bytes; 1 at least. */
  count(bytes: Uint8Array, length: number): number {
    const starts = this.#starts;
    const ranks = this.#ranks;
    const last = length - 1;
    for (let at = 0; at < last; at++) {
      starts[at] = at;
      ranks[at] = this.#rank(bytes, at, at + 2);
    }
    starts[last] = last;
    starts[length] = length;
    ranks[last] = NEVER;
    for (let parts = length; ;) {
      let lowest = NEVER;
      let best = 0;
      for (let at = 0; at < parts; at++) {
        if (ranks[at]! >= lowest) continue;
        lowest = ranks[at]!;
        best = at;
      }
      if (lowest === NEVER) return parts;
      parts--;
      for (let at = best + 1; at < parts; at++) {
        starts[at] = starts[at + 1]!;
        ranks[at] = ranks[at + 1]!;
      }
      starts[parts] = length;
      ranks[best] = best + 1 < parts ? this.#rank(bytes, starts[best]!, starts[best + 2]!) : NEVER;
      if (best > 0) ranks[best - 1] = this.#rank(bytes, starts[best - 1]!, starts[best + 1]!);
    }
  }

  #rank(bytes: Uint8Array, from: number, to: number): number {
    const rank = this.#vocabulary.rankOf(bytes, from, to);
    return rank === NO_RANK ? NEVER : rank;
  }
}
