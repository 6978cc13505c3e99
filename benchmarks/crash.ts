/**
 * Kills a process that works a session, again and again, and checks the stored state:
 *   npm run bench:crash -- --runs 500 --store sqlite
 *   npm run bench:crash -- --runs 100 --store postgres
 *   npm run bench:crash -- --runs 100 --store postgres://user:password@host/name
 * `postgres` starts its own server, from the packages. Every answer to the process is checked: messages word by word,
 * compactions, undos. Then the next process continues. Runs add up by store and seed in `results/crash.json`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { createSpillway } from '../src/index.js';
import { startPostgres } from '../test/support/postgres.js';
import { messageFor, randomOf } from './crash-work.js';
import { provenance, saveResult, type Provenance } from './support/provenance.js';

/** The number of kills after which a new session begins, so that later runs do not test long sessions only. */
const RUNS_A_SESSION = 20;
/** The latest moment of the kill, in milliseconds after the process has opened its session. */
const LATEST_KILL_MS = 400;

type Told = readonly [what: string, id: string];

/** The results of the kills of one seed. */
interface Killed extends Provenance {
  readonly seed: string;
  readonly kills: number;
  readonly answers: number;
  readonly faults: readonly string[];
}
type ByStore = Readonly<Record<string, readonly Killed[]>>;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '50' },
    store: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: '1' },
  },
});
const runs = Number(values.runs);
const from = provenance(`npm run bench:crash -- ${process.argv.slice(2).join(' ')}`.trim());
const folder = mkdtempSync(join(tmpdir(), 'spillway-crash-'));
/** The worker as one file, because it starts hundreds of times and reading modules is most of a start. */
const worker = fileURLToPath(
  new URL(`../node_modules/.cache/spillway/crash-child-${process.pid}.mjs`, import.meta.url),
);
await build({
  entryPoints: [fileURLToPath(new URL('crash-child.ts', import.meta.url))],
  outfile: worker,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
});
const server = values.store === 'postgres' ? await startPostgres({ durable: true }) : undefined;
const url =
  (await server?.create()) ??
  (values.store === 'sqlite' ? `sqlite:${join(folder, 'sessions.db')}` : values.store);
const random = randomOf(Number(values.seed));
const faults: string[] = [];
let acknowledged = 0;
let told: Told[] = [];

for (let run = 0; run < runs; run++) {
  const sessionId = `crash-${values.seed}-${Math.floor(run / RUNS_A_SESSION)}`;
  if (run % RUNS_A_SESSION === 0) told = [];
  const news = await killWorker(sessionId, run, random() * LATEST_KILL_MS);
  acknowledged += news.length;
  told.push(...news);
  const found = (await check(sessionId)).map((fault) => `run ${run}: ${fault}`);
  faults.push(...found);
  for (const fault of found) process.stderr.write(`${fault}\n`);
  if ((run + 1) % 10 === 0)
    process.stderr.write(`${run + 1} of ${runs} kills, ${acknowledged} answers, ${faults.length} faults\n`);
}
await server?.stop();
rmSync(folder, { recursive: true, force: true });
rmSync(worker);
const store = url.replace(/:.*/s, '');
const killed: Killed = { ...from, seed: values.seed, kills: runs, answers: acknowledged, faults };
save(store, killed);
process.stdout.write(`${JSON.stringify({ store, ...killed })}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Saves the results next to those of other seeds and stores. */
function save(name: string, news: Killed): void {
  let before: ByStore = {};
  try {
    before = (JSON.parse(readFileSync('benchmarks/results/crash.json', 'utf8')) as { result: ByStore })
      .result;
  } catch {
    // This is the first result.
  }
  const others = (before[name] ?? []).filter(({ seed }) => seed !== news.seed);
  saveResult('crash', from.command, { ...before, [name]: [...others, news] }, from);
}

/** Runs a worker, kills it some time after its session is open, and returns what it had printed by then. */
function killWorker(sessionId: string, run: number, afterMs: number): Promise<readonly Told[]> {
  const child = spawn(process.execPath, [worker, url, sessionId, String(run + 1)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on('data', (piece: Buffer) => {
    text += piece.toString();
    timer ??= setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== null) faults.push(`run ${run}: the worker ended by itself with ${code}`);
      const lines = text.split('\n').slice(0, -1);
      resolve(lines.map((line) => JSON.parse(line) as Told));
    });
  });
}

/** The faults in the state that a killed worker left. */
async function check(sessionId: string): Promise<string[]> {
  const found: string[] = [];
  const spillway = await createSpillway({
    store: url,
    inputBudget: 3_000,
    settings: { counter: 'heuristic', safetyMargin: 0 },
  });
  try {
    const session = await spillway.open({ id: sessionId });
    const tail = JSON.stringify(session.view.map(({ message }) => message));
    await session.load();
    if (JSON.stringify(session.view.map(({ message }) => message)) !== tail)
      found.push('the tail and the whole give other views');
    for (let seq = 0; seq < session.log.length; seq++) {
      const { id, parts } = session.log.at(seq);
      const meant = messageFor(seq);
      if (id !== meant.id || JSON.stringify(parts) !== JSON.stringify(meant.parts))
        found.push(`message ${seq} is not what was written`);
    }
    const records = new Map(session.operator.ledger.records.map((record) => [record.id, record]));
    for (const [what, id] of told) {
      if (what === 'append' && !session.log.find(id)) found.push(`lost message ${id}`);
      if (what === 'commit' && !records.has(id)) found.push(`lost compaction ${id}`);
      if (what === 'undo' && records.get(id)?.status !== 'undone') found.push(`lost the undoing of ${id}`);
    }
    for (const [what, hash] of told) {
      const isKnown =
        session.operator.pending?.plan.hash === hash ||
        [...records.values()].some(({ plan }) => plan.hash === hash);
      if (what === 'propose' && !isKnown) found.push(`lost the plan ${hash}`);
    }
    // The worker was killed between a plan and its approval: the plan waits, and the next process may approve it.
    if (session.operator.pending) await session.operator.approve();
    // The worker was killed between an undo and its release: the held span may not fit until it is released.
    if (session.operator.ledger.holds.length > 0) await session.operator.release();
    await session.prepare();
  } catch (error) {
    found.push(`could not go on: ${String(error)}`);
  } finally {
    await spillway.close();
  }
  return found;
}
