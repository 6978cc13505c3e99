import { inProcesses } from '../support/processes.js';
import { logMessage } from '../support/log-message.js';
import { openBare } from './bare.js';
import { median, round, timed } from './figures.js';

interface Worked {
  readonly rows: number;
  readonly tookMs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

const COMMITS = 300;

/** The time of one row in a durable commit by the bare driver, in the same minute: the lower limit of any store. */
async function bareCommit(url: string): Promise<number> {
  const bare = await openBare(url);
  const body = JSON.stringify(logMessage(0));
  const times: number[] = [];
  for (let i = 0; i < COMMITS; i++) times.push(await timed(() => bare.commit(body)));
  await bare.close();
  return round(median(times));
}

/** Messages a second through the store alone, at 1 and 100 a write, by 1 and 2 processes. */
export async function writes(url: string, seconds: number): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = { bareCommitMedianMs: await bareCommit(url) };
  for (const processes of [1, 2]) {
    for (const rows of [1, 100]) {
      const tasks = Array.from({ length: processes }, (_, i) => ({
        url,
        sessionId: `${processes}/${rows}/${i}`,
        rows,
        ms: seconds * 1_000,
      }));
      const worked = await inProcesses<Worked>('benchmarks/stores/writes-worker.ts', tasks);
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
