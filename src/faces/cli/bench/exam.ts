import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { z } from 'zod';
import { SpillwayError, thrownText } from '../../../errors/index.js';
import { interval } from './bootstrap.js';
import { asContext, question, type Examiner, type Grades } from './examiner.js';
import type { LaneCall } from './lane.js';
import type { BenchPolicy } from './policy.js';
import type { Draws } from './rows.js';
import { Subject } from './subject.js';

export type Exam = ReturnType<typeof readExams>[number];

/** A session cut before a step of its agent, and questions on the needs of the next steps. Replayed up to the cut. */
const examFile = z.object({
  session: z.string(),
  cut: z.number().int().positive(),
  questions: z.array(question).min(1),
});

/** Exams of a folder for sessions among the files. Throws `INPUT_UNREADABLE` if a file is no exam or none fits. */
export function readExams(folder: string, files: readonly string[]) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const exams = names.sort().flatMap((name) => {
    const { session, cut, questions } = parseExam(join(folder, name));
    const file = files.find((one) => basename(one, extname(one)) === session);
    return file === undefined ? [] : [{ name: basename(name, '.json'), file, cut, questions }];
  });
  if (exams.length > 0) return exams;
  throw new SpillwayError('INPUT_UNREADABLE', {
    subject: folder,
    found: names.length === 0 ? 'no exam' : 'exams of other sessions',
    allowed: 'files of JSON that name one of the sessions',
    remedy: 'See docs/bench.md for the contents of an exam.',
  });
}

function parseExam(file: string): z.infer<typeof examFile> {
  try {
    return examFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new SpillwayError('INPUT_UNREADABLE', {
      subject: file,
      found: thrownText(cause).slice(0, 300),
      allowed: 'an exam: session, cut, and questions with id, kind, q and key',
      remedy: 'See docs/bench.md for the contents of an exam.',
      cause,
    });
  }
}

export type ExamRound = Awaited<ReturnType<typeof runExams>>;

interface Reading {
  readonly exam: Exam;
  readonly replicate: number;
  readonly grades: Grades;
}

/** Reads and grades each policy's context at each cut, `replicates` times. */
export async function runExams(
  exams: readonly Exam[],
  policies: readonly { readonly policy: BenchPolicy; readonly budget: number }[],
  examiner: Examiner,
  how: Draws & { readonly replicates: number; readonly format: string },
) {
  const rows = [];
  for (const { policy, budget } of policies) rows.push(await rowOf(exams, policy, budget, examiner, how));
  const questions = exams.reduce((sum, exam) => sum + exam.questions.length, 0);
  return { exams: exams.length, questions, rows, usage: examiner.usage };
}

async function rowOf(
  exams: readonly Exam[],
  policy: BenchPolicy,
  budget: number,
  examiner: Examiner,
  { replicates, format, draws, seed }: Parameters<typeof runExams>[3],
) {
  const readings: Reading[] = [];
  let [tokens, missing] = [0, 0];
  let failure: string | undefined;
  for (const exam of exams) {
    const sent = await contextAt(exam, policy, budget, format);
    tokens += sent.tokens;
    for (let replicate = 1; replicate <= replicates; replicate++) {
      try {
        const grades = await examiner.examine(sent.context, exam.questions, replicate);
        readings.push({ exam, replicate, grades });
      } catch (error) {
        missing += 1;
        failure ??= thrownText(error).slice(0, 300);
      }
    }
  }
  return {
    policy: policy.name,
    budget,
    /** Mean tokens of the contexts that were read. */
    meanTokens: tokens / exams.length,
    ...gradesOf(exams, readings, replicates, { draws, seed }),
    /** Readings that failed; they are tried again when the bench continues. */
    missing,
    /** The reason for the first failure. */
    ...(failure !== undefined && { failure }),
  };
}

async function contextAt(exam: Exam, policy: BenchPolicy, budget: number, format: string) {
  const lane = await policy.lane(new Subject(exam.file, format, exam.cut), budget);
  try {
    let last: LaneCall | undefined;
    for await (const call of lane.calls) last = call;
    // If a policy fails at the cut, the reader gets an empty context.
    const { prepared, tokens } = last!;
    return prepared ? { context: asContext(prepared.messages), tokens } : { context: '', tokens: 0 };
  } finally {
    await lane.close();
  }
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

function gradesOf(
  exams: readonly Exam[],
  readings: readonly Reading[],
  replicates: number,
  { draws, seed }: Draws,
) {
  const all = (some: readonly Reading[], kind?: string): number[] =>
    some.flatMap(({ exam, grades }) =>
      exam.questions.filter((one) => kind === undefined || one.kind === kind).map(({ id }) => grades[id]!),
    );
  const kinds = [...new Set(exams.flatMap(({ questions }) => questions.map(({ kind }) => kind)))].sort();
  const ofExam = exams.map((exam) => readings.filter((one) => one.exam === exam));
  return {
    /** Mean grade of all questions and readings; null if no reading could be graded. */
    grade: readings.length > 0 ? mean(all(readings)) : null,
    byKind: Object.fromEntries(kinds.map((kind) => [kind, mean(all(readings, kind))])),
    /** Mean grade of each reading: their spread is the variation of reader and grader alone. */
    replicates: Array.from({ length: replicates }, (_, i) =>
      mean(all(readings.filter(({ replicate }) => replicate === i + 1))),
    ),
    /** Interval that contains 95 of 100 draws of as many sessions. */
    interval: interval(ofExam, (drawn) => mean(all(drawn.flat())), draws, seed),
  };
}
