import { headOf, mayBind, tailOf } from '../../text/reading/index.js';
import {
  firstAtLeast,
  isRecallAnswer,
  isRecallCall,
  type Log,
  type LogMessage,
  type Part,
  type Steps,
} from '../../transcript/index.js';
import { inSlices } from '../slices.js';
import type { MessageWords } from './log-words.js';
import { cutsOf } from './passages.js';
import { isName, namesOf, wordsOfName, wordsOfQuery, wordsOfText } from './words.js';

/** A piece of a message's words. */
export interface Passage {
  readonly id: number;
  readonly message: LogMessage;
  /** Index of its part. */
  readonly part: number;
  /** Characters of the message's text, secrets included, from and to (exclusive). */
  readonly from: number;
  readonly to: number;
}

/** A passage, and how well it answers: larger is better. */
export interface Ranked {
  readonly passage: Passage;
  readonly score: number;
  /** What it tells by its names and rare words: whether it is worth bringing back. */
  readonly told: number;
  /** What of the score each word of the question gives. */
  readonly byWord: () => ReadonlyMap<string, number>;
}

interface IndexParts {
  readonly log: Log;
  /** With the secrets in it: what is shown is cleaned then. */
  readonly wordsOf: (message: LogMessage) => MessageWords;
  /** Words of the call that a part answers; '' where it answers none. */
  readonly callOf: (message: LogMessage, part: Part) => { readonly name: string; readonly words: string };
}

/** Of a call, for the ranking of its answer. */
const CALL_CHARS = 300;
/** BM25 with the constants of its authors (Robertson and Zaragoza 2009). */
const K1 = 1.2;
const B = 0.75;
/** Rare words are names: raised to this the rarity tells them from the middling ones. Measured: docs/decisions/0030. */
const RARITY_POWER = 1.3;
/** What a word of the call counts beside one of the answer itself. */
const CALL_WEIGHT = 0.7;
/** What a word counts that the agent said before the call: it says why the call was made. */
const SAID_WEIGHT = 0.3;
const SAID_CHARS = 300;
/** Of the best passage of its message: what stands around an answer belongs to it. */
const MESSAGE_SHARE = 0.3;
/** What people and agents say decides; of two that match alike it comes before what a program printed. */
const TALK_WEIGHT = 1.1;
/** Counts are kept in tenths, in the low bits of a posting. */
const COUNT_BITS = 6;
const MAX_COUNT = 2 ** COUNT_BITS - 1;
/** What a passage tells by one name; and one that may be a rule of the user's, by any word that is as rare. */
const NAME_TELLS = 2;
/** A word that more passages hold than these is rare no more: so many, or this share of all. */
const RARE = { count: 2, share: 0.02 };
/** A name is told apart by less. */
const KNOWN_NAME = { count: 4, share: 0.02 };
const COMMON_SHARE = 0.1;
/** Postings that one search walks; of more words the commonest tell nothing. At 10 ns each. */
const MAX_WALKED = 800_000;
/** Passages that are looked at closer. */
const MAX_RANKED = 300;

/** A word of the log, or a name as it is written there: most come again and again. */
interface Word {
  /** Passage and count, in one number, in order of the log. */
  readonly postings: number[];
  /** The newest passage that holds it, and how often. */
  last: number;
  count: number;
  /** What the name is found by. */
  words?: readonly Word[];
}

/** All passages of one log by their words: grows as the log does. */
export class PassageIndex {
  readonly #passages: Passage[] = [];
  readonly #lengths: number[] = [];
  readonly #isTalk: boolean[] = [];
  /** Whether the user may set a bound in it. */
  readonly #binds: boolean[] = [];
  readonly #byWord = new Map<string, Word>();
  #words = 0;
  #read = 0;
  /** While it reads: whoever asks meanwhile waits for the same. */
  #reading: Promise<void> | undefined;
  /** Words of the agent before the calls that follow. */
  #said: readonly string[] = [];

  constructor(private readonly of: IndexParts) {}

  get log(): Log {
    return this.of.log;
  }

  /** Passages that hold a word, and how many there are. */
  holders(word: string): number {
    return this.#byWord.get(word)?.postings.length ?? 0;
  }

  get size(): number {
    return this.#passages.length;
  }

