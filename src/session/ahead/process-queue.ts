import type { BackgroundJob, BackgroundQueue, BackgroundWorker, EnqueuedJob, Json } from '../../spi/index.js';

type Done = Promise<Json | undefined>;

/** Jobs of this process alone, in its memory. What it was stopped in is wanted again when a session is opened again. */
export class ProcessQueue implements BackgroundQueue {
  readonly #atOnce: number;
  readonly #jobs = new Map<string, Done>();
  readonly #stopping = new AbortController();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #worker: BackgroundWorker | undefined;

  /** `atOnce`: jobs at a time. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  work(worker: BackgroundWorker): void {
    this.#worker = worker;
    this.#next();
  }

  async enqueue({ key, body }: BackgroundJob): Promise<EnqueuedJob> {
    this.#stopping.signal.throwIfAborted();
    const known = this.#jobs.get(key);
    const done = known ?? this.#start(key, body);
    return { isNew: !known, ended: (signal) => orAborted(done, signal) };
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The queue was stopped.'));
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all(this.#jobs.values());
  }

  #start(key: string, body: Json): Done {
    const { signal } = this.#stopping;
    const done = (async () => {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        this.#next();
      });
      if (signal.aborted) return undefined;
      try {
        return await this.#worker!(body, signal);
      } catch {
        return undefined;
      } finally {
        this.#running--;
        this.#next();
      }
    })().finally(() => this.#jobs.delete(key));
    this.#jobs.set(key, done);
    return done;
  }

  #next(): void {
    if (!this.#worker || this.#running >= this.#atOnce || this.#stopping.signal.aborted) return;
    const wake = this.#waiting.shift();
    if (!wake) return;
    this.#running++;
    wake();
  }
}

function orAborted(done: Done, signal: AbortSignal): Done {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
    void done.then(resolve).finally(() => signal.removeEventListener('abort', stop));
  });
}
