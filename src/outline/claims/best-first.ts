/**
 * Items best first, put in order only as far as they are read: a list of claims takes a few hundred of thousands of
 * words, and sorting them all was a fifth of what a run cost. Can be read again from the start. `ahead` must be total.
 */
export class BestFirst<T> implements Iterable<T> {
  readonly #drawn: T[] = [];
  /** A binary heap: no item is worse than the two below it. */
  readonly #heap: T[];
  readonly #ahead: (a: T, b: T) => boolean;

  constructor(items: T[], ahead: (a: T, b: T) => boolean) {
    this.#heap = items;
    this.#ahead = ahead;
    for (let at = (items.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let at = 0; ; at++) {
      if (at === this.#drawn.length && !this.#draw()) return;
      yield this.#drawn[at]!;
    }
  }

  #draw(): boolean {
    const heap = this.#heap;
    const best = heap[0];
    if (best === undefined) return false;
    this.#drawn.push(best);
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink(0);
    }
    return true;
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const item = heap[from]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.#ahead(heap[child + 1]!, heap[child]!)) child++;
      if (!this.#ahead(heap[child]!, item)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = item;
  }
}
