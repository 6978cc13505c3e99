// npm run bench:load -- concurrent | memory | replicas | herd: many agents through the proxy at once, each resending its history.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../test/support/postgres.js';
import { provenance, saveResult } from '../support/provenance.js';
import { LoadAgent, Tally } from './agent.js';
import { herd } from './herd.js';
import { startService, startUpstream, type ServiceProcess } from './processes.js';

const [what = 'concurrent', first, second] = process.argv.slice(2);
const STEP_TOKENS = 900;
const MIB = 1_048_576;
const COMMAND = ['npm run bench:load --', ...process.argv.slice(2)].join(' ');

const upstream = await startUpstream();
const folder = mkdtempSync(join(tmpdir(), 'spillway-load-'));
const sqlite = (): string => `sqlite:${join(folder, 'load.db')}`;

/** Runs `agents` at once; each makes its next call as soon as it has an answer. */
async function run(
  urls: readonly string[],
  agents: number,
  calls: number,
  tally: Tally,
  name = '',
): Promise<number> {
  const from = performance.now();
  await Promise.all(
    Array.from({ length: agents }, async (_, i) => {
      const agent = new LoadAgent(`${name}${i}`, urls, tally);
      for (let call = 0; call < calls; call++) await agent.call(STEP_TOKENS);
    }),
  );
  return (performance.now() - from) / 1_000;
}

function say(label: string, seconds: number, tally: Tally): void {
  const failed = [...tally.failures].map(([why, count]) => `${count} × ${why}`).join(', ') || '0';
  console.log(
    `${label}: ${tally.times.length} calls in ${seconds.toFixed(0)} s, ${(tally.times.length / seconds).toFixed(0)} a second, p50 ${tally.at(0.5).toFixed(0)} ms, p99 ${tally.at(0.99).toFixed(0)} ms, failed ${failed}`,
  );
}

async function concurrent(agents: number, calls: number): Promise<void> {
  const service = await startService(sqlite(), upstream.url, agents);
  const tally = new Tally();
  const seconds = await run([service.url], agents, calls, tally);
  say(`${agents} agents at once`, seconds, tally);
  const { heapUsed, rss, maxRss } = await service.held();
  console.log(
    `heap after collection ${(heapUsed / MIB).toFixed(0)} MiB, resident ${(rss / MIB).toFixed(0)} MiB, at most ${(maxRss / MIB).toFixed(0)} MiB`,
  );
  await service.end();
}

/**
 * Agents start and end: ten calls a second for `minutes`, by agents that end after 30 calls. Each measurement is saved,
 * so that a run that is stopped early has its figures.
 */
async function memory(minutes: number): Promise<void> {
  const agents = 20;
  const calls = 30;
  const rounds = Math.ceil((minutes * 60 * 10) / (agents * calls));
  const service = await startService(sqlite(), upstream.url, 50);
  const tally = new Tally();
  let seconds = 0;
  const samples: object[] = [];
  const from = provenance(COMMAND);
  for (let round = 0; round < rounds; round++) {
    seconds += await run([service.url], agents, calls, tally, `${round}.`);
    if (round % Math.max(1, Math.floor(rounds / 10)) !== 0 && round !== rounds - 1) continue;
    const { heapUsed, rss, maxRss } = await service.held();
    samples.push({ calls: tally.times.length, sessions: (round + 1) * agents, heapUsed, rss, maxRss });
    const failed = Object.fromEntries(tally.failures);
    const times = { p50Ms: Math.round(tally.at(0.5)), p99Ms: Math.round(tally.at(0.99)) };
    const wanted = rounds * agents * calls;
    const rest = { calls: tally.times.length, wanted, seconds: Math.round(seconds), ...times, failed };
    saveResult('load-memory', COMMAND, { ...rest, samples }, from);
    console.log(
      `after ${tally.times.length} calls, ${(round + 1) * agents} sessions: heap ${(heapUsed / MIB).toFixed(1)} MiB, resident ${(rss / MIB).toFixed(0)} MiB`,
    );
  }
  say(`${minutes} minutes' worth at ten calls a second`, seconds, tally);
  await service.end();
}

async function replicas(agents: number, calls: number): Promise<void> {
  const postgres = await startPostgres({ durable: true });
  for (const count of [1, 2]) {
    const url = await postgres.create();
    const services: ServiceProcess[] = [];
    for (let i = 0; i < count; i++) services.push(await startService(url, upstream.url, agents));
    const tally = new Tally();
    const seconds = await run(
      services.map((one) => one.url),
      agents,
      calls,
      tally,
    );
    say(`${count} on one PostgreSQL, ${agents} agents in turns`, seconds, tally);
    const sessions = await postgres.run(url, 'select count(*)::int as n from spillway_thread');
    console.log(`sessions in the store: ${JSON.stringify(sessions)}`);
    for (const one of services) await one.end();
  }
  await postgres.stop();
}

try {
  if (what === 'memory') await memory(Number(first ?? 30));
  else if (what === 'herd') await herd(Number(first ?? 200), sqlite(), COMMAND);
  else if (what === 'replicas') await replicas(Number(first ?? 50), Number(second ?? 15));
  else await concurrent(Number(first ?? 1_000), Number(second ?? 12));
} finally {
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
