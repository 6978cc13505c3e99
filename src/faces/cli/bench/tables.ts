import type { Notice } from '../../../spi/index.js';
import {
  amount,
  counted,
  dollars,
  mendedLines,
  milliseconds,
  percent,
  plainTable,
} from '../report/numbers.js';
import type { Terminal } from '../terminal.js';
import type { Interval } from './bootstrap.js';
import type { ExamRound } from './exam.js';
import { versionOf, type Origin } from './origin.js';
import type { BenchRound } from './round.js';
import type { BenchRow } from './rows.js';

export interface BenchReport {
  readonly origin: Origin;
  readonly policies: readonly string[];
  /** Package and version of each adapter. */
  readonly packages: Readonly<Record<string, string>>;
  /** Seed of the draws for the intervals. */
  readonly seed: number;
  readonly draws: number;
  readonly rounds: readonly BenchRound[];
  /** Sessions in which something was left out or repaired when they were read. */
  readonly mended: Readonly<Record<string, readonly Notice[]>>;
}

interface TableColumn {
  readonly title: string;
  readonly of: (row: BenchRow) => string;
}

const orNone = (value: number | null, write: (value: number) => string): string =>
  value === null ? '–' : write(value);

const COLUMNS: readonly TableColumn[] = [
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

const MEMORY: TableColumn = {
  title: 'holds',
  of: ({ heapBytes = 0 }) => `${(heapBytes / 1e6).toFixed(1)} MB`,
};

/** The tables of one round in a report. Each title distinguishes its table from the first one. */
export interface BenchTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** The tables of a round: figures only, or with `isFull` also each policy's limit and the intervals of figures. */
export function tablesOf({ rows, equal, exam }: BenchRound, isFull = false): BenchTable[] {
  const tableOf = (title: string, some: readonly BenchRow[]): BenchTable => {
    const columns = isFull ? fullColumns(some) : columnsOf(some);
    return {
      title,
      head: ['policy', ...columns.map(({ title: name }) => name)],
      lines: some.map((row) => [row.policy, ...columns.map(({ of }) => of(row))]),
    };
  };
  return [
    ...(rows.some(({ calls }) => calls > 0) ? [tableOf('At the whole window', rows)] : []),
    ...(equal ? [tableOf(equalTitle(rows), equal)] : []),
    ...(exam ? [examTable(exam)] : []),
  ];
}

export const equalTitle = ([first]: readonly BenchRow[]): string =>
  `At as many tokens as ${first!.policy} sends`;

/** All columns: `COLUMNS`, memory if it was measured, and one for each price sheet. */
function columnsOf(rows: readonly BenchRow[]): TableColumn[] {
  const sheets = Object.keys(rows[0]?.cost ?? {});
  return [
    ...COLUMNS,
    ...(rows[0]?.heapBytes === undefined ? [] : [MEMORY]),
    ...sheets.map((sheet) => ({
      title: sheet,
      of: ({ cost }: BenchRow) => orNone(cost[sheet] ?? null, dollars),
    })),
  ];
}

/** The columns with the intervals of figures that vary by session. */
function fullColumns(rows: readonly BenchRow[]): TableColumn[] {
  const [first] = rows;
  return [
    { title: 'told', of: ({ budget }) => amount(budget) },
    ...columnsOf(rows).map((column) =>
      column.title === 'from afar'
        ? { ...column, of: (row: BenchRow) => shareWithin(row.keptFromAfar, row.intervals.keptFromAfar) }
        : column,
    ),
    {
      title: `behind ${first!.policy}`,
      of: (row) => (row === first ? '' : shareWithin(row.behind, row.intervals.behind)),
    },
  ];
}

/** `34.3 % (30.1–39.9)`: the figure and its interval. */
function shareWithin(value: number | null, { low, high }: Interval): string {
  if (value === null) return '–';
  return `${percent(value)} (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
}

const points = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '–');

/** The table of the readers' grades. */
function examTable({ exams, questions, rows }: ExamRound): BenchTable {
  const kinds = Object.keys(rows[0]!.byKind);
  return {
    title: `Read and graded: ${counted(questions, 'question')} on ${counted(exams, 'session')}`,
    head: ['policy', 'told', 'tokens read', 'grade', ...kinds, 'each reading', 'missing'],
    lines: rows.map(({ policy, budget, meanTokens, grade, interval, byKind, replicates, missing }) => [
      policy,
      amount(budget),
      amount(meanTokens),
      grade === null ? '–' : `${points(grade)} (${points(interval.low)}–${points(interval.high)})`,
      ...kinds.map((kind) => points(byKind[kind]!)),
      replicates.map(points).join(' '),
      amount(missing),
    ]),
  };
}

export function roundLine({ rows, short }: BenchRound): string {
  const [first] = rows;
  const out = `${short.length} never ${short.length === 1 ? 'passes' : 'pass'} the window`;
  return [
    `${counted(first?.sessions ?? 0, 'session')}, ${counted(first?.calls ?? 0, 'call')}`,
    ...(short.length > 0 ? [out] : []),
  ].join('; ');
}

/** The report for a terminal. */
export function benchTables({ rounds, mended }: BenchReport, { paint }: Terminal): string {
  const notices = Object.entries(mended).flatMap(([file, own]) => mendedLines(own, `${file}, `));
  const tables = rounds.flatMap((round) => {
    const { window, rows, exam, short } = round;
    const failures = [...rows, ...(exam?.rows ?? [])];
    return [
      `${paint.bold(`window ${amount(window)}`)}  ${roundLine(round)}`,
      ...tablesOf(round).flatMap((table, at) => [
        ...(at > 0 ? [paint.bold(table.title)] : []),
        plainTable(table.head, table.lines),
      ]),
      ...(short.length > 0 ? [`left out: ${short.join(', ')}`] : []),
      ...failures.flatMap(({ policy, failure }) => (failure === undefined ? [] : [`${policy}: ${failure}`])),
      '',
    ];
  });
  return [...notices.map((line) => paint.yellow(line)), ...tables].join('\n');
}

/** The first line of a document: the origin of its figures. */
export function originLine({ origin, packages }: BenchReport): string {
  const others = Object.entries(packages).map(([name, of]) => `${name}: ${of}`);
  const adapters = others.length > 0 ? ` Adapters: ${others.join('; ')}.` : '';
  return `Spillway ${versionOf(origin)}, Node ${origin.node}, ${origin.machine}, ${origin.date}.${adapters}`;
}

/** The report for a document. */
export function benchMarkdown(report: BenchReport): string {
  const { rounds, draws, seed } = report;
  return [
    originLine(report),
    `In brackets where 95 of 100 draws of as many sessions lie (${draws} draws, seed ${seed}).`,
    ...rounds.flatMap((round) => [
      `### A window of ${amount(round.window)}: ${roundLine(round)}`,
      ...tablesOf(round, true).flatMap((table, at) => [...(at > 0 ? [`${table.title}:`] : []), piped(table)]),
    ]),
    '',
  ].join('\n\n');
}

function piped({ head, lines }: BenchTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...lines.map(line)].join('\n');
}
