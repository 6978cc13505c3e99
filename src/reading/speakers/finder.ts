/**
 * Finds words in one text, each search going on from the last: however often it is asked with rising positions, the
 * text is read once for each word.
 */
export class Finder {
  readonly #text: string;
  readonly #next = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** First place from `from` on where the words begin; infinity where there is none. */
  next(words: string, from: number): number {
    const known = this.#next.get(words);
    if (known !== undefined && known >= from) return known;
    const found = this.#text.indexOf(words, from);
    const at = found < 0 ? Infinity : found;
    this.#next.set(words, at);
    return at;
  }
}
