import type { BackgroundQueue, Json, OpensQueue, SessionStore } from '../../spi/index.js';
import { prepareStored } from './prepare-stored.js';
import { asJson, type PreparedBody, type PreparedText } from './prepared-plan.js';
import { ProcessQueue } from './process-queue.js';
import type { WorkerParts } from './prepare-stored.js';

interface BackgroundParts {
  readonly store?: (SessionStore & OpensQueue) | undefined;
  /** Jobs of this process alone, at a time. */
  readonly atOnce: number;
  /** Whether jobs go into the store's queue, where it has one. */
  readonly isShared: boolean;
  /** Whether this process does jobs of that queue. */
  readonly works: boolean;
  /** What a session would have that is not open here. */
  readonly partsFor: (body: PreparedBody) => WorkerParts;
}

interface PreparationJob {
  readonly body: PreparedBody;
  /** Whether another process could do it: the thread is in the store. */
  readonly isStored: boolean;
  /** How this process does it, with the session at hand. */
  readonly here: (signal: AbortSignal) => Promise<PreparedText>;
  /** How long it is waited for. */
  readonly waitMs: number;
}

/** How a session has its compactions prepared. */
export interface AheadParts {
  readonly background: Background;
  /** Whether another process would write the same: nothing of this session alone goes into its requests. */
  readonly canShare: boolean;
  /** Milliseconds that somebody else's work is waited for before it is done here. */
  readonly waitMs: number;
}

/** Where an engine has its compactions prepared: by itself, or by whoever is on the same store. */
export class Background {
  readonly #parts: BackgroundParts;
  readonly #own: ProcessQueue;
  readonly #shared: BackgroundQueue | undefined;
  /** What was asked for by the sessions of this process, by key. */
  readonly #here = new Map<string, PreparationJob['here']>();
  #isStopped = false;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
    const worker = (body: Json, signal: AbortSignal): Promise<Json> =>
      this.#do(body as unknown as PreparedBody, signal).then(asJson);
    this.#own = new ProcessQueue(parts.atOnce);
    this.#own.work(worker);
    this.#shared = parts.isShared ? parts.store?.openQueue?.() : undefined;
    if (parts.works) this.#shared?.work(worker);
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Where plans are kept for whoever opens a session next; undefined where nobody else could go on with them. */
  get store(): SessionStore | undefined {
    return this.#shared && this.#parts.store;
  }

  /**
   * What came of it; undefined where it was not done in time. `isNew`: nobody had asked for it before. Rejects where the
   * queue cannot be used.
   */
  async prepare({
    body,
    isStored,
    here,
    waitMs,
  }: PreparationJob): Promise<{ readonly isNew: boolean; readonly text?: PreparedText | undefined }> {
    const queue = (isStored ? this.#shared : undefined) ?? this.#own;
    this.#here.set(body.key, here);
    try {
      const { isNew, ended } = await queue.enqueue({ key: body.key, body: asJson(body) });
      const said = await ended(AbortSignal.timeout(waitMs));
      return { isNew, text: said as unknown as PreparedText | undefined };
    } finally {
      if (this.#here.get(body.key) === here) this.#here.delete(body.key);
    }
  }

  /** Ends what is under way; what others can do is left to them. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#own.stop(), this.#shared?.stop()]);
  }

  #do(body: PreparedBody, signal: AbortSignal): Promise<PreparedText> {
    const here = this.#here.get(body.key);
    if (here) return here(signal);
    const { store, partsFor } = this.#parts;
    if (!store) return Promise.reject(new Error('The session is gone.'));
    return Promise.resolve().then(() => prepareStored(store, partsFor(body), body, signal));
  }
}
