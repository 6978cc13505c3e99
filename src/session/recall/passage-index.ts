import { headOf, mayBind, tailOf } from '../../text/reading/index.js';
import {
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
  /** Index of the part. */
  readonly part: number;
  /** Character positions in the message's text including secrets, from and to (exclusive). */
  readonly from: number;
  readonly to: number;
}

/** A passage with its score: larger is better. */
export interface Ranked {
  readonly passage: Passage;
  readonly score: number;
  /** How much the passage tells by its names and rare words, which decides whether it is worth bringing back. */
  readonly relevance: number;
  /** The part of the score that each word of the query gives; 0 for words that the passage does not contain. */
  readonly byWord: () => Float64Array;
}

interface IndexParts {
  readonly log: Log;
  /** Words including secrets; they are removed before anything is shown. */
  readonly wordsOf: (message: LogMessage) => MessageWords;
  /** Name and words of the call that a part answers; '' if it answers none. */
  readonly callOf: (message: LogMessage, part: Part) => { readonly name: string; readonly words: string };
}

/** Most characters of a call that count for the ranking of its answer. */
const CALL_CHARS = 300;
/** BM25 with the constants of its authors (Robertson and Zaragoza 2009). */
const K1 = 1.2;
const B = 0.75;
/** Rare words are names. This power of the rarity sets them apart from others. Measured: docs/decisions/0030. */
const RARITY_POWER = 1.3;
/** Weight of a word of the call, compared with a word of the answer itself. */
const CALL_WEIGHT = 0.7;
/** Weight of a word that the agent wrote before the call, which says why the call was made. */
const ANNOUNCED_WEIGHT = 0.3;
const ANNOUNCED_CHARS = 300;
/** Share of its message's best score that a passage gains, because text near an answer belongs to the answer. */
const MESSAGE_SHARE = 0.3;
/** Weight of text by people and agents: with equal matches it comes before program output, because it decides more. */
const TALK_WEIGHT = 1.1;
/** Counts are kept in tenths, in the low bits of a posting. */
const COUNT_BITS = 6;
const MAX_COUNT = 2 ** COUNT_BITS - 1;
/** How much a passage tells by one name, or, if it may be a rule of the user, by any equally rare word. */
const NAME_RELEVANCE = 2;
/** A word is rare if at most this many passages contain it, or at most this share of all passages. */
const RARE = { count: 2, share: 0.02 };
/** The same limits for names, which are distinctive with more holders than other words. */
const KNOWN_NAME = { count: 4, share: 0.02 };
const COMMON_SHARE = 0.1;
/** Most postings that one search walks, at 10 ns each. Beyond them are only the commonest words, which tell nothing. */
const MAX_WALKED = 800_000;
/** Most passages that are ranked in detail. */
const MAX_RANKED = 300;

/** A word of the log, or a name as it is written there, with its statistics. */
interface Word {
  /** Number of passages that contain the word, and the index of its newest posting. */
  holders: number;
  newest: number;
  /** The newest passage that contains the word, and how many times it does. */
  last: number;
  count: number;
  /** What the word counts in each passage of the current part without occurring in it. */
  bonus: number;
  /** The words by which the name is found. */
  words?: readonly Word[];
}

/** The passages of each word, in one list for all: most words are rare, and a list for each took most of the index. */
class Postings {
  /** Pairs: passage and count in one number, and the index of the previous pair of the same word. */
  #pairs = new Int32Array(2_048);
  #end = 2;

