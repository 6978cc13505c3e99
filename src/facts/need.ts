import type { Identifier } from './identifiers.js';

/**
 * How likely an agent needs a word again: the linear part of a logistic regression on which words of 33 recorded
 * sessions their agents wrote again, cross-validated over sessions (49 % recalled in 1,600 tokens of words at 8k,
 * against 30 % by recency). Only features that any agent's transcript has, and none of a tool or a language.
 */
export function needOf(word: Identifier, now: number): number {
  const age = Math.log1p(Math.max(0, now - word.last));
  return (
    word.shape -
    AGE_WEIGHT * age +
    RESULTS_WEIGHT * Math.min(word.results, 3) +
    (word.calls > 0 ? CALLS_WEIGHT : 0) +
    (word.prose > 0 ? PROSE_WEIGHT : 0) +
    (word.origin === 'call' ? OWN_WORD_WEIGHT : 0)
  );
}

/** Per natural logarithm of messages passed; moved up it turns into plain recency, which recalls half as much. */
const AGE_WEIGHT = 0.35;
/** Output that comes back is about what is worked on. */
const RESULTS_WEIGHT = 0.25;
const CALLS_WEIGHT = 0.8;
const PROSE_WEIGHT = 0.12;
/** What the model wrote first it can write again. */
const OWN_WORD_WEIGHT = -1.4;

const LONGEST = 40;

/** What the look of a word says: paths and names of several words are needed again, bare file names and words less. */
export function shapeOf(text: string, start: number, end: number): number {
  let slashes = 0;
  let dots = 0;
  let underscores = 0;
  let humps = 0;
  let before = 0;
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 47) slashes++;
    else if (unit === 46) dots++;
    else if (unit === 95) underscores++;
    else if (unit >= 65 && unit <= 90 && before >= 97 && before <= 122) humps++;
    before = unit;
  }
  const isPath = slashes > 0 && dots > 0;
  const length = 0.78 * Math.log(Math.min(end - start, LONGEST));
  if (isPath) return length + 1.4;
  if (slashes > 0) return length - 0.5;
  return length + (dots > 0 ? -0.6 : 0) + (underscores > 0 ? 0.95 : 0) + (humps > 0 ? 1 : 0);
}
