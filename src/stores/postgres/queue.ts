import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type PgBoss from 'pg-boss';
import type { BackgroundJob, BackgroundQueue, BackgroundWorker, EnqueuedJob, Json } from '../../spi/index.js';
import { orMissing } from '../../errors/index.js';
import { patiently, PATIENCE_MS } from '../patience.js';
import { parseJson, writeJson } from '../../transcript/index.js';
import { isPassing } from './faults.js';

const SCHEMA = 'spillway_jobs';
const QUEUE = 'summaries';
/** Jobs at a time in this process. */
const AT_ONCE = 4;
/** How soon a job of another process is seen; its own are seen at once. */
const POLL_MS = 1_000;
/** How soon a job's end is seen by whoever waits for it. */
const END_POLL_MS = 250;
/** A process that was killed gives its jobs back after this long. Longer than any summary is waited for. */
const EXPIRE_SECONDS = 300;
/** Being stopped or killed counts as a try. */
const RETRIES = 20;
const RETRY_SECONDS = 1;
/** Where the schema could not be made, for want of rights or of a server. */
const START_AGAIN_MS = 30_000;
/** Expired jobs go back, old ones leave the table; the processes take turns. */
const MAINTAIN_MS = 60_000;

interface Stored {
  /** JSON: `jsonb` takes no NUL, and an id may have one. */
  readonly text: string;
}

/** pg-boss, in a schema of its own in the store's database. Made when it is first wanted. */
export class PostgresQueue implements BackgroundQueue {
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #starting: Promise<PgBoss> | undefined;
  #working: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  #isNudged = false;

  constructor(private readonly pool: pg.Pool) {}

  async enqueue({ key, body }: BackgroundJob): Promise<EnqueuedJob> {
    this.#stopping.signal.throwIfAborted();
    const boss = await this.#boss();
    const id = idOf(key);
    const stored: Stored = { text: writeJson(body)! };
    // A second insert of an id does nothing: that is what makes a key unique, for as long as its job is kept.
    const sent = await boss.send(QUEUE, stored, {
      id,
      retryLimit: RETRIES,
      retryDelay: RETRY_SECONDS,
      expireInSeconds: EXPIRE_SECONDS,
    });
    if (sent === null) await boss.retry(QUEUE, id);
    this.#nudge();
    return { isNew: sent !== null, ended: (signal) => this.#ended(boss, id, signal) };
  }

  work(worker: BackgroundWorker): void {
    this.#working ??= this.#loop(worker);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The queue was stopped.'));
    this.#wake();
    await this.#working;
    await Promise.all(this.#underWay);
    const boss = await this.#starting?.catch(() => undefined);
    await boss?.stop({ graceful: false }).catch(() => undefined);
  }

  /** Tried again each time where it failed. */
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
      // The store's own connections. Without timers of its own it keeps no process from ending.
      db: { executeSql: (text, values) => this.pool.query(text, values) },
      supervise: false,
      schedule: false,
    });
    boss.on('error', () => undefined);
    await boss.start();
    // Two processes that make it at once stand in each other's way.
    await patiently(() => boss.createQueue(QUEUE), isPassing, PATIENCE_MS);
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
        await this.#pause(START_AGAIN_MS);
      }
    }
  }

  /** False where there was nothing, or no room for it. */
  async #take(worker: BackgroundWorker): Promise<boolean> {
    const room = AT_ONCE - this.#underWay.size;
    if (room <= 0) return false;
    const boss = await this.#boss();
    const jobs = await boss.fetch<Stored>(QUEUE, { batchSize: room });
    for (const { id, data } of jobs) {
      const doing = this.#do(boss, id, data, worker).finally(() => {
        this.#underWay.delete(doing);
        this.#nudge();
      });
      this.#underWay.add(doing);
    }
    return jobs.length > 0;
  }

  /** Never rejects: what could not be said to be done expires, and is done again. */
  async #do(boss: PgBoss, id: string, stored: Stored, worker: BackgroundWorker): Promise<void> {
    try {
      const { signal } = this.#stopping;
      signal.throwIfAborted();
      const said = await worker(parseJson(stored.text) as Json, signal);
      await boss.complete(QUEUE, id, { text: writeJson(said)! });
    } catch (error) {
      await boss.fail(QUEUE, id, { message: (error as Error).message }).catch(() => undefined);
    }
  }

  async #ended(boss: PgBoss, id: string, signal: AbortSignal): Promise<Json | undefined> {
    const either = AbortSignal.any([signal, this.#stopping.signal]);
    while (!either.aborted) {
      // Where the server is away, the signal ends the waiting.
      const job = await boss.getJobById<Stored>(QUEUE, id).catch(() => undefined);
      if (job === null || job?.state === 'failed' || job?.state === 'cancelled') return undefined;
      if (job?.state === 'completed') return parseJson((job.output as Stored).text) as Json;
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

/** Resolves early where the signal aborts; keeps no process from ending. */
const sleep = (waitMs: number, signal: AbortSignal): Promise<void> =>
  setTimeout(waitMs, undefined, { signal, ref: false }).catch(() => undefined);

/** A UUID of the key's own. */
function idOf(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
