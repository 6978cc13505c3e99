import type { Log, ReadonlyLog } from '../../transcript/index.js';

/** Where in a log stand messages that the client does not know. Counts what it knows, as if they were not there. */
export class HiddenMessages {
  readonly #log: Log;
  /** Of them, how many come before what of the log is at hand. */
  readonly before: number;
  readonly #places: number[] = [];
  #read: number;

  constructor(log: Log, before = 0) {
    this.#log = log;
    this.before = before;
    this.#read = log.base;
  }

  /** How many stand before this position of the log. */
  until(seq: number): number {
    this.#catchUp();
    const later = this.#places.findIndex((place) => place >= seq);
    return this.before + (later < 0 ? this.#places.length : later);
  }

  /** Where in the log the client's message of this number stands. */
  placeOf(known: number): number {
    this.#catchUp();
    let seq = known + this.before;
    for (const place of this.#places) {
      if (place > seq) break;
      seq++;
    }
    return seq;
  }

  #catchUp(): void {
    for (; this.#read < this.#log.length; this.#read++)
      if (isHidden(this.#log, this.#read)) this.#places.push(this.#read);
  }
}

const isHidden = (log: ReadonlyLog, seq: number): boolean => log.at(seq).unknownToClient === true;
