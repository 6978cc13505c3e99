import { runExams, type Exam } from './exam.js';
import type { Examiner } from './examiner.js';
import { measure, type Measurement, type MeasureOptions } from './measure.js';
import type { BenchPolicy } from './policy.js';
import { atEqualTokens, meanTokens, rowsOf, type Column, type Draws } from './rows.js';
import { hashOf, type State } from './state.js';
import type { Subject } from './subject.js';

/** The inputs that all rounds of a bench share. */
interface Bench extends MeasureOptions {
  readonly policies: readonly BenchPolicy[];
  readonly subjects: readonly Subject[];
  readonly state: State;
  /** If true, the other policies are also compared with the first at the number of tokens that the first sends. */
  readonly isEqual: boolean;
  readonly exams: readonly Exam[];
  readonly examiner: Examiner | undefined;
  readonly replicates: number;
  readonly format: string;
  readonly draws: Draws;
  /** Called after each session that was replayed under a policy at the whole window. */
  readonly onReplayed: () => void;
}

export type BenchRound = Awaited<ReturnType<typeof roundAt>>;

/** Runs all policies on all sessions at one window. */
export async function roundAt(window: number, bench: Bench) {
  const { policies, subjects, draws, exams, examiner } = bench;
  const table: { readonly subject: Subject; readonly row: readonly Measurement[] }[] = [];
  for (const subject of subjects) {
    const row: Measurement[] = [];
    for (const policy of policies) {
      row.push(await measurementOf(bench, policy, subject, window, window));
      bench.onReplayed();
    }
    table.push({ subject, row });
    subject.release();
  }
  const exceeding = table.filter(({ row }) =>
    row.some(({ compactions, failed, over }) => compactions + failed + over > 0),
  );
  const columns = policies.map(({ name }, i): Column => ({
    policy: name,
    budget: window,
    sessions: exceeding.map(({ row }) => row[i]!),
  }));
  const equal = bench.isEqual ? await equalColumns(columns, exceeding, bench) : undefined;
  const budgets = policies.map((policy, i) => ({ policy, budget: (equal ?? columns)[i]!.budget }));
  const exam = examiner && (await runExams(exams, budgets, examiner, { ...bench, ...draws }));
  return {
    window,
    /** Each policy at the whole window. */
    rows: rowsOf(columns, draws),
    /** Each policy at the budget at which it sends as many tokens as the first one. */
    ...(equal && { equal: rowsOf(equal, draws) }),
    /** The grades of the readers' answers, if an exam was requested. */
    ...(exam && { exam }),
    /** Sessions that never exceed the window, so that no policy has anything to do. */
    short: table.filter((one) => !exceeding.includes(one)).map(({ subject }) => subject.file),
    /** `hash` is the SHA-256 of the file's bytes. */
    files: exceeding.map(({ subject: { file, hash }, row }) => ({
      file,
      hash,
      policies: Object.fromEntries(policies.map(({ name }, i) => [name, row[i]!])),
    })),
  };
}

/** The measurement of one policy on one session, from the state or made now. */
const measurementOf = (
  { state, ...how }: Bench,
  policy: BenchPolicy,
  subject: Subject,
  window: number,
  budget: number,
): Promise<Measurement> =>
  state.remember(hashOf(policy.identity, subject.hash, window, budget, how.sheets, how.memory), () =>
    measure(policy, subject, { window, budget }, how),
  );

/** Each column at the budget at which its policy sends as many tokens as the first one. */
async function equalColumns(
  columns: readonly Column[],
  exceeding: readonly { readonly subject: Subject }[],
  bench: Bench,
): Promise<Column[]> {
  const [first, ...others] = columns as [Column, ...Column[]];
  const target = meanTokens(first.sessions);
  const equal = [first];
  for (const [i, column] of others.entries()) {
    const measured = async (budget: number): Promise<Column> => {
      const sessions: Measurement[] = [];
      for (const { subject } of exceeding) {
        sessions.push(await measurementOf(bench, bench.policies[i + 1]!, subject, column.budget, budget));
        subject.release();
      }
      return { ...column, budget, sessions };
    };
    equal.push(await atEqualTokens(target, column, measured));
  }
  return equal;
}
