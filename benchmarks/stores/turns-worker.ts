/**
 * One process of `turns.ts`: works a session of its own as an agent does (every message is stored before the next one,
 * a request is prepared after each tool result), and prints its figures.
 */
import { createSpillway } from '../../src/index.js';
import { longSession } from '../support/long-session.js';
import { cpuSince } from './figures.js';

interface Task {
  /** If absent, the engine runs without a store. */
  readonly url?: string;
  readonly sessionId: string;
  readonly inputBudget: number;
  readonly ms: number;
}

const { url, sessionId, inputBudget, ms } = JSON.parse(process.argv[2]!) as Task;
const spillway = await createSpillway({ inputBudget, ...(url !== undefined && { store: url }) });
const session = url === undefined ? spillway.session() : await spillway.open({ id: sessionId });
let appends = 0;
let prepares = 0;
let commits = 0;
let started = performance.now();
let cpu = process.cpuUsage();
/** Messages before the clock starts, so that connections, statements and compiled code exist. */
const WARM = 60;
let isWarm = false;
for (const message of longSession(1_000_000)) {
  await session.append(message);
  appends++;
  if (message.role === 'tool') {
    const { run } = await session.prepare();
    prepares++;
    if (run.kind === 'committed') commits++;
  }
  if (!isWarm && appends === WARM) {
    isWarm = true;
    [appends, prepares, commits, started] = [0, 0, 0, performance.now()];
    cpu = process.cpuUsage();
  } else if (isWarm && performance.now() - started > ms) break;
}
const tookMs = performance.now() - started;
const cpuMs = cpuSince(cpu);
await spillway.close();
console.log(JSON.stringify({ appends, prepares, commits, tookMs, cpuMs }));
