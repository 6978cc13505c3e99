import { readFileSync } from 'node:fs';
import { SpillwayError, thrownText } from '../../../errors/index.js';
import type { BenchRound } from './round.js';
import type { BenchReport } from './tables.js';
import type { BenchRow } from './rows.js';

/** Tolerances of figures: none for faults, 1 or 2 points for shares, 2 % for tokens, 5 % for compactions. */
const FIGURES: readonly {
  readonly name: keyof BenchRow;
  readonly isWorse: (now: number, before: number) => boolean;
}[] = [
  { name: 'over', isWorse: (now, before) => now > before },
  { name: 'broken', isWorse: (now, before) => now > before },
  { name: 'failed', isWorse: (now, before) => now > before },
  { name: 'kept', isWorse: (now, before) => now < before - 0.01 },
  { name: 'keptFromAfar', isWorse: (now, before) => now < before - 0.02 },
  { name: 'rewritten', isWorse: (now, before) => now > before + 0.01 },
  { name: 'meanTokens', isWorse: (now, before) => now > 1.02 * before },
  { name: 'compactions', isWorse: (now, before) => now > Math.ceil(1.05 * before) },
];

/** Figures that are worse than in an earlier report, one per line. Times are never compared. */
export function worseFigures(before: BenchReport, report: BenchReport): string[] {
  return before.rounds.flatMap(({ window, rows }) => {
    const now = report.rounds.find((round) => round.window === window);
    return rows.flatMap((row) => faultsOf(window, row, now?.rows));
  });
}

function faultsOf(window: number, before: BenchRow, rows: BenchRound['rows'] | undefined): string[] {
  const where = `${before.policy} at ${window}`;
  const now = rows?.find(({ policy }) => policy === before.policy);
  if (!now) return [`${where}: was not measured`];
  if (now.calls !== before.calls) return [`${where}: ${now.calls} calls, not the ${before.calls} of before`];
  return FIGURES.flatMap(({ name, isWorse }) => {
    const [found, was] = [now[name], before[name]];
    if (typeof found !== 'number' || typeof was !== 'number') return [];
    return isWorse(found, was) ? [`${where}: ${name} is ${rounded(found)}, was ${rounded(was)}`] : [];
  });
}

const rounded = (value: number): string => String(Number(value.toFixed(4)));

/** Reads an earlier report. Throws `INPUT_UNREADABLE` if the file is no report. */
export function readReport(file: string): BenchReport {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as BenchReport;
    if (Array.isArray(report.rounds) && report.rounds.every(({ rows }) => Array.isArray(rows))) return report;
  } catch (cause) {
    throw notReport(file, thrownText(cause));
  }
  throw notReport(file, 'no rounds in it');
}

function notReport(file: string, found: string): SpillwayError {
  return new SpillwayError('INPUT_UNREADABLE', {
    subject: file,
    found,
    allowed: 'a report that `spillway bench --report` wrote',
    remedy: 'Write one, and commit it.',
  });
}
