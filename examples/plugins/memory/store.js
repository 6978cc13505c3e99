// @ts-check
import { appendFile, mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A statement worth keeping, in its original words.
 *
 * @typedef {object} Fact
 * @property {string} text
 * @property {'user' | 'assistant'} by
 * @property {string} session
 * @property {string} message Id of the message that contains it.
 * @property {number} at Milliseconds since the epoch.
 */

/**
 * Facts in a file of JSON lines. The file is only appended to, and read again if another process has added to it. A
 * line that a crash cut off is skipped, and the next fact begins on a new line.
 */
export class FactStore {
  /** @type {string} */
  #file;
  /** @type {Map<string, Fact>} By their words, so that no fact is kept twice. */
  #facts = new Map();
  /** Bytes read so far; later bytes are new. */
  #read = 0;
  /** @type {Promise<unknown>} Reads and writes of this process, one after the other. */
  #last = Promise.resolve();

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
  }

  /** @returns {Promise<readonly Fact[]>} Oldest first. */
  all() {
    return this.#next(async () => {
      await this.#catchUp();
      return [...this.#facts.values()];
    });
  }

  /**
   * @param {readonly Fact[]} facts
   * @returns {Promise<number>} The number of new facts.
   */
  add(facts) {
    return this.#next(async () => {
      const torn = await this.#catchUp();
      const fresh = new Map();
      for (const fact of facts) {
        const key = keyOf(fact.text);
        if (!this.#facts.has(key) && !fresh.has(key)) fresh.set(key, fact);
      }
      if (fresh.size === 0) return 0;
      await mkdir(dirname(this.#file), { recursive: true });
      const lines = [...fresh.values()].map((fact) => `${JSON.stringify(fact)}\n`).join('');
      await appendFile(this.#file, torn ? `\n${lines}` : lines);
      await this.#catchUp();
      return fresh.size;
    });
  }

  /**
   * The facts that share words with a text, best match first; among equals the newest.
   *
   * @param {string} about
   * @returns {Promise<readonly Fact[]>}
   */
  async near(about) {
    const wanted = wordsOf(about);
    const facts = await this.all();
    /** @type {Map<string, number>} The number of facts with a word: rare words weigh more. */
    const seenIn = new Map();
    const words = facts.map(({ text }) => wordsOf(text));
    for (const set of words) for (const word of set) seenIn.set(word, (seenIn.get(word) ?? 0) + 1);
    const weigh = (/** @type {ReadonlySet<string>} */ set) => {
      let weight = 0;
      for (const word of set)
        if (wanted.has(word)) weight += Math.log(1 + facts.length / (seenIn.get(word) ?? 1));
      return weight;
    };
    return facts
      .map((fact, i) => ({ fact, i, weight: weigh(words[i] ?? new Set()) }))
      .sort((a, b) => b.weight - a.weight || b.i - a.i)
      .map(({ fact }) => fact);
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #next(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** @returns {Promise<boolean>} Whether the file ends within a line. */
  async #catchUp() {
    const text = await this.#rest();
    const end = text.lastIndexOf('\n') + 1;
    for (const line of text.slice(0, end).split('\n')) {
      const fact = factIn(line);
      if (fact) this.#facts.set(keyOf(fact.text), fact);
    }
    this.#read += Buffer.byteLength(text.slice(0, end));
    return end < text.length;
  }

  /** The text after the last whole line that was read. */
  async #rest() {
    let file;
    try {
      file = await open(this.#file);
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'ENOENT') return '';
      throw error;
    }
    try {
      const { size } = await file.stat();
      if (size <= this.#read) return size < this.#read ? await this.#again() : '';
      const bytes = Buffer.alloc(size - this.#read);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, this.#read);
      return bytes.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** Reads the whole file again, because it has become shorter. */
  async #again() {
    this.#facts.clear();
    this.#read = 0;
    return readFile(this.#file, 'utf8');
  }
}

/**
 * @param {string} line
 * @returns {Fact | undefined}
 */
function factIn(line) {
  try {
    const fact = JSON.parse(line);
    return typeof fact?.text === 'string' && typeof fact.session === 'string' ? fact : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} text */
const keyOf = (text) => text.toLowerCase().replaceAll(/\s+/g, ' ').trim();

/** @param {string} text */
const wordsOf = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}_./-]{3,}/gu) ?? []);
