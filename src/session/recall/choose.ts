import { remembered } from '../../spi/index.js';
import { isHostLine } from '../../text/reading/index.js';
import { textOf, type Part, type ViewMessage } from '../../transcript/index.js';
import type { Passage, Ranked } from './passage-index.js';
import { LINE_NUMBER } from './passages.js';

/* Chooses the passages of a ranking that are worth their room. */

/** Factor of a word's worth each time that a passage with it was taken. Measured: docs/decisions/0030. */
const REPEAT_FACTOR = 0.9;
/** Number of passages that are compared with each other; no later one was ever wanted. */
const MAX_WEIGHED = 150;
/** Gain of a passage that contains the query letter by letter, as a share of its score. */
const LITERAL_WEIGHT = 0.5;
const MAX_LITERAL_CHARS = 300;
/** Quoted pieces of a query, which are searched letter by letter. */
const QUOTED = /["`“]([^"`”\n]{4,200})["`”]/gu;
/** If more than this share of a passage's lines is known, the passage is not new. */
const MAX_KNOWN_SHARE = 0.7;
/** A passage that scores below this share of the best one matched by chance. */
export const MIN_OF_BEST = 0.35;
/** Shorter lines, such as a bracket, occur everywhere. */
const MIN_LINE_CHARS = 9;
/** Confirmations by tools and announcements by agents. A short text of this kind tells nothing. */
const BARE =
  /^\W{0,5}(?:(?:the )?(?:file|todos?|edit|change)s?\b.{0,100}\b(?:updated|created|written|modified|applied|edited|saved)\b|(?:ok|okay|done|success(?:fully)?)\b|(?:let me|now let|now i|i'll|i will|next,? i)\b)/i;
const BARE_CHARS = 220;

/**
 * Yields the best passage, then the best in addition to it: words that were answered count less, so that other words
 * are answered too. Worth only falls, so only the passage with the highest last known worth has to be weighed again.
 */
export function* spread(ranked: readonly Ranked[]): Iterable<Ranked> {
  const waiting = ranked
    .slice(0, MAX_WEIGHED)
    .map((one, at) => ({ one, at, worth: one.score, weighedAt: 0 }));
  /** The remaining share of each word's worth. */
  const shares: number[] = [];
  for (let taken = 0; waiting.length > 0;) {
    const best = waiting.shift()!;
    const { one, at } = best;
    const byWord = one.byWord();
    if (best.weighedAt === taken) {
      taken++;
      byWord.forEach((of, word) => (shares[word] = (of > 0 ? REPEAT_FACTOR : 1) * (shares[word] ?? 1)));
      yield { ...one, score: best.worth };
      continue;
    }
    let worth = one.score;
    byWord.forEach((of, word) => (worth -= of * (1 - (shares[word] ?? 1))));
    Object.assign(best, { worth, weighedAt: taken });
    const behind = waiting.findIndex((next) => next.worth < worth || (next.worth === worth && next.at > at));
    waiting.splice(behind < 0 ? waiting.length : behind, 0, best);
  }
}

/** Yields the best of each ranking, then the next of each, until all are too low; no passage comes twice. */
export function* inTurns(
  rankings: readonly Iterable<Ranked>[],
  isTooLow: (one: Ranked) => boolean,
): Iterable<Ranked> {
  const given = new Set<Passage>();
  let left = rankings.map((ranked) => ranked[Symbol.iterator]());
  while (left.length > 0) {
    const next = left.flatMap((ranked) => {
      const { done, value } = ranked.next();
      return done === true || isTooLow(value) ? [] : [{ ranked, one: value }];
    });
    left = next.map(({ ranked }) => ranked);
    for (const { one } of next) {
      if (given.has(one.passage)) continue;
      given.add(one.passage);
      yield one;
    }
  }
}

/** Yields all passages once one of them tells enough: an answer is rarely in a single one (docs/decisions/0030). */
export function* ifRelevant(ranked: Iterable<Ranked>, isEnough: (one: Ranked) => boolean): Iterable<Ranked> {
  let waiting: Ranked[] | undefined = [];
  for (const one of ranked) {
    waiting?.push(one);
    if (waiting && !isEnough(one)) continue;
    yield* waiting ?? [one];
    waiting = undefined;
  }
}

export function* filtered<One>(all: Iterable<One>, keeps: (one: One, at: number) => boolean): Iterable<One> {
  let at = 0;
  for (const one of all) if (keeps(one, at++)) yield one;
}

/**
 * The same ranking, with a gain for passages that contain the query letter by letter. `rawOf` is quicker than `textOf`,
 * which removes secrets.
 */
export function withLiterals(
  ranked: readonly Ranked[],
  query: string,
  rawOf: (one: Ranked) => string,
  textOf: (one: Ranked) => string,
): readonly Ranked[] {
  const quoted = [...query.matchAll(QUOTED)].map(([, inside]) => inside!);
  const literals = query.length <= MAX_LITERAL_CHARS ? [query, ...quoted] : quoted;
  if (literals.length === 0) return ranked;
  const folded = literals.map((text) => text.toLowerCase());
  const isIn = (text: string): boolean => {
    const lower = text.toLowerCase();
    return folded.some((literal) => lower.includes(literal));
  };
  const gained = ranked
    .slice(0, MAX_WEIGHED)
    .map((one) =>
      isIn(rawOf(one)) && isIn(textOf(one)) ? { ...one, score: one.score * (1 + LITERAL_WEIGHT) } : one,
    );
  return gained.sort((a, b) => b.score - a.score);
}

/** Known lines, to recognise passages that consist of them. */
export class KnownLines {
  readonly #lines = new Set<string>();

  constructor(view: readonly ViewMessage[]) {
    for (const { message } of view) for (const part of message.parts) this.#take(linesOfPart(part));
  }

  /** Whether most lines of a text are known, and the line with most of these words too; if not, adds its lines. */
  knowsOrAdds(text: string, words: readonly string[]): boolean {
    const lines = linesOf(text);
    // A text of only short lines counts as one line.
    if (lines.length === 0) lines.push(text.trim());
    const old = lines.filter((line) => this.#lines.has(line)).length;
    if (old > MAX_KNOWN_SHARE * lines.length) {
      const asked = lineWithMost(words, lines);
      if (asked === undefined || this.#lines.has(asked)) return true;
    }
    this.#take(lines);
    return false;
  }

  #take(lines: readonly string[]): void {
    for (const line of lines) this.#lines.add(line);
  }
}

/** The line that contains most of the words; undefined if no line contains any. */
function lineWithMost(words: readonly string[], lines: readonly string[]): string | undefined {
  let best: string | undefined;
  let most = 0;
  for (const line of lines) {
    const lower = line.toLowerCase();
    const held = words.reduce((sum, word) => sum + (lower.includes(word) ? 1 : 0), 0);
    if (held > most) [best, most] = [line, held];
  }
  return best;
}

/** Durations differ from run to run. */
const DURATION = /\b\d+(?:\.\d+)? ?m?s(?:ec(?:onds?)?)?\b/g;

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(LINE_NUMBER, '').replace(/^> /, '').replaceAll(DURATION, '…').trim())
    .filter((line) => line.length >= MIN_LINE_CHARS && !isHostLine(line));
}

/** Remembered, because the view changes little from search to search. */
const linesOfPart = remembered((part: Part) => linesOf(textOf(part)));

/** Whether a text only announces or confirms. */
export const isBare = (text: string): boolean => text.length <= BARE_CHARS && BARE.test(text);
