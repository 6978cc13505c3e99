/** Nobody introduced the word: it stood first in what the model wrote, or in a system message. */
export const NOBODY = -1;
/** The word was not in the table before. */
export const NEW = -2;

const FIRST_SLOTS = 1 << 7;

/**
 * Who introduced each word: an open-addressing table of two integers a slot, word hash and exchange number. It doubles
 * when two thirds are taken, so a distinct word costs 12 to 24 bytes once the table has grown; a Map of strings costs over 100.
 */
export class WordTable {
  #slots = new Int32Array(2 * FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** Enters a word under `exchange` unless it is known. Returns who introduced it before, or `NEW`. */
  claim(hash: number, exchange: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = hash & mask;
    for (;;) {
      const known = slots[2 * slot]!;
      if (known === hash) return slots[2 * slot + 1]!;
      if (known === 0) break;
      slot = (slot + 1) & mask;
    }
    slots[2 * slot] = hash;
    slots[2 * slot + 1] = exchange;
    if (++this.#size * 3 > mask * 2) this.#grow();
    return NEW;
  }

  #grow(): void {
    const old = this.#slots;
    const slots = new Int32Array(2 * old.length);
    const mask = 2 * this.#mask + 1;
    for (let i = 0; i < old.length; i += 2) {
      const hash = old[i]!;
      if (hash === 0) continue;
      let slot = hash & mask;
      while (slots[2 * slot] !== 0) slot = (slot + 1) & mask;
      slots[2 * slot] = hash;
      slots[2 * slot + 1] = old[i + 1]!;
    }
    this.#slots = slots;
    this.#mask = mask;
  }
}
