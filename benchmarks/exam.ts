/**
 * The continuation exam: what a reader who sees only the compacted request can answer of what the next steps needed.
 *
 *   npm run bench:exam -- [--exams DIR] [--sessions DIR] [--window 16000] [--only G,H] [--out DIR]
 *
 * Replays each session up to its cut, writes the request and the questions (`OUT/X/context.txt`, `questions.md`) for
 * readers and graders, and says how close together the words of each answer stand. That figure is a compass, not the
 * result: lists of names raise it, and only readers tell whether an agent could go on.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSpillway } from '../src/index.js';
import { contentOf, type ChatMessage } from './support/chat.js';
import { provenance, saveResult } from './support/provenance.js';
import { referenceCount } from './support/reference-count.js';
import { CORPUS } from './support/sessions.js';

interface Exam {
  readonly session: string;
  /** Messages before it are replayed. */
  readonly cut: number;
  readonly questions: readonly Question[];
}

interface Question {
  readonly id: string;
  /** T1 intent, T2 findings, T3 state, T4 exact strings. */
  readonly kind: string;
  readonly q: string;
  readonly points: readonly string[];
}

const { values: flags } = parseArgs({
  options: {
    exams: { type: 'string', default: join('..', 'shared', 'exam', 'exams') },
    sessions: { type: 'string', default: CORPUS },
    window: { type: 'string', default: '16000' },
    only: { type: 'string' },
    out: { type: 'string', default: join(tmpdir(), 'spillway-exam') },
  },
});
const command = `npm run bench:exam -- ${process.argv.slice(2).join(' ')}`.trim();
const loaded = provenance(command);

/** How far apart words may stand to be one statement, in characters. */
const NEAR_CHARS = 700;

const rows: { readonly exam: string; readonly kind: string; readonly score: number }[] = [];
const tokens: Record<string, number> = {};
for (const file of readdirSync(flags.exams).filter((name) => name.endsWith('.json'))) {
  const name = file.slice(0, -'.json'.length);
  if (flags.only && !flags.only.split(',').includes(name)) continue;
  const exam = JSON.parse(readFileSync(join(flags.exams, file), 'utf8')) as Exam;
  const history = messagesOf(exam.session).slice(0, exam.cut);
  const request = await compacted(history);
  const context = request.map((message) => `=== ${message.role}\n${wordsOf(message)}`).join('\n');
  mkdirSync(join(flags.out, name), { recursive: true });
  writeFileSync(join(flags.out, name, 'context.txt'), context);
  const asked = exam.questions.map(({ id, q }) => `- ${id}: ${q}`).join('\n');
  writeFileSync(join(flags.out, name, 'questions.md'), `${asked}\n`);
  tokens[name] = referenceCount(request);
  const seenIn = documentFrequency(history);
  for (const question of exam.questions)
    rows.push({
      exam: name,
      kind: question.kind,
      score: scoreOf(question, context.toLowerCase(), seenIn, history.length),
    });
}

const mean = (some: typeof rows): number =>
  Number((some.reduce((sum, { score }) => sum + score, 0) / Math.max(1, some.length)).toFixed(3));
const by = (key: 'exam' | 'kind'): Record<string, number> =>
  Object.fromEntries(
    [...new Set(rows.map((row) => row[key]))].map((name) => [
      name,
      mean(rows.filter((row) => row[key] === name)),
    ]),
  );
const result = {
  window: Number(flags.window),
  questions: rows.length,
  proxy: mean(rows),
  byKind: by('kind'),
  byExam: by('exam'),
  tokens,
};
console.log(result);
console.log(`contexts in ${flags.out}; ${saveResult('exam', command, result, loaded)}`);

function messagesOf(session: string): ChatMessage[] {
  const lines = readFileSync(join(flags.sessions, `${session}.jsonl`), 'utf8').split('\n');
  const parsed = lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ChatMessage & { kind?: string });
  return parsed.filter(({ kind }) => kind !== 'meta');
}

/** Before each model call the whole history is followed and prepared, as an agent does it; what the last one is sent. */
async function compacted(history: readonly ChatMessage[]): Promise<ChatMessage[]> {
  const live = (await createSpillway({ inputBudget: Number(flags.window) })).session();
  let request: ChatMessage[] = [];
  for (let next = 1; next <= history.length; next++) {
    if (next < history.length && history[next]!.role !== 'assistant') continue;
    await live.follow({ messages: history.slice(0, next) });
    request = (await live.prepare()).messages as ChatMessage[];
  }
  return request;
}

function wordsOf(message: ChatMessage): string {
  const calls = (message.tool_calls ?? []).map(
    (call) => `${call.function?.name} ${call.function?.arguments}`,
  );
  return [contentOf(message), ...calls].join('\n');
}

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

/** Of the words of each point that the question does not give away, weighed by rarity: the most that stand near each other. */
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
