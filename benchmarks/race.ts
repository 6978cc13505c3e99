/**
 * Many processes on one database: no lost update, no span superseded twice, each span's text requested once. Every
 * process prints the answers that it received; the store must hold exactly those at the end.
 *
 * Operations are shared out evenly.
 *
 *   npm run bench:race -- [--ops 10000] [--processes 8] [--store postgres|sqlite] [--sessions 1,50]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SessionStore } from '../src/spi/index.js';
import { openStore } from '../src/stores/index.js';
import { startPostgres } from '../test/support/postgres.js';
import type { Span, Told } from './race-worker.js';
import { inProcesses } from './support/processes.js';
import { provenance, saveResult } from './support/provenance.js';

const { values: flags } = parseArgs({
  options: {
    ops: { type: 'string', default: '10000' },
    processes: { type: 'string', default: '8' },
    store: { type: 'string', default: 'postgres' },
    sessions: { type: 'string', default: '1,50' },
  },
});
const COMMAND = `npm run bench:race -- ${process.argv.slice(2).join(' ')}`.trim();
const from = provenance(COMMAND);
const processes = Number(flags.processes);
const modes = flags.sessions.split(',').map(Number);
const opsEach = Math.ceil(Number(flags.ops) / modes.length / processes);

/** Compares the store's content with the processes' answers. Each count should be 0. */
async function faults(
  store: SessionStore,
  prefix: string,
  told: readonly Told[],
): Promise<Record<string, number>> {
  const found = {
    lostMessages: 0,
    doubledMessages: 0,
    brokenOrder: 0,
    doubleSupersedes: 0,
    gaps: 0,
    textsApart: 0,
    callsOff: 0,
  };
  const stored = new Map<string, number>();
  let events = 0;
  for (const info of (await store.threads()).filter(({ sessionId }) => sessionId.startsWith(prefix))) {
    const messages = await store.messages(info, 0);
    if (messages.length !== info.head.messages) found.brokenOrder++;
    found.brokenOrder += messages.filter(({ seq }, i) => seq !== i).length;
    for (const { id } of messages) stored.set(id, (stored.get(id) ?? 0) + 1);
    let end = 0;
    for (const { body } of await store.entries(info, 0)) {
      const span = body as unknown as Span;
      if (span.from < end) found.doubleSupersedes++;
      if (span.from > end || span.to > messages.length) found.gaps++;
      end = span.to;
    }
    events += (await store.events(info)).length;
  }
  const acknowledged = told.flatMap(({ messages }) => messages);
  found.lostMessages = acknowledged.filter((id) => !stored.has(id)).length;
  found.doubledMessages =
    [...stored.values()].filter((count) => count > 1).length + (stored.size - acknowledged.length);
  for (const { sessionId, text, ...span } of told.flatMap(({ spans }) => spans)) {
    const kept = await store.artifact(`${sessionId}:${span.from}-${span.to}`);
    if (kept?.text !== text) found.textsApart++;
  }
  const calls = told.reduce((sum, one) => sum + one.calls, 0);
  const usage = (await store.usage()).filter(({ line }) => line === 'primary');
  const summed = usage.reduce((sum, one) => sum + one.calls, 0);
  // Each event is one call; the other calls were written with their message.
  found.callsOff = Math.abs(summed - calls) + Math.abs(calls - acknowledged.length - events);
  return found;
}

const result: Record<string, unknown> = {};
let broken = 0;
const folder = mkdtempSync(join(tmpdir(), 'spillway-race-'));
const server = flags.store === 'postgres' ? await startPostgres({ durable: true }) : undefined;
try {
  for (const sessions of modes) {
    const url = server ? await server.create() : `sqlite:${join(folder, `race${sessions}.db`)}`;
    const prefix = 'race-';
    const tasks = Array.from({ length: processes }, (_, worker) => ({
      url,
      worker,
      ops: opsEach,
      sessions,
      prefix,
    }));
    const started = performance.now();
    const told = await inProcesses<Told>('benchmarks/race-worker.ts', tasks);
    const tookMs = performance.now() - started;
    const store = await openStore(url);
    const found = await faults(store, prefix, told);
    await store.close();
    broken += Object.values(found).reduce((sum, count) => sum + count, 0);
    const sum = (of: (one: Told) => number): number => told.reduce((total, one) => total + of(one), 0);
    const name = `${flags.store}, ${processes} processes, ${sessions} session${sessions > 1 ? 's' : ''}`;
    result[name] = {
      operations: opsEach * processes,
      messages: sum(({ messages }) => messages.length),
      spans: sum(({ spans }) => spans.length),
      madeAgain: sum(({ lost }) => lost),
      seconds: Math.round(tookMs / 1_000),
      faults: found,
    };
    console.log(name, JSON.stringify(result[name], undefined, 1));
  }
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `Written to ${saveResult(flags.store === 'postgres' ? 'race' : `race-${flags.store}`, COMMAND, result, from)}`,
);
if (broken > 0) {
  console.error(`${broken} faults`);
  process.exitCode = 1;
}
