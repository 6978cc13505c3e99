import type { Ranked } from './rank.js';

/** What a word counts the next time, when it stood in a passage that was taken. Measured: docs/decisions/0030. */
const AGAIN = 0.9;
/** Passages behind these are left in their order. */
const MAX_WEIGHED = 200;
const MAX_TAKEN = 60;

/** Takes the best, then what is best beside it: words that were answered count less, so that others come to be answered. */
export function spread(ranked: readonly Ranked[]): Ranked[] {
  const waiting = ranked.slice(0, MAX_WEIGHED);
  const taken: Ranked[] = [];
  const times = new Map<string, number>();
  while (waiting.length > 0 && taken.length < MAX_TAKEN) {
    const scores = waiting.map((one) => one.score - lostBy(one, times));
    const best = scores.reduce((at, score, i) => (score > scores[at]! ? i : at), 0);
    const [one] = waiting.splice(best, 1);
    taken.push({ ...one!, score: scores[best]! });
    for (const word of one!.byWord.keys()) times.set(word, (times.get(word) ?? 0) + 1);
  }
  return [...taken, ...waiting, ...ranked.slice(MAX_WEIGHED)];
}

/** What its words no longer count. */
function lostBy({ byWord }: Ranked, times: ReadonlyMap<string, number>): number {
  let lost = 0;
  for (const [word, score] of byWord) lost += score * (1 - AGAIN ** (times.get(word) ?? 0));
  return lost;
}
