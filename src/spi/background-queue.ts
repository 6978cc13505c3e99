import type { Json } from './session-store.js';

/** Work that nobody waits for yet. */
export interface BackgroundJob {
  /** What it is for, exactly: while a job of this key is known, another one is not put in. */
  readonly key: string;
  /** Everything a worker needs, who may be another process. */
  readonly body: Json;
}

/** A job that is in the queue, put there by this call or by an earlier one. */
export interface EnqueuedJob {
  /** False where somebody had put it in before. */
  readonly isNew: boolean;
  /**
   * What the worker said, as soon as the job is done; undefined where it is not going to be, and as soon as the signal
   * aborts. Never rejects.
   */
  ended(signal: AbortSignal): Promise<Json | undefined>;
}

/** Does a job; rejecting gives it back, for another try, here or elsewhere. Must stop when the signal aborts. */
export type BackgroundWorker = (body: Json, signal: AbortSignal) => Promise<Json>;

/** Jobs that are done beside the sessions: by this process, or by any that shares the queue. */
export interface BackgroundQueue {
  /** Resolves when the job is in the queue. Rejects where it cannot be; whoever wanted it goes on without. */
  enqueue(job: BackgroundJob): Promise<EnqueuedJob>;
  /** Takes jobs from now on. Called once at most: without it, others do them. */
  work(worker: BackgroundWorker): void;
  /** Takes no more, ends what is under way, and gives it back where the queue outlives the process. */
  stop(): Promise<void>;
}

/** A store whose processes share a queue. */
export interface OpensQueue {
  /** Absent where it has none. What it gives is stopped before the store is closed. */
  readonly openQueue?: (() => BackgroundQueue) | undefined;
}
