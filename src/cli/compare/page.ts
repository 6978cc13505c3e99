import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFolder } from '../../package-folder.js';
import type { ComparedFile, Comparison } from './compare-file.js';
import { rowsOf, TOTALS } from './totals.js';

/** A file of the chart library: as the build has put it into the package, else where it is installed. */
function chartFile(name: string): string {
  const built = join(packageFolder(), 'dist', 'charts', name);
  return readFileSync(
    existsSync(built) ? built : createRequire(import.meta.url).resolve(`uplot/dist/${name}`),
    'utf8',
  );
}

/** One page that needs nothing else: tables, charts, the data, and the chart library's own files in it. */
export function comparisonPage(comparison: Comparison): string {
  const script = chartFile('uPlot.iife.min.js');
  const style = chartFile('uPlot.min.css');
  const charts = comparison.files.map(({ policies }) => ({
    names: policies.map(({ name }) => name),
    calls: policies[0]?.calls.map((_, i) => i + 1) ?? [],
    tokens: policies.map(({ calls }) => calls.map(({ tokens }) => tokens)),
    kept: policies.map(({ calls }) => keptSoFar(calls)),
  }));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Spillway: ${escaped(comparison.policies.join(', '))} compared</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<style>${style}${STYLE}</style></head><body>
<h1>${escaped(comparison.policies.join(' · '))}</h1>
<p>Each policy on the same sessions, call by call. Kept: of the names, paths and numbers that the agent's next step used and
that had been said before, how many the request held. Rewritten: tokens behind the unchanged front of each request.</p>
${comparison.files.map(section).join('\n')}
<script>${script}</script>
<script type="application/json" id="charts">${inScript(JSON.stringify(charts))}</script>
<script>${DRAW}</script>
</body></html>
`;
}

function section({ file, policies, differences }: ComparedFile, place: number): string {
  const head = ['policy', ...TOTALS.map(({ title }) => title)];
  const rows = rowsOf(policies).map(
    (cells) => `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`,
  );
  const found = differences.map(
    ({ a, b, index, position, wordsA, wordsB }) =>
      `<li>${escaped(a)} and ${escaped(b)} first differ before message ${index}, at place ${position}:<pre>${escaped(a)}  ${escaped(wordsA || '(nothing)')}\n${escaped(b)}  ${escaped(wordsB || '(nothing)')}</pre></li>`,
  );
  return `<h2>${escaped(file)}</h2>
<table><thead><tr>${head.map((cell) => `<th>${escaped(cell)}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>
<div class="chart" id="tokens-${place}"></div><div class="chart" id="kept-${place}"></div>
<ul>${found.join('') || '<li>All sent the same.</li>'}</ul>`;
}

/** Share kept of all that was needed up to each call, so that a line can be read. */
function keptSoFar(calls: readonly { readonly held: number; readonly needed: number }[]): number[] {
  let held = 0;
  let needed = 0;
  return calls.map((call) => {
    held += call.held;
    needed += call.needed;
    return needed === 0 ? 1 : Number((held / needed).toFixed(4));
  });
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** No text in it may end the script that it stands in. */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c');

const STYLE = `
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #1a1a1a; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem .2rem 0; text-align: right; } th:first-child, td:first-child { text-align: left; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f5f5f5; padding: .5rem; }
.chart { margin: 1rem 0; }`;

const DRAW = `
const colours = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#17becf'];
JSON.parse(document.getElementById('charts').textContent).forEach(({ names, calls, tokens, kept }, place) => {
  const draw = (id, title, lines) => new uPlot({
    title, width: Math.min(1100, document.body.clientWidth), height: 260, scales: { x: { time: false } },
    axes: [{ label: 'call' }, { size: 70 }],
    series: [{ label: 'call' }, ...names.map((label, i) => ({ label, stroke: colours[i % colours.length], width: 1.5 }))],
  }, [calls, ...lines], document.getElementById(id + '-' + place));
  draw('tokens', 'Tokens sent', tokens);
  draw('kept', 'Kept of what the next steps needed, so far', kept);
});`;
