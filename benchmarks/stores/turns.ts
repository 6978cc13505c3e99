import { createSpillway, openStore, type Session, type SessionStore } from '../../src/index.js';
import { logMessage } from '../support/log-message.js';
import { longSession } from '../support/long-session.js';
import { inProcesses } from '../support/processes.js';
import { openBare } from './bare.js';
import { cpuSince, median, round, timed } from './figures.js';

/** The budget of a small model, so that a short run still commits often. */
const INPUT_BUDGET = 32_000;

interface Worked {
  readonly appends: number;
  readonly prepares: number;
  readonly commits: number;
  readonly tookMs: number;
  readonly cpuMs: number;
}

/** Appends and prepares a second of whole sessions, by several processes at once, each with a session of its own. */
async function throughput(
  url: string | undefined,
  processes: number,
  seconds: number,
): Promise<Record<string, number>> {
  const tasks = Array.from({ length: processes }, (_, i) => ({
    ...(url !== undefined && { url }),
    sessionId: `turns ${processes}/${i}`,
    inputBudget: INPUT_BUDGET,
    ms: seconds * 1_000,
  }));
  const worked = await inProcesses<Worked>('benchmarks/stores/turns-worker.ts', tasks);
  const perSecond = (of: keyof Worked): number =>
    round(
      worked.reduce((sum, one) => sum + (one[of] / one.tookMs) * 1_000, 0),
      1,
    );
  return {
    appendsPerSecond: perSecond('appends'),
    preparesPerSecond: perSecond('prepares'),
    commitsPerSecond: perSecond('commits'),
    // A turn is two appends and one prepare. The machine's load changes this figure little.
    cpuMsATurn: round(sumOf(worked, 'cpuMs') / sumOf(worked, 'prepares'), 3),
  };
}

const sumOf = (worked: readonly Worked[], of: keyof Worked): number =>
  worked.reduce((sum, one) => sum + one[of], 0);

const WRITES = new Set(['write', 'note', 'setValue', 'keepArtifact']);

interface Counted {
  readonly store: SessionStore;
  /** The number of writes. */
  writes: number;
  /** The newest write: its content as JSON, and the time that the store took. */
  newest: { readonly body: string; readonly ms: number; readonly cpuMs: number } | undefined;
}

function counting(store: SessionStore): Counted {
  const counted: Counted = {
    writes: 0,
    newest: undefined,
    store: new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          const asked = (): unknown => (value as (...all: unknown[]) => unknown).apply(target, given);
          if (!WRITES.has(String(name))) return asked();
          counted.writes++;
          return (async () => {
            let answer: unknown;
            const cpu = process.cpuUsage();
            const ms = await timed(async () => (answer = await asked()));
            const cpuMs = cpuSince(cpu);
            counted.newest = { body: JSON.stringify(given), ms, cpuMs };
            return answer;
          })();
        };
      },
    }),
  };
  return counted;
}

interface Sides {
  readonly memoryMs: number;
  readonly storeMs: number;
}

/** Adds the time of the store's own write, and the time of bare commits at the same moment. */
interface Committing extends Sides {
  readonly writeMs: number;
  readonly writeCpuMs: number;
  readonly bytes: number;
  /** One row of 300 bytes, and one of as many bytes as were written. */
  readonly bareMs: number;
  readonly bareSameBytesMs: number;
}

/** Prepares of the same session in memory and on a store, and bare commits in the same minute. */
interface Prepares {
  readonly quiet: readonly Sides[];
  readonly committing: readonly Committing[];
  /** Prepares that committed nothing but still wrote. */
  readonly faults: number;
}

