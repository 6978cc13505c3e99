/**
 * What stores cost: durable appends a second at 1 and 100 rows a write, by 1 and 2 processes; opening a session of 100 and
 * of 1,000,000 messages; searching the long one.
 *
 *   npm run bench:stores -- [--stores sqlite,postgres] [--seconds 4] [--long 1000000] [--rounds 60]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Libsql from 'libsql';
import pg from 'pg';
import type { SessionStore, ThreadKey } from '../src/spi/index.js';
import { openStore } from '../src/storage/index.js';
import { startPostgres } from '../test/support/postgres.js';
import { logMessage } from './support/log-message.js';
import { inProcesses } from './support/processes.js';
import { provenance, saveResult } from './support/provenance.js';

const { values: flags } = parseArgs({
  options: {
    stores: { type: 'string', default: 'sqlite,postgres' },
    seconds: { type: 'string', default: '4' },
    long: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '60' },
  },
});
const COMMAND = `npm run bench:stores -- ${process.argv.slice(2).join(' ')}`.trim();
const from = provenance(COMMAND);
const SHORT = 100;
/** What a session reads behind its checkpoint when it is opened. */
const TAIL = 50;
const COMMITS = 300;

const round = (value: number, digits = 2): number => Number(value.toFixed(digits));
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

interface Worked {
  readonly rows: number;
  readonly tookMs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** One row in one durable commit by the bare driver, as it takes in the same minute: what no store can be below. */
async function bareCommit(url: string): Promise<number> {
  const times: number[] = [];
  const body = JSON.stringify(logMessage(0));
  const timed = async (work: () => unknown): Promise<void> => {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  };
  if (url.startsWith('sqlite:')) {
    const database = new Libsql(`${url.slice('sqlite:'.length)}.bare`);
    database.exec(
      'pragma journal_mode = wal; pragma synchronous = full; create table bare (seq integer primary key, body text)',
    );
    const insert = database.prepare('insert into bare (body) values (?)');
    for (let i = 0; i < COMMITS; i++) await timed(() => insert.run([body]));
    database.close();
  } else {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('create table bare (seq bigint generated always as identity primary key, body text)');
    for (let i = 0; i < COMMITS; i++)
      await timed(() => client.query('insert into bare (body) values ($1)', [body]));
    await client.end();
  }
  return round(median(times));
}

async function appends(url: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = { bareCommitMedianMs: await bareCommit(url) };
  for (const processes of [1, 2]) {
    for (const rows of [1, 100]) {
      const tasks = Array.from({ length: processes }, (_, i) => ({
        url,
        sessionId: `${processes}/${rows}/${i}`,
        rows,
        ms: Number(flags.seconds) * 1_000,
      }));
      const worked = await inProcesses<Worked>('benchmarks/stores-worker.ts', tasks);
      const perSecond = worked.reduce((sum, one) => sum + (one.rows / one.tookMs) * 1_000, 0);
      found[`${rows} a write, ${processes} process${processes > 1 ? 'es' : ''}`] = {
        messagesPerSecond: Math.round(perSecond),
        writeMedianMs: median(worked.map(({ medianMs }) => medianMs)),
        writeP99Ms: Math.max(...worked.map(({ p99Ms }) => p99Ms)),
      };
    }
  }
  return found;
}

async function fill(store: SessionStore, key: ThreadKey, count: number): Promise<void> {
  let head = { messages: 0, entries: 0 };
  while (head.messages < count) {
    const many = Math.min(2_000, count - head.messages);
    const messages = Array.from({ length: many }, (_, i) => logMessage(head.messages + i));
    head = (await store.write(key, head, { messages, checkpoint: { tail: head.messages } }))!;
  }
}

/** Connecting, the thread's row and checkpoint, and the tail: what stands between a command and its session. */
async function opening(url: string, key: ThreadKey): Promise<number> {
  const started = performance.now();
  const store = await openStore(url);
  const head = (await store.load(key))!.head;
  const tail = await store.messages(key, head.messages - TAIL);
  const tookMs = performance.now() - started;
  if (tail.length !== TAIL) throw new Error(`a tail of ${tail.length}`);
  await store.close();
  return tookMs;
}

async function longThread(url: string): Promise<Record<string, unknown>> {
  const [short, long] = ['short', 'long'].map((sessionId) => ({ sessionId, agentPath: 'primary' }));
  const store = await openStore(url);
  await fill(store, short!, SHORT);
  const started = performance.now();
  await fill(store, long!, Number(flags.long));
  const fillMs = performance.now() - started;
  const searched: Record<string, number> = {};
  for (const query of [`step${Number(flags.long) >> 1}`, 'retryLimit load.ts', 'why did the build fail']) {
    const asked = performance.now();
    const hits = await store.search(long!, query, 10);
    searched[`"${query}"`] = round(performance.now() - asked, 1);
    if (hits.length === 0) throw new Error(`nothing found for ${query}`);
  }
  await store.close();
  // In turn, so that what else the machine does meets both.
  const times = { short: [] as number[], long: [] as number[] };
  for (let i = 0; i < Number(flags.rounds); i++) {
    times.short.push(await opening(url, short!));
    times.long.push(await opening(url, long!));
  }
  return {
    messages: [SHORT, Number(flags.long)],
    openMs: [round(median(times.short)), round(median(times.long))],
    ratio: round(median(times.long) / median(times.short)),
    goal: 1.5,
    fillMessagesPerSecond: Math.round(Number(flags.long) / (fillMs / 1_000)),
    searchMs: searched,
  };
}

for (const kind of flags.stores.split(',')) {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-bench-'));
  const server = kind === 'postgres' ? await startPostgres({ durable: true }) : undefined;
  const url = async (name: string): Promise<string> => server?.create() ?? `sqlite:${join(folder, name)}`;
  try {
    const lines = { appends: await appends(await url('appends.db')) };
    console.log(kind, JSON.stringify(lines, undefined, 1));
    const long = await longThread(await url('long.db'));
    const bytes = server ? undefined : statSync(join(folder, 'long.db')).size;
    const opening = { ...long, ...(bytes && { fileBytes: bytes }) };
    console.log(kind, JSON.stringify(opening, undefined, 1));
    console.log(
      `Written to ${saveResult(`stores-${kind}`, COMMAND, { loadAverage: loadavg().map((load) => round(load, 1)), ...lines, opening }, from)}`,
    );
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
