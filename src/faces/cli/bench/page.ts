import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../../package-folder.js';
import { amount } from '../report/numbers.js';
import type { ExamRound } from './exam.js';
import { originLine, roundLine, equalTitle, tablesOf } from './tables.js';
import type { BenchReport, BenchTable } from './tables.js';
import type { BenchRound } from './round.js';
import type { BenchRow } from './rows.js';

/** Folders of uPlot's two files: from npm in a checkout, from the build in the package. */
const UPLOT = [join('node_modules', 'uplot', 'dist'), join('dist', 'cli', 'uplot')];

/** The placeholders of the template: in a script or style, and between elements. */
const SLOTS = /\/\*(uplot\.(?:css|js))\*\/|<!--(body|figures)-->/g;

/** One chart: a point for each policy, with the interval of its height. */
interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xUnit?: string;
  /** Top of the scale: 1 for shares. */
  readonly top: number;
  readonly points: readonly Point[];
}

interface Point {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** The whole report as one page without external resources: it can be mailed, and opens without a network. */
export function benchPage(report: BenchReport): string {
  const charts: Chart[] = [];
  const body = [
    `<p class="soft">${escaped(originLine(report))}</p>`,
    '<p>Each session was replayed call by call, and each policy said what it would have sent. <b>From afar</b>: of the names, paths and numbers that the agent’s next step used and that were last said half a window ago or longer, the share that stood in the request. In brackets, and as lines in the charts: where 95 of 100 draws of as many sessions lie.</p>',
    ...report.rounds.map((round) => roundOf(round, charts)),
  ].join('\n');
  const folder = UPLOT.map((path) => join(packageFolder(), path)).find((path) => existsSync(path))!;
  const parts: Record<string, string> = {
    'uplot.css': readFileSync(join(folder, 'uPlot.min.css'), 'utf8'),
    'uplot.js': readFileSync(join(folder, 'uPlot.iife.min.js'), 'utf8'),
    body,
    figures: `<script type="application/json" id="figures">${JSON.stringify(charts).replaceAll('<', '\\u003c')}</script>`,
  };
  const template = readFileSync(join(packageFolder(), 'templates', 'bench-report.html'), 'utf8');
  return template.replace(SLOTS, (_, code: string | undefined, markup: string) => parts[code ?? markup]!);
}

function roundOf(round: BenchRound, charts: Chart[]): string {
  const { window, rows, equal, exam, short } = round;
  if (!rows.some(({ calls }) => calls > 0)) return '';
  const sent = { xLabel: 'tokens of a request', x: ({ meanTokens }: BenchRow) => meanTokens };
  const drawn = [
    afarChart('At the whole window', rows, sent),
    ...(equal ? [afarChart(equalTitle(rows), equal, sent)] : []),
    ...Object.keys(rows[0]!.cost).map((sheet) =>
      afarChart(`What input costs a session, by the sheet of ${sheet}`, rows, {
        xLabel: 'US dollars',
        xUnit: '$',
        x: ({ cost }) => cost[sheet] ?? 0,
      }),
    ),
    ...(exam ? [examChart(exam)] : []),
  ];
  const figures = drawn.map((chart, at) => figureOf(chart, charts.length + at));
  charts.push(...drawn);
  return [
    `<section><h2>A window of ${amount(window)}</h2>`,
    `<p class="soft">${escaped(roundLine(round))}</p>`,
    `<div class="charts">${figures.join('\n')}</div>`,
    ...tablesOf(round, true).map((table) => `<h3>${escaped(table.title)}</h3>${gridOf(table)}`),
    ...(short.length > 0 ? [`<p class="soft">Left out: ${escaped(short.join(', '))}</p>`] : []),
    '</section>',
  ].join('\n');
}

interface XAxis extends Pick<Chart, 'xLabel' | 'xUnit'> {
  readonly x: (row: BenchRow) => number;
}

function afarChart(title: string, rows: readonly BenchRow[], { x, ...across }: XAxis): Chart {
  const points = rows.flatMap((row): Point[] => {
    const { low, high } = row.intervals.keptFromAfar;
    return row.keptFromAfar === null
      ? []
      : [{ name: row.policy, x: x(row), y: row.keptFromAfar, low: finite(low), high: finite(high) }];
  });
  return { title, ...across, yLabel: 'kept from afar', top: 1, points };
}

function examChart(exam: ExamRound): Chart {
  const points = exam.rows.flatMap(({ policy, meanTokens, grade, interval: { low, high } }): Point[] =>
    grade === null ? [] : [{ name: policy, x: meanTokens, y: grade, low: finite(low), high: finite(high) }],
  );
  const title = 'What a reader answers from the context alone';
  return { title, xLabel: 'tokens read', yLabel: 'answered', top: 1, points };
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

function figureOf({ title, points }: Chart, at: number): string {
  const words = points.map(({ name, y }) => `${name} ${Math.round(100 * y)} %`).join(', ');
  return `<figure data-chart="${at}"><figcaption>${escaped(title)}</figcaption><div class="plot" role="img" aria-label="${escaped(`${title}: ${words}`)}"></div><ul class="names"></ul></figure>`;
}

function gridOf({ head, lines }: BenchTable): string {
  const titles = head.map((title) => `<th scope="col">${escaped(title)}</th>`).join('');
  const rows = lines.map(([name = '', ...cells]) => {
    const figures = cells.map((cell) => `<td>${escaped(cell)}</td>`).join('');
    return `<tr><th scope="row">${escaped(name)}</th>${figures}</tr>`;
  });
  return `<div class="wide" tabindex="0" role="region" aria-label="figures"><table><thead><tr>${titles}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (mark) => ENTITIES[mark]!);