async function prepares(url: string, commits: number): Promise<Prepares> {
  const counted = counting(await openStore(url));
  const engines = await Promise.all(
    [await openStore('memory:'), counted.store].map((store) =>
      createSpillway({ inputBudget: INPUT_BUDGET, store }),
    ),
  );
  const [memory, kept] = (await Promise.all(
    engines.map((engine) => engine.open({ id: 'side by side' })),
  )) as [Session, Session];
  const bare = await openBare(url);
  const body = JSON.stringify(logMessage(0));
  const found = { quiet: [] as Sides[], committing: [] as Committing[], faults: 0 };
  let isOdd = false;
  for (const message of longSession(1_000_000)) {
    for (const session of [memory, kept]) await session.append(message);
    if (message.role !== 'tool') continue;
    const { writes } = counted;
    let kind = '';
    const prepare = async (session: Session): Promise<void> => {
      kind = (await session.prepare()).run.kind;
    };
    // The order alternates, so that neither always finds the other's data in the processor's cache.
    isOdd = !isOdd;
    const first = await timed(() => prepare(isOdd ? memory : kept));
    const second = await timed(() => prepare(isOdd ? kept : memory));
    const sides = isOdd ? { memoryMs: first, storeMs: second } : { memoryMs: second, storeMs: first };
    if (kind === 'committed') {
      const { body: written, ms: writeMs, cpuMs: writeCpuMs } = counted.newest!;
      found.committing.push({
        ...sides,
        writeMs,
        writeCpuMs,
        bytes: written.length,
        bareMs: await timed(() => bare.commit(body)),
        bareSameBytesMs: await timed(() => bare.commit(written)),
      });
      if (found.committing.length === commits) break;
    } else {
      found.quiet.push(sides);
      if (counted.writes > writes) found.faults++;
    }
  }
  await bare.close();
  for (const engine of engines) await engine.close();
  return found;
}

/**
 * The cost of an agent's turns on a store: turns a second, and the cost of a prepare above that in memory, with and
 * without a commit.
 */
export async function turns(url: string, seconds: number, commits: number): Promise<Record<string, unknown>> {
  const { quiet, committing, faults } = await prepares(url, commits);
  const middle = (of: (one: Committing) => number): number => median(committing.map(of));
  const memoryQuietMs = median(quiet.map(({ memoryMs }) => memoryMs));
  const storeQuietMs = median(quiet.map(({ storeMs }) => storeMs));
  const bareMs = middle((one) => one.bareMs);
  const bareSameBytesMs = middle((one) => one.bareSameBytesMs);
  const writeMs = middle((one) => one.writeMs);
  const found: Record<string, unknown> = {
    'prepare that commits nothing': {
      prepares: quiet.length,
      written: faults,
      memoryMs: round(memoryQuietMs, 3),
      storeMs: round(storeQuietMs, 3),
      ratio: round(storeQuietMs / memoryQuietMs),
      goal: 1.2,
    },
    'prepare that commits': {
      prepares: committing.length,
      memoryMs: round(middle(({ memoryMs }) => memoryMs)),
      storeMs: round(middle(({ storeMs }) => storeMs)),
      writeMs: round(writeMs),
      writeCpuMs: round(middle((one) => one.writeCpuMs)),
      writtenBytes: middle(({ bytes }) => bytes),
      bareCommitMs: round(bareMs),
      // The upper limit of any store that commits one write after the other.
      bareCommitsPerSecond: Math.round(1_000 / bareMs),
      bareCommitOfTheSameBytesMs: round(bareSameBytesMs),
      // Planning takes many times as long as the write, and on a busy machine its variance exceeds the write.
      bareCommitsBeyondMemory: round(middle(({ memoryMs, storeMs }) => storeMs - memoryMs) / bareMs),
      bareCommits: round(writeMs / bareMs),
      bareCommitsOfTheSameBytes: round(writeMs / bareSameBytesMs),
      goal: url.startsWith('sqlite') ? 1.2 : 1.5,
    },
    'no store, 1 process': await throughput(undefined, 1, seconds),
    'memory, 1 process': await throughput('memory:', 1, seconds),
  };
  for (const processes of [1, 2])
    found[`${processes} process${processes > 1 ? 'es' : ''}`] = await throughput(url, processes, seconds);
  return found;
}
