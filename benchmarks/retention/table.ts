import Table from 'cli-table3';
import { PLAIN_TABLE } from '../../src/faces/cli/report/numbers.js';
import type { Interval } from '../../src/faces/cli/bench/bootstrap.js';
import type { Row } from './report.js';
import type { Score, Share } from './scores.js';

const two = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(2));
const range = ({ low, high }: Interval): string => `${two(low)}–${two(high)}`;
const withRange = ({ byProbe, interval }: Share): string => `${two(byProbe)} (${range(interval)})`;

function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const table = new Table({
    ...PLAIN_TABLE,
    head: [...head],
    colAligns: head.map((_, i) => (i === 0 ? 'left' : 'right')),
  });
  for (const row of rows) table.push([...row]);
  console.log(table.toString());
}

export function printTable(window: number, rows: readonly Row[]): void {
  const first = rows[0];
  if (!first) return console.log(`\nwindow ${window}: no probe's session exceeds it`);
  const { probes, sessions } = first.strong;
  console.log(`\nwindow ${window}: ${probes} strong probes of ${sessions} sessions`);
  print(
    [
      'policy',
      'present',
      'anchored',
      'present, by session',
      'anchored, by session',
      'behind Spillway',
      'mean tokens',
      'over / calls',
    ],
    rows.map((row) => [
      row.policy,
      withRange(row.strong.present),
      withRange(row.strong.anchored),
      two(row.strong.present.bySession),
      two(row.strong.anchored.bySession),
      row.behindSpillway
        ? `${two(row.behindSpillway.anchored)} (${range(row.behindSpillway.interval)})`
        : '–',
      String(row.meanTokens),
      `${row.over} / ${row.calls}`,
    ]),
  );
}

/** Prints the first row (Spillway's, if it ran) by strength and by kind. */
export function printDetails(rows: readonly Row[]): void {
  const row = rows[0];
  if (!row) return;
  const line = ([name, score]: [string, Score]): string[] => [
    name,
    String(score.probes),
    String(score.sessions),
    withRange(score.present),
    withRange(score.anchored),
    two(score.anchored.bySession),
  ];
  const kinds = Object.entries(row.byKind).map(([kind, score]): [string, Score] => [`strong ${kind}`, score]);
  print(
    [row.policy, 'probes', 'sessions', 'present', 'anchored', 'anchored, by session'],
    [...Object.entries(row.byStrength), ...kinds].map(line),
  );
}
