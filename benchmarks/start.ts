/**
 * The cost of starting Spillway: `import 'spillway'`, `createSpillway`, and the first `prepare`, which reads the
 * tokenizer's vocabulary. Each measurement runs the built package (`npm run build` first) in a fresh process. On a busy
 * machine read the processor time, and compare it with an empty process of Node.
 *
 *   npm run bench:start -- [--times 21]
 */
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { provenance, saveResult } from './support/provenance.js';

const { values: flags } = parseArgs({ options: { times: { type: 'string', default: '21' } } });
const COMMAND = `npm run bench:start -- --times ${flags.times}`;
/** Milliseconds that an empty process of Node 20 takes on an idle machine. */
const EMPTY_MS = 40;
/** Milliseconds, on an idle machine. */
const GOALS: Readonly<Record<string, number>> = { import: 150, createSpillway: 50 };

type Took = Readonly<Record<string, { readonly wallMs: number; readonly cpuMs: number }>>;

const from = provenance(COMMAND);
const runs = Array.from({ length: Number(flags.times) }, (): Took => {
  const child = ['benchmarks/start-child.mjs', resolve('dist/index.js')];
  return JSON.parse(execFileSync(process.execPath, child, { encoding: 'utf8' })) as Took;
});

const rounded = (value: number): number => Math.round(value * 10) / 10;
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

const emptyMs = median(runs.map((run) => run['empty process']!.cpuMs));
const result = Object.fromEntries(
  Object.keys(runs[0]!).map((name) => {
    const cpuMs = median(runs.map((run) => run[name]!.cpuMs));
    const figures = {
      wallMs: rounded(median(runs.map((run) => run[name]!.wallMs))),
      leastWallMs: rounded(Math.min(...runs.map((run) => run[name]!.wallMs))),
      cpuMs: rounded(cpuMs),
      /** Relative to an empty process on the same machine at the same time. */
      emptyProcesses: rounded(cpuMs / emptyMs),
      ...(GOALS[name] !== undefined && {
        goalMs: GOALS[name],
        scaledMs: rounded((cpuMs / emptyMs) * EMPTY_MS),
      }),
    };
    return [name, figures];
  }),
);
console.table(result);
const load = loadavg()[0]!.toFixed(1);
console.log(`load ${load}; ${saveResult('start', COMMAND, { times: runs.length, load, ...result }, from)}`);
