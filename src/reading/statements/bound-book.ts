import type { LogMessage } from '../../transcript/index.js';
import { joinedLines } from '../sentences.js';
import { aboutOf, bearsOn, enderOf } from './bound-ends.js';
import { boundsBySentence } from './bounds.js';
import type { Claim } from './claim.js';

/** More bounds are instructions to be read back, not bounds to be carried; the oldest go. */
const MOST_BOUNDS = 400;
/** Of one message, the last; or a single paste would push out all that was said before. */
const MOST_OF_ONE = 100;
/** Compared with a new sentence: the newest. It keeps a session of ten thousand bounds linear. */
const COMPARED = 200;

/** The bounds that users set, each in the sentence that set it, until words that name it end it. */
export class BoundBook {
  #bounds: Claim[] = [];
  /** Every sentence of the user is held against every bound that lives; each bound is read once. */
  readonly #read = new WeakMap<Claim, Read>();

  /** `words`: what the user said himself; `mayEnd`: they end bounds, and do not only stand beside them. */
  read({ seq, id }: LogMessage, words: string, mayEnd = true): void {
    const before = this.#bounds.length;
    for (const { sentence, bounds } of boundsBySentence(words)) {
      const isBound = bounds.length > 0;
      for (const text of isBound ? bounds : [joinedLines(sentence)]) {
        // What ends a bound says that it is gone: no bound of its own.
        const hasEnded = this.#end({ text, id }, isBound, mayEnd);
        if (isBound && !hasEnded) this.#bounds.push({ kind: 'constraint', status: 'live', text, seq, id });
      }
    }
    this.#bounds.splice(before, this.#bounds.length - before - MOST_OF_ONE);
    if (this.#bounds.length > MOST_BOUNDS) this.#bounds = this.#bounds.slice(-MOST_BOUNDS);
  }

  /** Oldest first. */
  get claims(): readonly Claim[] {
    return this.#bounds;
  }

  #end(said: { readonly text: string; readonly id: string }, isBound: boolean, mayEnd: boolean): boolean {
    const newer = said.text;
    let hasEnded = false;
    const plain = plainOf(newer);
    let bears: ReturnType<typeof bearsOn> | undefined;
    let ends: ReturnType<typeof enderOf> | undefined;
    for (let i = Math.max(0, this.#bounds.length - COMPARED); i < this.#bounds.length; i++) {
      const older = this.#bounds[i]!;
      if (older.status !== 'live') continue;
      // Said again, the newer sentence carries it on.
      const read = this.#readOf(older);
      const isRepeated = isBound && read.plain === plain;
      const isEnded = mayEnd && !isRepeated && (ends ??= enderOf(newer))(older.text, read.about);
      if (isRepeated || isEnded) this.#bounds[i] = { ...older, status: 'superseded', endedBy: newer };
      else if (!isBound && (bears ??= bearsOn(newer))(read.about))
        this.#bounds[i] = { ...older, later: said };
      hasEnded ||= isEnded;
    }
    return hasEnded;
  }

  #readOf(bound: Claim): Read {
    let read = this.#read.get(bound);
    if (!read) this.#read.set(bound, (read = { plain: plainOf(bound.text), about: aboutOf(bound.text) }));
    return read;
  }
}

interface Read {
  readonly plain: string;
  readonly about: ReadonlySet<string>;
}

function plainOf(sentence: string): string {
  return sentence
    .toLowerCase()
    .replace(/[\s.!,;:]+/g, ' ')
    .trim();
}
