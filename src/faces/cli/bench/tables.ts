import Table from 'cli-table3';
import { amount, dollars, milliseconds, percent, PLAIN_TABLE } from '../report/numbers.js';
import type { Terminal } from '../terminal.js';
import type { Interval } from './bootstrap.js';
import type { ExamRound, ExamRow } from './exam.js';
import type { Measured } from './measure.js';
import { versionOf, type Origin } from './origin.js';
import type { BenchRow } from './rows.js';

export interface BenchRound {
  readonly window: number;
  /** Each policy at the whole window. */
  readonly rows: readonly BenchRow[];
  /** Each at the budget at which it sends as many tokens as the first. */
  readonly equal?: readonly BenchRow[];
  /** What readers answered from the contexts, where that was asked for. */
  readonly exam?: ExamRound;
  /** Sessions that never pass the window: no policy has anything to do there. */
  readonly short: readonly string[];
  /** `hash`: SHA-256 of its bytes. */
  readonly files: readonly {
    readonly file: string;
    readonly hash: string;
    readonly policies: Readonly<Record<string, Measured>>;
  }[];
}

export interface BenchReport {
  readonly origin: Origin;
  readonly policies: readonly string[];
  /** Of adapters: package and version. */
  readonly packages: Readonly<Record<string, string>>;
  /** Of the draws that the intervals come from. */
  readonly seed: number;
  readonly draws: number;
  readonly rounds: readonly BenchRound[];
}

interface ColumnOf {
  readonly title: string;
  readonly of: (row: BenchRow) => string;
}

const orNone = (value: number | null, write: (value: number) => string): string =>
  value === null ? '–' : write(value);

const COLUMNS: readonly ColumnOf[] = [
  { title: 'kept', of: ({ kept }) => percent(kept) },
  { title: 'from afar', of: ({ keptFromAfar }) => orNone(keptFromAfar, percent) },
  { title: 'mean sent', of: ({ meanTokens }) => amount(meanTokens) },
  { title: 'rewritten', of: ({ rewritten }) => percent(rewritten) },
  { title: 'compactions', of: ({ compactions }) => amount(compactions) },
  { title: 'over', of: ({ over }) => amount(over) },
  { title: 'illegal', of: ({ broken }) => amount(broken) },
  { title: 'failed', of: ({ failed }) => amount(failed) },
  { title: 'a call', of: ({ meanMs }) => milliseconds(meanMs) },
];

const HOLDS: ColumnOf = {
  title: 'holds',
  of: ({ heapBytes = 0 }) => `${(heapBytes / 1e6).toFixed(1)} MB`,
};

/** All columns: those above, memory where it was measured, and one for each price sheet. */
export function columnsOf(rows: readonly BenchRow[]): ColumnOf[] {
  const sheets = Object.keys(rows[0]?.cost ?? {});
  return [
    ...COLUMNS,
    ...(rows[0]?.heapBytes === undefined ? [] : [HOLDS]),
    ...sheets.map((sheet) => ({
      title: sheet,
      of: ({ cost }: BenchRow) => orNone(cost[sheet] ?? null, dollars),
    })),
  ];
}

const counted = (count: number, what: string): string => `${amount(count)} ${what}${count === 1 ? '' : 's'}`;

export function aboutRound({ rows, short }: BenchRound): string {
  const [first] = rows;
  return [
    `${counted(first?.sessions ?? 0, 'session')}, ${counted(first?.calls ?? 0, 'call')}`,
    ...(short.length > 0
      ? [`${short.length} never ${short.length === 1 ? 'passes' : 'pass'} the window`]
      : []),
  ].join('; ');
}

/** For who asked on a terminal. */
export function benchTables({ rounds }: BenchReport, { paint }: Terminal): string {
  return rounds
    .flatMap((round) => {
      const { window, rows, equal, exam, short } = round;
      return [
        `${paint.bold(`window ${amount(window)}`)}  ${aboutRound(round)}`,
        grid(rows),
        ...(equal ? [paint.bold(`at as many tokens as ${rows[0]!.policy} sends`), grid(equal)] : []),
        ...(exam ? [paint.bold(aboutExam(exam)), examGrid(exam)] : []),
        ...(short.length > 0 ? [`left out: ${short.join(', ')}`] : []),
        ...rows.flatMap(({ policy, failure }) => (failure === undefined ? [] : [`${policy}: ${failure}`])),
        '',
      ];
    })
    .join('\n');
}

