// The table of the first page: some columns of the one in docs/bench.md, with the commit that it was measured at. Figures are
// taken from that page, so that they stand in one place.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.js';

export interface Bench {
  readonly commit: string;
  readonly window: string;
  readonly calls: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const PAGE = 'docs/bench.md';
const COLUMNS = ['policy', 'from afar', 'mean sent', 'input', 'over', 'illegal', 'failed'];

/** The rows of the first window. Throws where the page has no such table any more. */
export function benchOf(page: string): Bench {
  const section = page.split(/^## /m).find((part) => /^\|.*\bfrom afar\b.*\bmean sent\b/m.test(part));
  const [, commit] = /\bat ([\da-f]{7,})\b/.exec(section ?? '') ?? [];
  const [head, , ...rows] = (/(?:^\|.*\|\n?)+/m.exec(section ?? '')?.[0] ?? '')
    .trim()
    .split('\n')
    .map(cellsOf);
  const places = COLUMNS.map((column) => head?.indexOf(column) ?? -1);
  const window = rows[0]?.[0] ?? '';
  const [, calls] =
    new RegExp(`${window} \\(([\\d,]+) calls\\)`).exec((section ?? '').replaceAll('\n', ' ')) ?? [];
  if (commit === undefined || calls === undefined || places.includes(-1))
    throw new Error(
      `${PAGE} has no table with ${COLUMNS.join(', ')} with the commit and the calls that it was measured at.`,
    );
  const second = rows.findIndex((row, at) => at > 0 && row[0] !== '');
  const first = rows.slice(0, second < 0 ? rows.length : second);
  return {
    commit,
    window,
    calls,
    columns: COLUMNS,
    rows: first.map((row) => places.map((place) => row[place]!.replaceAll('`', '').replace(/ \(.*\)$/, ''))),
  };
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

export const readBench = (): Bench => benchOf(readFileSync(join(root, PAGE), 'utf8'));
