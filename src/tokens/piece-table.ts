const FIRST_SLOTS = 1 << 12;
/** Most pieces in a table: 3 MB. Agent sessions of 4 million characters have about as many. */
const MAX_SLOTS = 1 << 18;
/** A slot: two hashes and the count, which is stored plus one so that no used slot is all zero. */
const SLOT = 3;

/**
 * Token counts by piece of text, without the text: a Map of slices kept whole texts alive and spent most time on making
 * the slices. A piece is identified by 64 bits of hash, so one in 10^13 lookups may be wrong.
 */
export class PieceTable {
  #slots = new Int32Array(SLOT * FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #size = 0;
  /** Slot and hashes of the piece that was looked up last, present or not. */
  #slot = 0;
  #first = 0;
  #second = 0;

  /** Tokens of `text` from `start` to `end`; -1 if unknown. */
  find(text: string, start: number, end: number): number {
    let first = 0x811c9dc5 | 0;
    let second = end - start;
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at);
      first = Math.imul(first ^ unit, 0x01000193);
      second = Math.imul(second + unit, 0x5bd1e995);
      second ^= second >>> 15;
    }
    first ^= first >>> 15;
    const slots = this.#slots;
    let slot = (first ^ second) & this.#mask;
    for (; ; slot = (slot + 1) & this.#mask) {
      const base = SLOT * slot;
      const stored = slots[base + 2]!;
      if (stored === 0) break;
      if (slots[base] === first && slots[base + 1] === second) return stored - 1;
    }
    this.#slot = slot;
    this.#first = first;
    this.#second = second;
    return -1;
  }

  /** Adds the piece that `find` has just not found. */
  enter(tokens: number): void {
    const base = SLOT * this.#slot;
    this.#slots[base] = this.#first;
    this.#slots[base + 1] = this.#second;
    this.#slots[base + 2] = tokens + 1;
    if (++this.#size * 3 > this.#mask * 2) this.#grow();
  }

  /** Doubles the table; at its limit it starts over, which is cheaper than tracking age. */
  #grow(): void {
    const old = this.#slots;
    const slots = 2 * (this.#mask + 1);
    this.#size = 0;
    if (slots > MAX_SLOTS) {
      old.fill(0);
      return;
    }
    this.#slots = new Int32Array(SLOT * slots);
    this.#mask = slots - 1;
    for (let base = 0; base < old.length; base += SLOT) {
      const tokens = old[base + 2]! - 1;
      if (tokens < 0) continue;
      this.#first = old[base]!;
      this.#second = old[base + 1]!;
      this.#slot = (this.#first ^ this.#second) & this.#mask;
      while (this.#slots[SLOT * this.#slot + 2] !== 0) this.#slot = (this.#slot + 1) & this.#mask;
      this.enter(tokens);
    }
  }
}