const grid = (rows: readonly BenchRow[]): string => {
  const columns = columnsOf(rows);
  return plain(
    ['policy', ...columns.map(({ title }) => title)],
    rows.map((row) => [row.policy, ...columns.map(({ of }) => (row.calls > 0 ? of(row) : '–'))]),
  );
};

function plain(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const table = new Table({
    ...PLAIN_TABLE,
    head: [...head],
    colAligns: head.map((_, i) => (i === 0 ? 'left' : 'right')),
  });
  table.push(...lines.map((line) => [...line]));
  return table.toString();
}

/** `34.3 % (30.1–39.9)`: the interval behind the figure. */
function shareWithin(value: number | null, { low, high }: Interval): string {
  if (value === null) return '–';
  return `${percent(value)} (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
}

/** Those of a table for readers: intervals of what the sessions make uncertain. */
export function readersColumns(rows: readonly BenchRow[]): ColumnOf[] {
  return columnsOf(rows).map((column) =>
    column.title === 'from afar'
      ? { ...column, of: (row) => shareWithin(row.keptFromAfar, row.intervals.keptFromAfar) }
      : column,
  );
}

export const aboutExam = ({ exams, questions }: ExamRound): string =>
  `read and graded: ${counted(questions, 'question')} on ${counted(exams, 'session')}`;

const points = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '–');

/** What readers answered: a head, and a line for each policy. */
export function examLines({ rows }: ExamRound): readonly [string[], string[][]] {
  const kinds = Object.keys(rows[0]!.byKind);
  const line = ({ policy, budget, meanTokens, grade, interval, byKind, replicates, missing }: ExamRow) => [
    policy,
    amount(budget),
    amount(meanTokens),
    grade === null ? '–' : `${points(grade)} (${points(interval.low)}–${points(interval.high)})`,
    ...kinds.map((kind) => points(byKind[kind]!)),
    replicates.map(points).join(' '),
    amount(missing),
  ];
  return [['policy', 'told', 'tokens read', 'grade', ...kinds, 'each reading', 'missing'], rows.map(line)];
}

const examGrid = (exam: ExamRound): string =>
  [
    plain(...examLines(exam)),
    ...exam.rows.flatMap(({ policy, failure }) => (failure ? [`${policy}: ${failure}`] : [])),
  ].join('\n');

export const behindOf = (row: BenchRow): string => shareWithin(row.behind, row.intervals.behind);

/** For a document. */
export function benchMarkdown({ origin, packages, rounds, draws, seed, policies }: BenchReport): string {
  const [first] = policies;
  const table = (rows: readonly BenchRow[]): string => {
    const columns = [
      ...readersColumns(rows),
      { title: `behind ${first}`, of: (row: BenchRow) => (row === rows[0] ? '' : behindOf(row)) },
    ];
    return piped(
      ['policy', 'told', ...columns.map(({ title }) => title)],
      rows.map((row) => [row.policy, amount(row.budget), ...columns.map(({ of }) => of(row))]),
    );
  };
  const others = Object.entries(packages).map(([name, of]) => `${name}: ${of}`);
  return [
    `Spillway ${versionOf(origin)}, Node ${origin.node}, ${origin.machine}, ${origin.date}.`,
    ...(others.length > 0 ? [`Adapters: ${others.join('; ')}.`] : []),
    `In brackets where 95 of 100 draws of as many sessions lie (${draws} draws, seed ${seed}).`,
    ...rounds.flatMap((round) => [
      `### A window of ${amount(round.window)}: ${aboutRound(round)}`,
      ...(round.rows.some(({ calls }) => calls > 0) ? [table(round.rows)] : []),
      ...(round.equal ? [`At as many tokens as ${first} sends:`, table(round.equal)] : []),
      ...(round.exam ? [`${aboutExam(round.exam)}:`, piped(...examLines(round.exam))] : []),
    ]),
    '',
  ].join('\n\n');
}

function piped(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...lines.map(line)].join('\n');
}
