import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { fuzzNative } from '../test/fuzz/native.js';
import { fuzzOne, type Found } from '../test/fuzz/one.js';
import { provenance, saveResult } from './support/provenance.js';

/** The progress of a fuzzing run: written after every hundred sessions, so that the run can be stopped at any time. */
interface State {
  /** The next seed. */
  seed: number;
  sessions: number;
  requests: number;
  found: Found[];
}

const SAVE_EVERY = 100;

const program = new Command('fuzz')
  .description(
    'Forces compactions of generated sessions and checks every wire format. Continues from its state file.',
  )
  .option('--native', 'histories in the native form of four wires, with the rare parts of their providers')
  .option('--seed <number>', 'begin with this seed, with a new state file', Number)
  .option('--minutes <number>', 'stop after this many minutes', Number)
  .option('--runs <number>', 'stop after this many sessions', Number)
  .option('--requests <number>', 'stop after this many requests in total', Number)
  .option('--state <file>', 'file of the progress (default: fuzz-state.json, fuzz-state-native.json)')
  .option('--save', 'write the result into benchmarks/results')
  .parse();
const options = program.opts<{
  seed?: number;
  minutes?: number;
  runs?: number;
  requests?: number;
  native?: boolean;
  state?: string;
  save?: boolean;
}>();
const [fuzz, result] = options.native ? [fuzzNative, 'fuzz-native'] : [fuzzOne, 'fuzz'];
const stateFile = options.state ?? `fuzz-state${options.native ? '-native' : ''}.json`;
const command = `npm run fuzz -- ${process.argv.slice(2).join(' ')}`;
const base = provenance(command);

const isFresh = options.seed !== undefined || !existsSync(stateFile);
const state: State = isFresh
  ? { seed: options.seed ?? 1, sessions: 0, requests: 0, found: [] }
  : (JSON.parse(readFileSync(stateFile, 'utf8')) as State);
const started = Date.now();
const isBounded = options.runs !== undefined || options.requests !== undefined;
const end = started + (options.minutes ?? (isBounded ? Number.POSITIVE_INFINITY : 1)) * 60_000;
const mostRequests = options.requests ?? Number.POSITIVE_INFINITY;
const [from, before] = [state.seed, state.requests];

const save = (): void => writeFileSync(stateFile, `${JSON.stringify(state, undefined, 1)}\n`);

const isOver = (run: number): boolean =>
  run >= (options.runs ?? Number.POSITIVE_INFINITY) || Date.now() >= end || state.requests >= mostRequests;

for (let run = 0; !isOver(run); run++) {
  const { requests, found } = await fuzz(state.seed);
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
    `in all ${state.sessions} sessions, ${state.requests} requests, ${state.found.length} faults (${stateFile})\n`,
);
if (options.save === true) {
  const { seed: next, sessions, requests, found } = state;
  const seeds = { from: next - sessions, to: next - 1 };
  const said = { seeds, sessions, requests, faults: found.length, found, seconds };
  process.stdout.write(`${saveResult(result, command, said, base)}\n`);
}
if (state.found.length > 0) process.exitCode = 1;
