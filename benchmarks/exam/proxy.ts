import type { ChatMessage } from '../support/chat.js';
import { wordsOf, type Exam, type Question } from './exams.js';

export interface Scored {
  readonly exam: string;
  readonly kind: string;
  readonly score: number;
}

/** How close together a context has the words of each answer. Only a hint, without a reader: name lists raise it. */
export function scoresOf({ name, questions, history }: Exam, context: string): Scored[] {
  const text = context.toLowerCase();
  const seenIn = documentFrequency(history);
  return questions.map((question) => ({
    exam: name,
    kind: question.kind,
    score: scoreOf(question, text, seenIn, history.length),
  }));
}

const mean = (some: readonly Scored[]): number =>
  Number((some.reduce((sum, { score }) => sum + score, 0) / Math.max(1, some.length)).toFixed(3));

/** The means over all questions, each kind, and each exam. */
export function proxyOf(rows: readonly Scored[]) {
  const by = (key: 'exam' | 'kind'): Record<string, number> =>
    Object.fromEntries(
      [...new Set(rows.map((row) => row[key]))].map((name) => [
        name,
        mean(rows.filter((row) => row[key] === name)),
      ]),
    );
  return { questions: rows.length, proxy: mean(rows), byKind: by('kind'), byExam: by('exam') };
}

/** The greatest distance between words of one statement, in characters. */
const NEAR_CHARS = 700;

function termsOf(text: string): Set<string> {
  return new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}_./:#-]{3,}/gu) ?? []).map((word) =>
      word.replace(/^[.:/#-]+|[.:/#-]+$/g, ''),
    ),
  );
}

function documentFrequency(history: readonly ChatMessage[]): ReadonlyMap<string, number> {
  const seenIn = new Map<string, number>();
  for (const message of history)
    for (const term of termsOf(wordsOf(message))) seenIn.set(term, (seenIn.get(term) ?? 0) + 1);
  return seenIn;
}

/** Mean over the points: the share of a point's words (by rarity, without the question's) that are near each other. */
function scoreOf(
  { q, points }: Question,
  context: string,
  seenIn: ReadonlyMap<string, number>,
  messages: number,
): number {
  const given = termsOf(q);
  const scores = points.map((point) => {
    const weights = new Map(
      [...termsOf(point)]
        .filter((term) => term !== '' && !given.has(term))
        .map((term): [string, number] => [
          term,
          Math.log(1 + messages / (1 + (seenIn.get(term) ?? messages / 2))),
        ]),
    );
    const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    return all === 0 ? 0 : nearest(context, weights) / all;
  });
  return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
}

function nearest(context: string, weights: ReadonlyMap<string, number>): number {
  const hits: { readonly at: number; readonly term: string }[] = [];
  for (const term of weights.keys())
    for (let at = context.indexOf(term); at >= 0 && hits.length < 4_000; at = context.indexOf(term, at + 1))
      hits.push({ at, term });
  hits.sort((a, b) => a.at - b.at);
  const inside = new Map<string, number>();
  let [sum, best, first] = [0, 0, 0];
  for (const { at, term } of hits) {
    inside.set(term, (inside.get(term) ?? 0) + 1);
    if (inside.get(term) === 1) sum += weights.get(term)!;
    while (hits[first]!.at < at - NEAR_CHARS) {
      const { term: gone } = hits[first++]!;
      inside.set(gone, inside.get(gone)! - 1);
      if (inside.get(gone) === 0) sum -= weights.get(gone)!;
    }
    best = Math.max(best, sum);
  }
  return best;
}
