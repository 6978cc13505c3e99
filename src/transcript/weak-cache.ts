/** Entries of one generation; writing a key again counts again. */
const MAX_ENTRIES = 250_000;

/**
 * A WeakMap for values that can be recomputed. When a generation is full, entries that it neither read nor wrote are
 * dropped. V8 moves all entries of a WeakMap when it grows or shrinks a lot: 0.2 seconds for a million, and
 * beyond three million, when their hashes run out, minutes that block the process.
 */
export class WeakCache<Key extends object, Value extends {}> {
  #newer = new WeakMap<Key, Value>();
  #older = new WeakMap<Key, Value>();
  #remaining: number;

  constructor(private readonly maxEntries = MAX_ENTRIES) {
    this.#remaining = maxEntries;
  }

  /** The value of a key, which is then kept for another generation. */
  get(key: Key): Value | undefined {
    const known = this.#newer.get(key);
    if (known !== undefined) return known;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  /** Stores a value. If this generation is full, entries that were not used since it began are dropped. */
  set(key: Key, value: Value): void {
    if (--this.#remaining < 0) {
      this.#older = this.#newer;
      this.#newer = new WeakMap();
      this.#remaining = this.maxEntries - 1;
    }
    this.#newer.set(key, value);
  }
}
