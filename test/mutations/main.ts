/* Takes one behaviour out for each row and expects the row's own acceptance tests to notice.
 *   npm run test:mutations                 every row
 *   npm run test:mutations -- S1 AC-13     these rows
 *   npm run test:mutations -- S1.floor     this one of a row's mutations
 *   npm run test:mutations -- --sample 4   so many, others each day; `--seed N` repeats a day's
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { applied, readMutations, ROOT, testsByRow, type Mutation } from './mutation.js';

/** What a copy of the tree does without. */
const LEFT_OUT = new Set(['node_modules', '.git', 'dist', 'coverage']);
/** They look at what was built, which is left out: they would fail whatever the mutation is. */
const NEEDS_BUILD = join('test', 'acceptance', 'page');
/** A mutation may make a test hang. */
const LONGEST_MS = 300_000;
const DAY_MS = 86_400_000;

interface Counted {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string' } },
});

function chosen(): Mutation[] {
  const all = readMutations();
  if (positionals.length > 0) {
    const isNamed = ({ row, name }: Mutation, given: string): boolean => row === given || name === given;
    const missing = positionals.filter((given) => !all.some((one) => isNamed(one, given)));
    if (missing.length > 0) throw new Error(`No mutation of ${missing.join(', ')}.`);
    return all.filter((one) => positionals.some((given) => isNamed(one, given)));
  }
  if (values.sample === undefined) return all;
  const seed = Number(values.seed ?? Math.floor(Date.now() / DAY_MS));
  const count = Math.min(Number(values.sample), all.length);
  console.log(`seed ${seed}`);
  // Steps that share no factor with the number of mutations reach each of them before any comes again.
  return Array.from({ length: count }, (_, i) => all[((seed * count + i) * 7919) % all.length]!);
}

const isOfSources = (file: string): boolean => !file.startsWith(NEEDS_BUILD);

/** The tests of a row in the copy: how many passed and failed. */
function run(copy: string, row: string, files: readonly string[]): Counted | undefined {
  const report = join(copy, 'mutation-report.json');
  rmSync(report, { force: true });
  spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      ...files.map((file) => file.replaceAll('.', '\\.')),
      '-t',
      `(^| )${row}\\b`,
      '--maxWorkers=1',
      '--bail',
      '--json',
      `--outputFile=${report}`,
    ],
    { cwd: copy, stdio: 'ignore', timeout: LONGEST_MS, killSignal: 'SIGKILL' },
  );
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as Counted;
  } catch {
    return undefined; // a test failed, after which there is no report; or it hung, or died: that is noticed too
  }
}

/** Undefined where the row's tests notice; else why this says nothing, or that they do not. */
function judge(copy: string, { row, name, changes }: Mutation, files: readonly string[]): string | undefined {
  if (files.length === 0) return 'no acceptance test has a title that begins with the row';
  const before = new Map(changes.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]));
  const after = new Map(before);
  for (const change of changes) after.set(change.file, applied(name, change, after.get(change.file)!));
  try {
    for (const [file, text] of after) writeFileSync(join(copy, file), text);
    const counted = run(copy, row, files);
    if (!counted) return undefined;
    if (counted.numFailedTests > 0) return undefined;
    if (counted.numRuntimeErrorTestSuites > 0) return 'the mutated sources do not load';
    return counted.numPassedTests === 0 ? 'no test ran' : `${counted.numPassedTests} tests still pass`;
  } finally {
    for (const [file, text] of before) writeFileSync(join(copy, file), text);
  }
}

const copy = mkdtempSync(join(tmpdir(), 'spillway-mutations-'));
try {
  cpSync(ROOT, copy, {
    recursive: true,
    filter: (path) => !LEFT_OUT.has(relative(ROOT, path).split(/[\\/]/)[0]!),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const tests = testsByRow();
  let survived = 0;
  const mutations = chosen();
  for (const mutation of mutations) {
    const started = performance.now();
    let why: string | undefined;
    try {
      why = judge(copy, mutation, (tests.get(mutation.row) ?? []).filter(isOfSources));
    } catch (error) {
      why = (error as Error).message;
    }
    const seconds = ((performance.now() - started) / 1_000).toFixed(0);
    if (why !== undefined) survived++;
    console.log(
      `${why === undefined ? 'caught  ' : 'SURVIVED'} ${mutation.name}  ${mutation.what} (${seconds} s)${why === undefined ? '' : `: ${why}`}`,
    );
  }
  console.log(`${mutations.length - survived} caught, ${survived} survived`);
  process.exitCode = survived > 0 ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
