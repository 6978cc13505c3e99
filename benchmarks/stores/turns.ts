import { createSpillway, openStore, type Session, type SessionStore } from '../../src/index.js';
import { logMessage } from '../support/log-message.js';
import { longSession } from '../support/long-session.js';
import { inProcesses } from '../support/processes.js';
import { openBare } from './bare.js';
import { cpuSince, median, round, timed } from './figures.js';

/** Of an agent with a small model: a short run still commits often. */
const INPUT_BUDGET = 32_000;

interface Worked {
  readonly appends: number;
  readonly prepares: number;
  readonly commits: number;
  readonly tookMs: number;
  readonly cpuMs: number;
}

/** Appends and prepares a second of whole sessions, by so many processes at once, each with a session of its own. */
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
    // A turn: two appends, one prepare. What the load of the machine does not stretch much.
    cpuMsATurn: round(sumOf(worked, 'cpuMs') / sumOf(worked, 'prepares'), 3),
  };
}

const sumOf = (worked: readonly Worked[], of: keyof Worked): number =>
  worked.reduce((sum, one) => sum + one[of], 0);

const WRITES = new Set(['write', 'note', 'setValue', 'keepArtifact']);

interface Counted {
  readonly store: SessionStore;
  /** How often anything was to be written. */
  writes: number;
  /** Of the newest write: what it was given, as JSON, and how long the store took over it. */
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

/** With the part of it that was the store's own write, and what bare commits took in the same moment. */
interface Committing extends Sides {
  readonly writeMs: number;
  readonly writeCpuMs: number;
  readonly bytes: number;
  /** One row of 300 bytes, and one of as many bytes as were written. */
  readonly bareMs: number;
  readonly bareSameBytesMs: number;
}

/** Prepares of the same session, side by side on memory and on a store, and bare commits in the same minute. */
interface Prepares {
  readonly quiet: readonly Sides[];
  readonly committing: readonly Committing[];
  /** Prepares that committed nothing and had something written all the same. */
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
    // In turn, so that neither always finds the other's words in the processor's memory.
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
 * What an agent's turns cost on a store: how many it can do a second, and what a prepare costs beyond memory's, with
 * nothing to commit and with something.
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
      // What no store can be above, one commit after the other.
      bareCommitsPerSecond: Math.round(1_000 / bareMs),
      bareCommitOfTheSameBytesMs: round(bareSameBytesMs),
      // Planning takes many times as long as the write, and on a busy machine its own scatter is larger than that.
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