  /** Reads what was appended since. */
  async caughtUp(): Promise<this> {
    while (this.#reading || this.#read < this.log.length)
      await (this.#reading ??= inSlices(this.#readOn()).finally(() => (this.#reading = undefined)));
    return this;
  }

  *#readOn(): Steps<void> {
    while (this.#read < this.log.length) yield* this.#add(this.log.at(this.#read++));
  }

  /** Best first, at most `MAX_RANKED`; the newer one of equals. */
  search(query: string, isMeant: (passage: Passage) => boolean): Ranked[] {
    const mean = Math.max(1, this.#words / Math.max(1, this.size));
    const asked = wordsOfQuery(query)
      .flatMap((word) => {
        const postings = this.#byWord.get(word)?.postings;
        return postings?.length ? [{ word, postings, weight: this.#rarity(postings.length) }] : [];
      })
      .sort((a, b) => a.postings.length - b.postings.length);
    const scores = new Float64Array(this.size);
    const told = new Float64Array(this.size);
    let walked = 0;
    const used = asked.filter(({ postings }, i) => {
      walked += postings.length;
      return i === 0 || walked <= MAX_WALKED;
    });
    const worth = (posting: number, weight: number): number => {
      const id = posting >>> COUNT_BITS;
      const count = (posting & MAX_COUNT) / 10;
      const damping = K1 * (1 - B + (B * this.#lengths[id]!) / mean);
      return ((this.#isTalk[id]! ? TALK_WEIGHT : 1) * weight * count * (K1 + 1)) / (count + damping);
    };
    for (const { word, postings, weight } of used) {
      const tells = whatTells(word, postings.length, this.size);
      const tellsOfRule = postings.length <= KNOWN_NAME.count ? NAME_TELLS : tells;
      for (const posting of postings) {
        const id = posting >>> COUNT_BITS;
        scores[id]! += worth(posting, weight);
        told[id]! += this.#binds[id]! ? tellsOfRule : tells;
      }
    }
    const best = bestOf(scores, (id) => isMeant(this.#passages[id]!));
    const byMessage = new Map<LogMessage, number>();
    for (const id of best) {
      const { message } = this.#passages[id]!;
      byMessage.set(message, Math.max(byMessage.get(message) ?? 0, scores[id]!));
    }
    const byWord = (id: number): ReadonlyMap<string, number> =>
      new Map(
        used.flatMap(({ word, postings, weight }) => {
          const posting = postings[firstAtLeast(postings, id << COUNT_BITS, (one) => one)];
          const isHeld = posting !== undefined && posting >>> COUNT_BITS === id;
          return isHeld ? [[word, worth(posting, weight)] as const] : [];
        }),
      );
    return best
      .map((id): Ranked => {
        const passage = this.#passages[id]!;
        const score = scores[id]! + MESSAGE_SHARE * byMessage.get(passage.message)!;
        let known: ReadonlyMap<string, number> | undefined;
        return { passage, score, told: told[id]!, byWord: () => (known ??= byWord(id)) };
      })
      .sort((a, b) => b.score - a.score || b.passage.id - a.passage.id);
  }

  /** What a word tells that so many passages hold. */
  #rarity(holders: number): number {
    return Math.log(1 + (this.size - holders + 0.5) / (holders + 0.5)) ** RARITY_POWER;
  }

  *#add(message: LogMessage): Steps<void> {
    // What recall brought back is a quotation, and would be found before what it quotes.
    if (message.label === 'recalled') return;
    const { text, parts } = this.of.wordsOf(message);
    for (const { index, part, from, to } of parts) {
      const call = this.of.callOf(message, part);
      if (isRecallCall(part) || isRecallAnswer(part, call.name)) continue;
      const talk = part.type === 'text' && (message.role === 'user' || message.role === 'assistant');
      if (talk)
        this.#said = message.role === 'user' ? [] : wordsOfText(tailOf(text.slice(from, to), SAID_CHARS));
      const beside = talk ? new Map<Word, number>() : this.#wordsBeside(call.words);
      for (const [start, end] of cutsOf(text, from, to)) {
        const passage = { id: this.size, message, part: index, from: start, to: end };
        this.#passages.push(passage);
        this.#isTalk.push(talk);
        this.#binds.push(talk && message.role === 'user' && mayBind(text.slice(start, end)));
        let length = 0;
        const held: Word[] = [];
        for (const name of namesOf(text.slice(start, end)))
          for (const word of (this.#word(name).words ??= wordsOfName(name).map(this.#word))) {
            if (word.last !== passage.id) {
              word.last = passage.id;
              word.count = 0;
              held.push(word);
            }
            word.count++;
            length++;
          }
        for (const word of held) post(word, passage.id, word.count + (beside.get(word) ?? 0));
        for (const [word, weight] of beside) if (word.last !== passage.id) post(word, passage.id, weight);
        this.#lengths.push(length);
        this.#words += length;
        yield;
      }
    }
  }

  readonly #word = (word: string): Word => {
    let known = this.#byWord.get(word);
    if (!known) this.#byWord.set(word, (known = { postings: [], last: -1, count: 0 }));
    return known;
  };

  /** Words that count for a call or a result without being in it, and what each counts. */
  #wordsBeside(call: string): ReadonlyMap<Word, number> {
    return new Map([
      ...this.#said.map((word) => [this.#word(word), SAID_WEIGHT] as const),
      ...wordsOfText(headOf(call, CALL_CHARS)).map((word) => [this.#word(word), CALL_WEIGHT] as const),
    ]);
  }
}

/** What a passage tells by one word. */
function whatTells(word: string, holders: number, size: number): number {
  const isBelow = ({ count, share }: typeof RARE): boolean => holders <= Math.max(count, share * size);
  if (isName(word) && word.length > 3 && isBelow(KNOWN_NAME)) return NAME_TELLS;
  if (isBelow(RARE)) return 1;
  return holders <= COMMON_SHARE * size ? 0.4 : 0;
}

function post({ postings }: Word, id: number, count: number): void {
  postings.push((id << COUNT_BITS) | Math.min(MAX_COUNT, Math.round(10 * count)));
}

/** Ids of the best scores, in no order. By a histogram: a sort of a hundred thousand takes longer than the search. */
function bestOf(scores: Float64Array, isMeant: (id: number) => boolean): number[] {
  const ids: number[] = [];
  let top = 0;
  for (let id = 0; id < scores.length; id++)
    if (scores[id]! > 0 && isMeant(id)) {
      ids.push(id);
      top = Math.max(top, scores[id]!);
    }
  if (ids.length <= MAX_RANKED) return ids;
  const bin = (id: number): number => Math.min(999, Math.floor((1_000 * scores[id]!) / top));
  const counts = new Uint32Array(1_000);
  for (const id of ids) counts[bin(id)]!++;
  let least = 999;
  for (let sum = counts[999]!; least > 0 && sum < MAX_RANKED;) sum += counts[--least]!;
  return ids
    .filter((id) => bin(id) >= least)
    .sort((a, b) => scores[b]! - scores[a]! || b - a)
    .slice(0, MAX_RANKED);
}