  add(word: Word, id: number, count: number): void {
    if (this.#end === this.#pairs.length) {
      const longer = new Int32Array(2 * this.#end);
      longer.set(this.#pairs);
      this.#pairs = longer;
    }
    this.#pairs[this.#end] = (id << COUNT_BITS) | Math.min(MAX_COUNT, Math.round(10 * count));
    this.#pairs[this.#end + 1] = word.newest;
    word.newest = this.#end;
    word.holders++;
    this.#end += 2;
  }

  /** Visits the passages that contain a word, newest first. */
  each({ newest }: Word, visit: (id: number, count: number) => void): void {
    for (let at = newest; at > 0; at = this.#pairs[at + 1]!)
      visit(this.#pairs[at]! >>> COUNT_BITS, (this.#pairs[at]! & MAX_COUNT) / 10);
  }
}

/** All passages of one log by their words. Grows with the log. */
export class PassageIndex {
  readonly #passages: Passage[] = [];
  readonly #lengths: number[] = [];
  readonly #isTalk: boolean[] = [];
  /** Whether the user may state a rule in the passage. */
  readonly #binds: boolean[] = [];
  readonly #byWord = new Map<string, Word>();
  readonly #postings = new Postings();
  #words = 0;
  #read = 0;
  /** Set while the index reads; concurrent callers wait for the same promise. */
  #reading: Promise<void> | undefined;
  /** Words that the agent wrote before the following calls. */
  #announced: readonly Word[] = [];

  constructor(private readonly parts: IndexParts) {}

  get log(): Log {
    return this.parts.log;
  }

  /** Number of passages that contain a word. */
  holders(word: string): number {
    return this.#byWord.get(word)?.holders ?? 0;
  }

  get size(): number {
    return this.#passages.length;
  }

  /** Reads the messages appended since. */
  async catchUp(): Promise<this> {
    while (this.#reading || this.#read < this.log.length)
      await (this.#reading ??= inSlices(this.#readOn()).finally(() => (this.#reading = undefined)));
    return this;
  }

  *#readOn(): Steps<void> {
    while (this.#read < this.log.length) yield* this.#add(this.log.at(this.#read++));
  }

  /** Best first, at most `MAX_RANKED`; of equals the newer first. */
  search(query: string, isEligible: (passage: Passage) => boolean): Ranked[] {
    const mean = Math.max(1, this.#words / Math.max(1, this.size));
    const asked = wordsOfQuery(query)
      .flatMap((word) => {
        const known = this.#byWord.get(word);
        return known?.holders ? [{ word, known, weight: this.#rarity(known.holders) }] : [];
      })
      .sort((a, b) => a.known.holders - b.known.holders);
    const scores = new Float64Array(this.size);
    const relevance = new Float64Array(this.size);
    let walked = 0;
    const used = asked.filter(({ known }, i) => (walked += known.holders) <= MAX_WALKED || i === 0);
    type Asked = (typeof used)[number];
    const walk = ({ known, weight }: Asked, visit: (id: number, worth: number) => void): void =>
      this.#postings.each(known, (id, count) => {
        const damping = K1 * (1 - B + (B * this.#lengths[id]!) / mean);
        const talk = this.#isTalk[id]! ? TALK_WEIGHT : 1;
        visit(id, (talk * weight * count * (K1 + 1)) / (count + damping));
      });
    for (const one of used) {
      const { holders } = one.known;
      const wordRelevance = relevanceOf(one.word, holders, this.size);
      const ruleRelevance = holders <= KNOWN_NAME.count ? NAME_RELEVANCE : wordRelevance;
      walk(one, (id, worth) => {
        scores[id]! += worth;
        relevance[id]! += this.#binds[id]! ? ruleRelevance : wordRelevance;
      });
    }
    const best = bestOf(scores, (id) => isEligible(this.#passages[id]!));
    const byMessage = new Map<LogMessage, number>();
    for (const id of best) {
      const { message } = this.#passages[id]!;
      byMessage.set(message, Math.max(byMessage.get(message) ?? 0, scores[id]!));
    }
    let known: readonly Float64Array[] | undefined;
    const byWord = (): readonly Float64Array[] => {
      // The first row takes all passages that are not among the best.
      const rows = [0, ...best].map(() => new Float64Array(used.length));
      const rowOf = new Uint16Array(this.size);
      best.forEach((id, row) => (rowOf[id] = row + 1));
      used.forEach((one, at) => walk(one, (id, worth) => (rows[rowOf[id]!]![at] = worth)));
      return rows;
    };
    return best
      .map((id, row): Ranked => {
        const passage = this.#passages[id]!;
        const score = scores[id]! + MESSAGE_SHARE * byMessage.get(passage.message)!;
        return { passage, score, relevance: relevance[id]!, byWord: () => (known ??= byWord())[row + 1]! };
      })
      .sort((a, b) => b.score - a.score || b.passage.id - a.passage.id);
  }

  /** How much a word tells if so many passages contain it. */
  #rarity(holders: number): number {
    return Math.log(1 + (this.size - holders + 0.5) / (holders + 0.5)) ** RARITY_POWER;
  }

  *#add(message: LogMessage): Steps<void> {
    // A message of recall is a quotation, and would be found before the text that it quotes.
    if (message.label === 'recalled') return;
    const { text, parts } = this.parts.wordsOf(message);
    for (const { index, part, from, to } of parts) {
      const call = this.parts.callOf(message, part);
      if (isRecallCall(part) || isRecallAnswer(part, call.name)) continue;
      const talk = part.type === 'text' && (message.role === 'user' || message.role === 'assistant');
      if (talk)
        this.#announced =
          message.role === 'user'
            ? []
            : wordsOfText(tailOf(text.slice(from, to), ANNOUNCED_CHARS)).map(this.#word);
      const context = talk ? [] : this.#contextWords(call.words);
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
        for (const word of held) this.#postings.add(word, passage.id, word.count + word.bonus);
        for (const word of context)
          if (word.last !== passage.id) this.#postings.add(word, passage.id, word.bonus);
        this.#lengths.push(length);
        this.#words += length;
        yield;
      }
      for (const word of context) word.bonus = 0;
    }
  }

  readonly #word = (word: string): Word => {
    let known = this.#byWord.get(word);
    if (!known) this.#byWord.set(word, (known = { holders: 0, newest: 0, last: -1, count: 0, bonus: 0 }));
    return known;
  };

  /** Words that count for a call or a result without occurring in it. */
  #contextWords(call: string): readonly Word[] {
    const called = wordsOfText(headOf(call, CALL_CHARS)).map(this.#word);
    for (const word of this.#announced) word.bonus = ANNOUNCED_WEIGHT;
    for (const word of called) word.bonus = CALL_WEIGHT;
    return [...new Set([...this.#announced, ...called])];
  }
}

/** How much a passage tells by one word. */
function relevanceOf(word: string, holders: number, size: number): number {
  const isBelow = ({ count, share }: typeof RARE): boolean => holders <= Math.max(count, share * size);
  if (isName(word) && word.length > 3 && isBelow(KNOWN_NAME)) return NAME_RELEVANCE;
  if (isBelow(RARE)) return 1;
  return holders <= COMMON_SHARE * size ? 0.4 : 0;
}

/** Ids of the best scores, by a histogram: sorting a hundred thousand takes longer than the search. */
function bestOf(scores: Float64Array, isEligible: (id: number) => boolean): number[] {
  const ids: number[] = [];
  let top = 0;
  for (let id = 0; id < scores.length; id++)
    if (scores[id]! > 0 && isEligible(id)) {
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
