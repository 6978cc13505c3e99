/** What one generation takes in; a key that is written anew counts again. */
const MOST = 250_000;

/**
 * A WeakMap for what can be made again: beyond so many entries those that nobody asked for are forgotten. V8 moves all
 * entries of a WeakMap at once when it grows or loses many: 0.2 seconds at a million of them, and from three million on,
 * where their hashes run out, minutes in which nothing else is done.
 */
export class WeakCache<Key extends object, Value extends {}> {
  #newer = new WeakMap<Key, Value>();
  #older = new WeakMap<Key, Value>();
  #left: number;

  constructor(private readonly most = MOST) {
    this.#left = most;
  }

  /** What was kept of a key, which is then kept for another generation. */
  get(key: Key): Value | undefined {
    const known = this.#newer.get(key);
    if (known !== undefined) return known;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  /** Keeps it; what nobody asked for since the last generation began goes, where this one is full. */
  set(key: Key, value: Value): void {
    if (--this.#left < 0) {
      this.#older = this.#newer;
      this.#newer = new WeakMap();
      this.#left = this.most - 1;
    }
    this.#newer.set(key, value);
  }
}
