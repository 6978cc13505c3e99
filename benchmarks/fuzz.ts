import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { fuzzOne, type Found } from '../test/fuzz/one.js';

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
  .option('--state <file>', 'where it stands', 'fuzz-state.json')
  .parse();
const options = program.opts<{ seed?: number; minutes?: number; runs?: number; state: string }>();

const isFresh = options.seed !== undefined || !existsSync(options.state);
const state: State = isFresh
  ? { seed: options.seed ?? 1, sessions: 0, requests: 0, found: [] }
  : (JSON.parse(readFileSync(options.state, 'utf8')) as State);
const started = Date.now();
const end =
  started + (options.minutes ?? (options.runs === undefined ? 1 : Number.POSITIVE_INFINITY)) * 60_000;
const [from, before] = [state.seed, state.requests];

const save = (): void => writeFileSync(options.state, `${JSON.stringify(state, undefined, 1)}\n`);

for (let run = 0; run < (options.runs ?? Number.POSITIVE_INFINITY) && Date.now() < end; run++) {
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
if (state.found.length > 0) process.exitCode = 1;
