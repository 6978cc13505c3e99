import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import fc from 'fast-check';
import { serveEmulator } from '../test/emulator/server.js';
import { inLibrary, inProxy, type Length } from '../test/fuzz/histories.js';
import { provenance, saveResult } from './support/provenance.js';

const { check } = fc;
const emulator = await serveEmulator();

/** How many of a hundred chunks each place gets: the proxy makes a history cost ten times as much as a session does. */
const SHARES = [
  { where: 'library, memory', chunks: 75, tried: (length: Length) => inLibrary('memory', length) },
  { where: 'library, SQLite', chunks: 20, tried: (length: Length) => inLibrary('sqlite', length) },
  { where: 'proxy, memory', chunks: 3, tried: (length: Length) => inProxy('memory', emulator, length) },
  { where: 'proxy, SQLite', chunks: 2, tried: (length: Length) => inProxy('sqlite', emulator, length) },
] as const;

const CHUNK = 100;
/** Every tenth chunk has long histories. */
const LONG_EVERY = 10;

interface State {
  /** The seed of the next chunk. */
  next: number;
  seconds: number;
  histories: Record<string, number>;
  found: { where: string; seed: number; path: string | null; what: string }[];
}

const program = new Command('histories')
  .description('Generated clients edit, fork and restart: is the newest message sent, and no foreign word?')
  .option('--chunks <from-to>', 'seeds of the chunks of a hundred histories', '1-50')
  .option('--where <name>', 'use only this place: one of the four that the results name')
  .option('--state <file>', 'file of the progress, to continue from', 'histories-state.json')
  .option('--merge <files...>', 'write the results of these state files into benchmarks/results')
  .parse();
const options = program.opts<{ chunks: string; where?: string; state: string; merge?: string[] }>();
const command = 'npm run fuzz:histories';
const base = provenance(command);

const read = (file: string): State => JSON.parse(readFileSync(file, 'utf8')) as State;

function merged(): void {
  const all: State = { next: 0, seconds: 0, histories: {}, found: [] };
  for (const { histories, found, seconds } of options.merge!.map(read)) {
    for (const [where, count] of Object.entries(histories))
      all.histories[where] = (all.histories[where] ?? 0) + count;
    all.found.push(...found);
    all.seconds += seconds;
  }
  const sum = Object.values(all.histories).reduce((a, b) => a + b, 0);
  const { histories, found, seconds } = all;
  process.stdout.write(`${saveResult('histories', command, { sum, histories, found, seconds }, base)}\n`);
}

async function run(): Promise<void> {
  const [from, to] = options.chunks.split('-').map(Number) as [number, number];
  const state: State = existsSync(options.state)
    ? read(options.state)
    : { next: from, seconds: 0, histories: {}, found: [] };
  const shares = SHARES.filter(({ where }) => where === (options.where ?? where));
  const order = shares.flatMap((share) => Array.from({ length: share.chunks }, () => share));
  for (; state.next <= to;) {
    const started = Date.now();
    const { where, tried } = order[(state.next * 37) % order.length]!;
    const { property, close } = tried(state.next % LONG_EVERY === 0 ? 'long' : 'usual');
    const result = await check(property, { seed: state.next, numRuns: CHUNK });
    await close();
    state.histories[where] = (state.histories[where] ?? 0) + result.numRuns;
    if (result.failed) {
      const what = `${JSON.stringify(result.counterexample)}: ${String(result.errorInstance)}`;
      state.found.push({ where, seed: state.next, path: result.counterexamplePath, what });
      process.stdout.write(`${where}, seed ${state.next}: ${what}\n`);
    }
    state.seconds += (Date.now() - started) / 1_000;
    state.next += 1;
    writeFileSync(options.state, `${JSON.stringify(state, undefined, 1)}\n`);
  }
  process.stdout.write(`${JSON.stringify(state.histories)}, ${state.found.length} faults\n`);
}

await (options.merge ? Promise.resolve(merged()) : run());
emulator.close();
