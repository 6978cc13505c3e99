import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type PgBoss from 'pg-boss';
import type { BackgroundJob, BackgroundQueue, BackgroundWorker, EnqueuedJob, Json } from '../../spi/index.js';
import { orMissing } from '../../errors/index.js';
import { retryWhile, PATIENCE_MS } from '../patience.js';
import { parseJson, writeJson } from '../../transcript/index.js';
import { isTransient } from './faults.js';

const SCHEMA = 'spillway_jobs';
const QUEUE = 'summaries';
/** Jobs that this process runs at the same time. */
const MAX_RUNNING = 4;
/** How soon a job of another process is noticed; own jobs are noticed at once. */
const POLL_MS = 1_000;
/** How soon the waiting caller notices the end of a job. */
const END_POLL_MS = 250;
/** After this time the jobs of a killed process are free again. Longer than any caller waits for a summary. */
const EXPIRE_SECONDS = 300;
/** A stop or a kill counts as a try. */
const RETRIES = 20;
const RETRY_SECONDS = 1;
/** The wait after the schema could not be created, for lack of rights or of a server. */
const RESTART_WAIT_MS = 30_000;
/** How often expired jobs are returned and old jobs deleted; the processes take turns. */
const MAINTAIN_MS = 60_000;

interface StoredJob {
  /** JSON text, because `jsonb` accepts no NUL, which an id may contain. */
  readonly text: string;
}

/** pg-boss, in a separate schema of the store's database. Created when it is first needed. */
export class PostgresQueue implements BackgroundQueue {
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #starting: Promise<PgBoss> | undefined;
  #working: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  #isNudged = false;

  constructor(private readonly pool: pg.Pool) {}

  async enqueue({ key, body }: BackgroundJob): Promise<EnqueuedJob> {
    this.#stopping.signal.throwIfAborted();
    const boss = await this.#boss();
    const id = idOf(key);
    const stored: StoredJob = { text: writeJson(body)! };
    // A second insert of an id does nothing. This makes a key unique as long as its job is kept.
    const sent = await boss.send(QUEUE, stored, {
      id,
      retryLimit: RETRIES,
      retryDelay: RETRY_SECONDS,
      expireInSeconds: EXPIRE_SECONDS,
    });
    if (sent === null) await boss.retry(QUEUE, id);
    this.#nudge();
    return { isNew: sent !== null, ended: (signal) => this.#waitForEnd(boss, id, signal) };
  }

  work(worker: BackgroundWorker): void {
    this.#working ??= this.#loop(worker);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The queue was stopped.'));
    this.#wake();
    await this.#working;
    await Promise.all(this.#running);
    const boss = await this.#starting?.catch(() => undefined);
    await boss?.stop({ graceful: false }).catch(() => undefined);
  }

  /** Starts pg-boss once; after a failure the next call tries again. */
  #boss(): Promise<PgBoss> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<PgBoss> {
    const { default: Boss } = await import('pg-boss').catch(orMissing('the queue of summaries'));
    const boss = new Boss({
      schema: SCHEMA,
      // It uses the store's own connections. Without its own timers it does not keep the process alive.
      db: { executeSql: (text, values) => this.pool.query(text, values) },
      supervise: false,
      schedule: false,
    });
    boss.on('error', () => undefined);
    await boss.start();
    // Two processes that create the queue at once block each other.
    await retryWhile(() => boss.createQueue(QUEUE), isTransient, PATIENCE_MS);
    return boss;
  }

  async #loop(worker: BackgroundWorker): Promise<void> {
    let maintainedMs = performance.now();
    while (!this.#stopping.signal.aborted) {
      this.#isNudged = false;
      try {
        if (await this.#take(worker)) continue;
        if (performance.now() - maintainedMs > MAINTAIN_MS) {
          maintainedMs = performance.now();
          await (await this.#boss()).maintain();
        }
        await this.#pause(POLL_MS);
      } catch {
        await this.#pause(RESTART_WAIT_MS);
      }
    }
  }

  /** False if there was no job, or no room for one. */
  async #take(worker: BackgroundWorker): Promise<boolean> {
    const room = MAX_RUNNING - this.#running.size;
    if (room <= 0) return false;
    const boss = await this.#boss();
    const jobs = await boss.fetch<StoredJob>(QUEUE, { batchSize: room });
    for (const { id, data } of jobs) {
      const doing = this.#do(boss, id, data, worker).finally(() => {
        this.#running.delete(doing);
        this.#nudge();
      });
      this.#running.add(doing);
    }
    return jobs.length > 0;
  }

  /** Never rejects: a job that could not be reported as done expires and is done again. */
  async #do(boss: PgBoss, id: string, stored: StoredJob, worker: BackgroundWorker): Promise<void> {
    try {
      const { signal } = this.#stopping;
      signal.throwIfAborted();
      const said = await worker(parseJson(stored.text) as Json, signal);
      await boss.complete(QUEUE, id, { text: writeJson(said)! });
    } catch (error) {
      await boss.fail(QUEUE, id, { message: (error as Error).message }).catch(() => undefined);
    }
  }

  async #waitForEnd(boss: PgBoss, id: string, signal: AbortSignal): Promise<Json | undefined> {
    const either = AbortSignal.any([signal, this.#stopping.signal]);
    while (!either.aborted) {
      // If the server does not answer, the signal ends the wait.
      const job = await boss.getJobById<StoredJob>(QUEUE, id).catch(() => undefined);
      if (job === null || job?.state === 'failed' || job?.state === 'cancelled') return undefined;
      if (job?.state === 'completed') return parseJson((job.output as StoredJob).text) as Json;
      await sleep(END_POLL_MS, either);
    }
    return undefined;
  }

  #nudge(): void {
    this.#isNudged = true;
    this.#wake();
  }

  async #pause(waitMs: number): Promise<void> {
    if (this.#isNudged) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await sleep(waitMs, AbortSignal.any([woken.signal, this.#stopping.signal]));
    this.#wake = () => undefined;
  }
}

/** Resolves early if the signal aborts; does not keep the process alive. */
const sleep = (waitMs: number, signal: AbortSignal): Promise<void> =>
  setTimeout(waitMs, undefined, { signal, ref: false }).catch(() => undefined);

/** The UUID of a key, from its hash. */
function idOf(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
