import type { Ranks } from './ranks.js';

/** No token has these bytes. */
export const NO_RANK = -1;

/**
 * Which token has which bytes. Told from the bytes where they lie, without a string or a slice for any of them; in
 * memory 4 MB for 200,000 tokens, which as strings in a Map took 40.
 */
export class Vocabulary {
  readonly #bytes: Uint8Array;
  /** Where the bytes of each rank begin; one more than there are ranks. */
  readonly #starts: Uint32Array;
  /** An open table: in the lower bits of a slot a rank plus one, in those above as many of its hash; 0 where free. */
  readonly #slots: Uint32Array;
  readonly #mask: number;
  readonly #rankBits: number;

  constructor({ lengths, bytes }: Ranks) {
    this.#bytes = bytes;
    this.#rankBits = bitsOf(lengths.length);
    this.#slots = new Uint32Array(2 ** (this.#rankBits + 1));
    this.#mask = this.#slots.length - 1;
    this.#starts = new Uint32Array(lengths.length + 1);
    for (let rank = 0, start = 0; rank < lengths.length; rank++) {
      const end = start + lengths[rank]!;
      if (end > start) this.#enter(rank, hashOf(bytes, start, end));
      this.#starts[rank + 1] = start = end;
    }
  }

  #enter(rank: number, hash: number): void {
    const slots = this.#slots;
    let slot = hash & this.#mask;
    while (slots[slot] !== 0) slot = (slot + 1) & this.#mask;
    slots[slot] = ((hash >>> this.#rankBits) << this.#rankBits) | (rank + 1);
  }

  /** Rank of the token that is these bytes: the lower, the sooner a pair is merged into it. `NO_RANK` where none is. */
  rankOf(text: Uint8Array, from: number, to: number): number {
    const slots = this.#slots;
    const bits = this.#rankBits;
    const hash = hashOf(text, from, to);
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const entry = slots[slot]!;
      if (entry === 0) return NO_RANK;
      if ((entry ^ hash) >>> bits !== 0) continue;
      const rank = (entry & ((1 << bits) - 1)) - 1;
      if (this.#is(rank, text, from, to)) return rank;
    }
  }

  #is(rank: number, text: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[rank]!;
    if (this.#starts[rank + 1]! - start !== to - from) return false;
    const bytes = this.#bytes;
    for (let at = from, own = start; at < to; at++, own++) if (text[at] !== bytes[own]) return false;
    return true;
  }
}

function bitsOf(count: number): number {
  return 32 - Math.clz32(count);
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
