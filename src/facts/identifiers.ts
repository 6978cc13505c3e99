import { shapeOf } from './need.js';

/** Where a word was met: decides what it is worth. */
export type Place = 'result' | 'call' | 'prose' | 'user' | 'system';

/** A distinctive word of a log: an identifier, path, id or number an agent may need again. */
export interface Identifier {
  /** 30-bit hash of the word. */
  readonly hash: number;
  /** Text it stands in and where: the word itself is cut out only when it is wanted. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** What its look says of how likely it is needed again; see `needOf`. */
  readonly shape: number;
  /** Log positions of the first and the newest message it stands in. */
  readonly first: number;
  readonly last: number;
  /** Place it was met first. */
  readonly origin: Place;
  /** Exchange whose tool result held it last; -1 where none did. */
  readonly source: number;
  /** Messages of each kind it stands in. */
  readonly results: number;
  readonly calls: number;
  readonly prose: number;
  readonly users: number;
  /** Newest call it stands in; -1 where none did. */
  readonly lastCall: number;
}

type Growing = { -readonly [K in keyof Identifier]: Identifier[K] } & { seen: number };

/** More are not kept: those that were met once, in output, longest ago, go first. */
const MOST = 24_000;
const LEFT_AFTER_PRUNING = 16_000;

/** Every distinctive word of a log with what tells how likely it is needed again. Grows with the log, up to a limit. */
export class IdentifierIndex {
  #byHash = new Map<number, Growing>();
  #text = '';
  #seq = 0;
  #exchange = 0;
  #place: Place = 'result';

  get size(): number {
    return this.#byHash.size;
  }

  all(): IterableIterator<Identifier> {
    return this.#byHash.values();
  }

  get(hash: number): Identifier | undefined {
    return this.#byHash.get(hash);
  }

  /** Says where the words that are met next stand. */
  enter(text: string, place: Place, seq: number, exchange: number): void {
    this.#text = text;
    this.#place = place;
    this.#seq = seq;
    this.#exchange = exchange;
  }

  meet(hash: number, start: number, end: number): void {
    const place = this.#place;
    let known = this.#byHash.get(hash);
    if (!known) {
      known = {
        hash,
        text: this.#text,
        start,
        end,
        shape: shapeOf(this.#text, start, end),
        first: this.#seq,
        last: -1,
        origin: place,
        source: -1,
        results: 0,
        calls: 0,
        prose: 0,
        users: 0,
        lastCall: -1,
        seen: -1,
      };
      if (this.#byHash.size >= MOST) this.#prune();
      this.#byHash.set(hash, known);
    }
    // One message counts once, however often it says a word.
    const isNew = known.seen !== this.#seq;
    known.seen = this.#seq;
    known.last = this.#seq;
    if (place === 'result') {
      if (isNew) known.results++;
      if (known.source !== this.#exchange) {
        known.source = this.#exchange;
        known.text = this.#text;
        known.start = start;
        known.end = end;
      }
    } else if (place === 'call') {
      if (isNew) known.calls++;
      known.lastCall = this.#seq;
    } else if (isNew && place === 'prose') known.prose++;
    else if (isNew && place === 'user') known.users++;
  }

  #prune(): void {
    const worth = (word: Growing): number => (word.calls + word.prose + word.users > 0 ? 1e9 : 0) + word.last;
    const kept = [...this.#byHash.values()].sort((a, b) => worth(b) - worth(a)).slice(0, LEFT_AFTER_PRUNING);
    this.#byHash = new Map(kept.map((word) => [word.hash, word]));
  }
}
