import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../../package-folder.js';
import { amount } from '../report/numbers.js';
import type { ExamRound } from './exam.js';
import { versionOf } from './origin.js';
import {
  aboutExam,
  aboutRound,
  behindOf,
  examLines,
  readersColumns,
  type BenchReport,
  type BenchRound,
} from './tables.js';
import type { BenchRow } from './rows.js';

/** uPlot's two files: where the build put them, and in a checkout where npm did. */
const UPLOT = [join('node_modules', 'uplot', 'dist'), join('dist', 'cli', 'uplot')];

/** Where the template has a part: in a script or style, and between elements. */
const PLACE = /\/\*(uplot\.(?:css|js))\*\/|<!--(body|figures)-->/g;

/** One chart: each policy a point, with the interval of its height. */
interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xUnit?: string;
  /** Of the scale: 1 for shares. */
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

/** The whole report as one page that asks for nothing else: it can be mailed, and opens without a network. */
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
  return template.replace(PLACE, (_, code: string | undefined, markup: string) => parts[code ?? markup]!);
}

function originLine({ origin, packages }: BenchReport): string {
  const others = Object.values(packages);
  const beside = others.length > 0 ? ` beside ${others.join(', ')}` : '';
  return `Spillway ${versionOf(origin)}${beside}, Node ${origin.node}, ${origin.machine}, ${origin.date}.`;
}

function roundOf(round: BenchRound, charts: Chart[]): string {
  const { window, rows, equal, exam, short } = round;
  if (!rows.some(({ calls }) => calls > 0)) return '';
  const figures: string[] = [];
  const draw = (chart: Chart): void => {
    figures.push(figureOf(chart, charts.length));
    charts.push(chart);
  };
  draw(afarChart(rows, 'At the whole window', ({ meanTokens }) => meanTokens, 'tokens of a request'));
  if (equal)
    draw(
      afarChart(
        equal,
        `At as many tokens as ${rows[0]!.policy} sends`,
        ({ meanTokens }) => meanTokens,
        'tokens of a request',
      ),
    );
  for (const sheet of Object.keys(rows[0]!.cost)) {
    const title = `What input costs a session, by the sheet of ${sheet}`;
    draw({ ...afarChart(rows, title, ({ cost }) => cost[sheet] ?? 0, 'US dollars'), xUnit: '$' });
  }
  if (exam) draw(examChart(exam));
  return [
    `<section><h2>A window of ${amount(window)}</h2>`,
    `<p class="soft">${escaped(aboutRound(round))}</p>`,
    `<div class="charts">${figures.join('\n')}</div>`,
    '<h3>At the whole window</h3>',
    tableOf(rows),
    ...(equal ? [`<h3>At as many tokens as ${escaped(rows[0]!.policy)} sends</h3>`, tableOf(equal)] : []),
    ...(exam ? [`<h3>${escaped(aboutExam(exam))}</h3>`, gridOf(...examLines(exam))] : []),
    ...(short.length > 0 ? [`<p class="soft">Left out: ${escaped(short.join(', '))}</p>`] : []),
    '</section>',
  ].join('\n');
}

function afarChart(
  rows: readonly BenchRow[],
  title: string,
  x: (row: BenchRow) => number,
  xLabel: string,
): Chart {
  const points = rows.flatMap((row): Point[] => {
    const { low, high } = row.intervals.keptFromAfar;
    return row.keptFromAfar === null
      ? []
      : [{ name: row.policy, x: x(row), y: row.keptFromAfar, low: finite(low), high: finite(high) }];
  });
  return { title, xLabel, yLabel: 'kept from afar', top: 1, points };
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

function tableOf(rows: readonly BenchRow[]): string {
  const columns = [
    { title: 'told', of: ({ budget }: BenchRow) => amount(budget) },
    ...readersColumns(rows),
    { title: `behind ${rows[0]!.policy}`, of: (row: BenchRow) => (row === rows[0] ? '' : behindOf(row)) },
  ];
  return gridOf(
    ['policy', ...columns.map(({ title }) => title)],
    rows.map((row) => [row.policy, ...columns.map(({ of }) => of(row))]),
  );
}

function gridOf(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const titles = head.map((title) => `<th scope="col">${escaped(title)}</th>`).join('');
  const rows = lines.map(([name = '', ...cells]) => {
    const figures = cells.map((cell) => `<td>${escaped(cell)}</td>`).join('');
    return `<tr><th scope="row">${escaped(name)}</th>${figures}</tr>`;
  });
  return `<div class="wide" tabindex="0" role="region" aria-label="figures"><table><thead><tr>${titles}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (mark) => ENTITIES[mark]!);
