import { wordsOfQuery, wordsOfText } from '../../stores/index.js';
import type { Passage } from './passages.js';

/** A passage, and how well it answers: larger is better. */
export interface Ranked {
  readonly passage: Passage;
  readonly score: number;
  /** What of it each word of the question gives. */
  readonly byWord: ReadonlyMap<string, number>;
}

interface RankRequest {
  readonly query: string;
  /** What the passage is the answer of: words of the call, '' where it is none. */
  readonly callOf: (passage: Passage) => string;
}

/** BM25 with the constants of its authors (Robertson and Zaragoza 2009). */
const K1 = 1.2;
const B = 0.75;
/** Rare words are names: raised to this the rarity tells them from the middling ones. Measured: docs/decisions/0030. */
const RARITY_POWER = 1.3;
/** What a word of the call counts beside one of the answer itself. */
const CALL_WEIGHT = 0.7;
/** Of the best passage of its message: what stands around an answer belongs to it. */
const MESSAGE_SHARE = 0.3;
/** What people and agents say decides; of two that match alike it comes before what a program printed. */
const TALK_WEIGHT = 1.1;
/** Of the rarity of its words: what a text that stands letter by letter as it was asked for gains. */
const LITERAL_WEIGHT = 0.5;
const MAX_LITERAL_CHARS = 300;
/** Pieces of a question that are meant letter by letter. */
const QUOTED = /["`“]([^"`”\n]{4,200})["`”]/gu;

/** Best first; the newer one of equals. Passages that hold no word of the question are left out. */
export function rankPassages(passages: readonly Passage[], { query, callOf }: RankRequest): Ranked[] {
  const words = wordsOfQuery(query);
  const counted = passages.map((passage) => ({ passage, counts: wordsOfText(passage.text) }));
  const lengths = counted.map(({ counts }) => sum(counts.values()));
  const mean = Math.max(1, sum(lengths) / Math.max(1, lengths.length));
  const weights = new Map<string, number>();
  for (const word of words) {
    const holders = counted.reduce((holding, { counts }) => holding + (counts.has(word) ? 1 : 0), 0);
    const rarity = Math.log(1 + (counted.length - holders + 0.5) / (holders + 0.5));
    weights.set(word, rarity ** RARITY_POWER);
  }
  const literals = literalsOf(query, weights);
  const callWords = remembered((text: string) => new Set(wordsOfText(text).keys()));
  const scored = counted.map(({ passage, counts }, i): Ranked => {
    const asked = callWords(callOf(passage));
    const damping = K1 * (1 - B + (B * lengths[i]!) / mean);
    const talk = isTalk(passage) ? TALK_WEIGHT : 1;
    const byWord = new Map<string, number>();
    for (const [word, weight] of weights) {
      const count = (counts.get(word) ?? 0) + (asked.has(word) ? CALL_WEIGHT : 0);
      if (count > 0) byWord.set(word, (talk * weight * count * (K1 + 1)) / (count + damping));
    }
    const score = sum(byWord.values()) + talk * literalScore(passage.text, literals);
    return { passage, score, byWord };
  });
  return withNeighbours(scored)
    .filter(({ score }) => score > 0)
    .sort(
      (a, b) =>
        b.score - a.score || b.passage.message.seq - a.passage.message.seq || a.passage.from - b.passage.from,
    );
}

function withNeighbours(scored: readonly Ranked[]): Ranked[] {
  const best = new Map<string, number>();
  for (const { passage, score } of scored) {
    const { id } = passage.message;
    best.set(id, Math.max(best.get(id) ?? 0, score));
  }
  return scored.map(({ passage, score, byWord }) => ({
    passage,
    byWord,
    score: score > 0 ? score + MESSAGE_SHARE * best.get(passage.message.id)! : 0,
  }));
}

interface Literal {
  readonly text: string;
  readonly weight: number;
}

/** The question itself where it is short, and what stands in quotation marks in it. */
function literalsOf(query: string, weights: ReadonlyMap<string, number>): Literal[] {
  const quoted = [...query.matchAll(QUOTED)].map(([, inside]) => inside!);
  const texts = query.length <= MAX_LITERAL_CHARS ? [query, ...quoted] : quoted;
  return texts.map((text) => {
    const rarities = wordsOfQuery(text).map((word) => weights.get(word) ?? 0);
    // A question of signs alone has no words, and is found by nothing else.
    return { text: text.toLowerCase(), weight: rarities.length > 0 ? LITERAL_WEIGHT * sum(rarities) : 1 };
  });
}

function literalScore(text: string, literals: readonly Literal[]): number {
  if (literals.length === 0) return 0;
  const folded = text.toLowerCase();
  return sum(literals.map((one) => (folded.includes(one.text) ? one.weight : 0)));
}

function isTalk({ message, part }: Passage): boolean {
  const { type } = message.parts[part]!;
  return type === 'text' && (message.role === 'user' || message.role === 'assistant');
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

function remembered<Value>(make: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = make(key)));
    return value;
  };
}
