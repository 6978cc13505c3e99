import type { Identifier } from '../../facts/index.js';

/**
 * Words, those most likely to be needed again first. Put in order only as far as they are drawn: a list of claims takes
 * a few hundred of thousands, and sorting them all was a fifth of what a run cost. Where two are needed alike, the
 * lower hash comes first, so that the order does not depend on how they came.
 */
export class MostNeeded {
  /** A binary heap in two columns: no word is needed less than the two below it. */
  readonly #words: Identifier[] = [];
  readonly #needs: number[] = [];
  #isHeap = false;

  /** Before the first is drawn. */
  add(word: Identifier, need: number): void {
    this.#words.push(word);
    this.#needs.push(need);
  }

  /** The most needed of those that are left; undefined when none is. */
  draw(): Identifier | undefined {
    if (!this.#isHeap) this.#heapify();
    const words = this.#words;
    const best = words[0];
    if (best === undefined) return undefined;
    const last = words.pop()!;
    const need = this.#needs.pop()!;
    if (words.length > 0) this.#sink(0, last, need);
    return best;
  }

  #heapify(): void {
    this.#isHeap = true;
    for (let at = (this.#words.length >> 1) - 1; at >= 0; at--)
      this.#sink(at, this.#words[at]!, this.#needs[at]!);
  }

  /** Finds the place of a word at or below `from`, whose own place is free. */
  #sink(from: number, word: Identifier, need: number): void {
    const words = this.#words;
    const needs = this.#needs;
    const { length } = words;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      let above = needs[child]!;
      if (child + 1 < length) {
        const other = needs[child + 1]!;
        if (other > above || (other === above && words[child + 1]!.hash < words[child]!.hash)) {
          child++;
          above = other;
        }
      }
      if (need > above || (need === above && word.hash < words[child]!.hash)) break;
      words[at] = words[child]!;
      needs[at] = above;
      at = child;
    }
    words[at] = word;
    needs[at] = need;
  }
}
