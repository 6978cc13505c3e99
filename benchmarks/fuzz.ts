import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { fuzzOne, type Found } from '../test/fuzz/one.js';
import { provenance, saveResult } from './support/provenance.js';

/** Where a fuzzing stands: written after every hundred sessions, so that it may be stopped at any time. */
interface State {
  /** The seed that comes next. */
  seed: number;
  sessions: number;
  requests: number;
  found: Found[];
}

const SAVE_EVERY = 100;

const program = new Command('fuzz')
  .description(
    'Generated sessions, compacted by force, judged in every wire format. Goes on where its state file ends.',
  )
  .option('--seed <number>', 'begin with this seed; the state file is written anew', Number)
  .option('--minutes <number>', 'stop after so many minutes', Number)
  .option('--runs <number>', 'stop after so many sessions', Number)
  .option('--requests <number>', 'stop after so many requests in all', Number)
  .option('--state <file>', 'where it stands', 'fuzz-state.json')
  .option('--save', 'write what it came to into benchmarks/results')
  .parse();
const options = program.opts<{
  seed?: number;
  minutes?: number;
  runs?: number;
  requests?: number;
  state: string;
  save?: boolean;
}>();
const command = `npm run fuzz -- ${process.argv.slice(2).join(' ')}`;
const base = provenance(command);

const isFresh = options.seed !== undefined || !existsSync(options.state);
const state: State = isFresh
  ? { seed: options.seed ?? 1, sessions: 0, requests: 0, found: [] }
  : (JSON.parse(readFileSync(options.state, 'utf8')) as State);
const started = Date.now();
const isBounded = options.runs !== undefined || options.requests !== undefined;
const end = started + (options.minutes ?? (isBounded ? Number.POSITIVE_INFINITY : 1)) * 60_000;
const mostRequests = options.requests ?? Number.POSITIVE_INFINITY;
const [from, before] = [state.seed, state.requests];

const save = (): void => writeFileSync(options.state, `${JSON.stringify(state, undefined, 1)}\n`);

const isOver = (run: number): boolean =>
  run >= (options.runs ?? Number.POSITIVE_INFINITY) || Date.now() >= end || state.requests >= mostRequests;

for (let run = 0; !isOver(run); run++) {
  const { requests, found } = await fuzzOne(state.seed);
  for (const one of found) process.stdout.write(`seed ${one.seed}: ${one.where}: ${one.what}\n`);
  state.seed += 1;
  state.sessions += 1;
  state.requests += requests;
  state.found.push(...found);
  if (run % SAVE_EVERY === SAVE_EVERY - 1) save();
}
save();
const seconds = Math.round((Date.now() - started) / 1_000);
process.stdout.write(
  `seeds ${from} to ${state.seed - 1}: ${state.requests - before} requests in ${seconds} s; ` +
    `in all ${state.sessions} sessions, ${state.requests} requests, ${state.found.length} faults (${options.state})\n`,
);
if (options.save === true) {
  const { seed: next, sessions, requests, found } = state;
  const seeds = { from: next - sessions, to: next - 1 };
  const result = { seeds, sessions, requests, faults: found.length, found, seconds };
  process.stdout.write(`${saveResult('fuzz', command, result, base)}\n`);
}
if (state.found.length > 0) process.exitCode = 1;
