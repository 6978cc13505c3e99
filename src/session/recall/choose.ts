import { textOf, type ViewMessage } from '../../transcript/index.js';
import { isHostLine } from '../../text/reading/index.js';
import type { Passage, Ranked } from './passage-index.js';
import { LINE_NUMBER } from './passages.js';

/* Which passages of a ranking are worth their room. */

/** What a word counts the next time, when it stood in a passage that was taken. Measured: docs/decisions/0030. */
const AGAIN = 0.9;
/** Passages that are weighed against each other; behind them none was ever wanted. */
const MAX_WEIGHED = 150;
/** Of a passage its words' worth: what a text that stands letter by letter as it was asked for gains. */
const LITERAL_WEIGHT = 0.5;
const MAX_LITERAL_CHARS = 300;
/** Pieces of a question that are meant letter by letter. */
const QUOTED = /["`“]([^"`”\n]{4,200})["`”]/gu;
/** Of the lines of a passage; beyond, it says nothing that was not said. */
const MAX_KNOWN_SHARE = 0.7;
/** A worse passage beside the best one is there by chance. */
const LEAST_OF_BEST = 0.35;
/** A shorter line, a bracket, stands everywhere. */
const MIN_LINE_CHARS = 9;
/** What a tool says of a change, and what an agent says before a call: a short text of it tells nothing by itself. */
const BARE =
  /^\W{0,5}(?:(?:the )?(?:file|todos?|edit|change)s?\b.{0,100}\b(?:updated|created|written|modified|applied|edited|saved)\b|(?:ok|okay|done|success(?:fully)?)\b|(?:let me|now let|now i|i'll|i will|next,? i)\b)/i;
const BARE_CHARS = 220;

/**
 * Takes the best, then what is best beside it: words that were answered count less, so that others come to be answered.
 * Worth only falls, so the passage that was worth most when it was last weighed is weighed anew, and no other.
 */
export function* spread(ranked: readonly Ranked[]): Iterable<Ranked> {
  const waiting = ranked.slice(0, MAX_WEIGHED).map((one) => ({ one, worth: one.score, weighedAt: 0 }));
  let taken = 0;
  const times = new Map<string, number>();
  while (waiting.length > 0) {
    const at = waiting.reduce((best, { worth }, i) => (worth > waiting[best]!.worth ? i : best), 0);
    const best = waiting[at]!;
    const { one, worth, weighedAt } = best;
    if (weighedAt < taken) {
      let lost = 0;
      for (const [word, of] of one.byWord) lost += of * (1 - AGAIN ** (times.get(word) ?? 0));
      Object.assign(best, { worth: one.score - lost, weighedAt: taken });
      continue;
    }
    waiting.splice(at, 1);
    taken++;
    for (const word of one.byWord.keys()) times.set(word, (times.get(word) ?? 0) + 1);
    yield { ...one, score: worth };
  }
}

/** Of several rankings the best of each, then the next of each; what stands in two comes once. */
export function* inTurns(rankings: readonly Iterable<Ranked>[]): Iterable<Ranked> {
  const given = new Set<Passage>();
  let left = rankings.map((ranked) => ranked[Symbol.iterator]());
  while (left.length > 0) {
    const next = left.map((ranked) => ranked.next());
    left = left.filter((_, i) => next[i]!.done !== true);
    for (const { done, value } of next) {
      if (done === true || given.has(value.passage)) continue;
      given.add(value.passage);
      yield value;
    }
  }
}

/** Where one passage tells enough, all that are near the best may come: an answer is rarely in one (docs/decisions/0030). */
export function* nearBest(ranked: Iterable<Ranked>, tells: (one: Ranked) => boolean): Iterable<Ranked> {
  let least: number | undefined;
  let waiting: Ranked[] | undefined = [];
  for (const one of ranked) {
    least ??= LEAST_OF_BEST * one.score;
    if (one.score < least) continue;
    waiting?.push(one);
    if (waiting && !tells(one)) continue;
    yield* waiting ?? [one];
    waiting = undefined;
  }
}

export function* filtered<One>(all: Iterable<One>, keeps: (one: One, at: number) => boolean): Iterable<One> {
  let at = 0;
  for (const one of all) if (keeps(one, at++)) yield one;
}

/**
 * The same with what stands letter by letter as it was asked for before what holds its words. `rawOf` is quicker than `textOf`, which
 * takes secrets out.
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

/** Lines that stand somewhere already, and passages that are made of them. */
export class KnownLines {
  readonly #lines = new Set<string>();

  constructor(view: readonly ViewMessage[]) {
    for (const { message } of view) for (const part of message.parts) this.#take(linesOf(textOf(part)));
  }

  /** Whether most of a text stands there, and the line with most of these words; if not, it does from now on. */
  holds(text: string, words: readonly string[] = []): boolean {
    const lines = linesOf(text);
    // Nothing but short lines: then all of it is one.
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

/** The line that holds most of some words; none where none holds any. */
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

/** A run takes another time each time. */
const DURATION = /\b\d+(?:\.\d+)? ?m?s(?:ec(?:onds?)?)?\b/g;

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(LINE_NUMBER, '').replace(/^> /, '').replaceAll(DURATION, '…').trim())
    .filter((line) => line.length >= MIN_LINE_CHARS && !isHostLine(line));
}

/** Whether a text only announces or confirms. */
export const isBare = (text: string): boolean => text.length <= BARE_CHARS && BARE.test(text);
