import type { LogMessage } from '../transcript/index.js';

/** Work in advance that no caller waits for yet. */
export interface BackgroundJob {
  /** Identifies the work exactly: while a job with this key is known, no second one is added. */
  readonly key: string;
  /** All that a worker needs; the worker may be another process. */
  readonly body: Json;
}

/** A job in the queue, added by this call or by an earlier one. */
export interface EnqueuedJob {
  /** False if the job was in the queue before. */
  readonly isNew: boolean;
  /**
   * The worker's result as soon as the job is done; undefined if the job will not be done, or once the signal aborts.
   * Never rejects.
   */
  ended(signal: AbortSignal): Promise<Json | undefined>;
}

/** Does a job. A rejection returns the job for another try, here or elsewhere. Must stop when the signal aborts. */
export type BackgroundWorker = (body: Json, signal: AbortSignal) => Promise<Json>;

/** Jobs that run independently of the sessions: in this process, or in any process that shares the queue. */
export interface BackgroundQueue {
  /** Resolves when the job is in the queue. If this rejects, the caller continues without the job. */
  enqueue(job: BackgroundJob): Promise<EnqueuedJob>;
  /** Accepts jobs from now on. Called at most once; without it, other processes do them. */
  work(worker: BackgroundWorker): void;
  /** Accepts no more jobs and ends those in progress; a queue that outlives the process gets them back. */
  stop(): Promise<void>;
}

/** A store whose processes share a queue. */
export interface OpensQueue {
  /** Absent if the store has no queue. The queue is stopped before the store is closed. */
  readonly openQueue?: (() => BackgroundQueue) | undefined;
}

/** One agent's thread in one session. Both ids may be any text: with quotes, newlines, or empty. */
export interface ThreadKey {
  readonly sessionId: string;
  /** e.g. `primary` or `primary/reviewer` */
  readonly agentPath: string;
}

/** The length of a thread. Both counts only grow; a write names the counts on which it is based. */
export interface ThreadHead {
  /** Messages in the thread's log. */
  readonly messages: number;
  /** Entries in the thread's ledger. */
  readonly entries: number;
}

/** Any JSON value. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [field: string]: Json | undefined };

/** One event of the ledger: a commit, an undo, an approval. The session defines its `body`. */
export interface LedgerEntry {
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly body: Json;
}

/** A record for operators in addition to log and ledger: audit events and records of calls. Never read to render. */
export interface StoredEvent {
  /** e.g. `compaction.completed`, `call` */
  readonly kind: string;
  /** The subject of the event, for queries: the id of a compaction, the number of a call. */
  readonly ref?: string;
  /**
   * A unique name, for a writer that must know whether an event was stored when the answer was lost. A second write
   * with the same id is refused with everything in it, because the first may have arrived late.
   */
  readonly id?: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly body: Json;
}

/** The usage of model calls; the store sums it up and never subtracts. */
export interface UsageEntry {
  /** The agent's own calls, its compaction, or the share of the agent's calls for automatic recall. */
  readonly line: 'primary' | 'compactor' | 'recalled';
  /** '' if the model is unknown. */
  readonly model: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** US dollars of the calls with a known price. */
  readonly cost: number;
  /** Calls without a known price. */
  readonly unpriced: number;
}

/** The data for opening a thread. */
export interface StoredThread {
  readonly head: ThreadHead;
  /** The session's newest `checkpoint`, and the head at which it was written. */
  readonly checkpoint?: Json;
  readonly checkpointAt?: ThreadHead;
}

/** A write that is stored as a whole or not at all. */
export interface ThreadWrite {
  /** Messages to append; their `seq` must continue the log. */
  readonly messages?: readonly LogMessage[];
  readonly entries?: readonly LedgerEntry[];
  /** Replaces the last checkpoint: `load` returns it with the head. */
  readonly checkpoint?: Json;
  readonly events?: readonly StoredEvent[];
  readonly usage?: readonly UsageEntry[];
}

/** Selects events of a thread: all if nothing is named; `limit` counts from the end that `newestFirst` names. */
export interface EventQuery {
  readonly kinds?: readonly string[];
  readonly ref?: string;
  /** Newest first if true. */
  readonly newestFirst?: boolean;
  readonly limit?: number;
}

/** A text that was requested once for one exact source and prompt. */
export interface StoredArtifact {
  readonly text: string;
  readonly body?: Json;
}

/** A thread in lists; both times in milliseconds since the epoch. */
export interface ThreadInfo extends ThreadKey {
  readonly head: ThreadHead;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Stores sessions. Every method may reject with `STORE_FAILED` (or a more specific code) and then has changed nothing,
 * unless a server was lost during a commit: then `error.facts.outcome` is `unknown`, and a read shows the outcome. The
 * data of a resolved `write` survives the process and, if the store promises it, the machine.
 */
export interface SessionStore {
  /** For people: `memory`, `sqlite:/path/to.db`, `postgres://host/name`. Never a password. */
  readonly name: string;
  /** Undefined for a thread without writes. The cost does not depend on the length of the thread. */
  load(key: ThreadKey): Promise<StoredThread | undefined>;
  /**
   * Rejects with `MESSAGE_ID_TAKEN` if the thread has a message with that id.
   *
   * Compare-and-swap on the head: undefined if the thread has another head, and then nothing was written. A new
   * thread's head is `{ messages: 0, entries: 0 }`.
   */
  write(key: ThreadKey, expected: ThreadHead, write: ThreadWrite): Promise<ThreadHead | undefined>;
  /** Messages `from` (inclusive) to `to` (exclusive, the end if absent), in order of the log. */
  messages(key: ThreadKey, from: number, to?: number): Promise<readonly LogMessage[]>;
  /** Entries `from` (inclusive) to `to` (exclusive, the end if absent), in order of the ledger. */
  entries(key: ThreadKey, from: number, to?: number): Promise<readonly LedgerEntry[]>;
  /** Adds to a thread's events and usage at any head. */
  note(key: ThreadKey, events: readonly StoredEvent[], usage?: readonly UsageEntry[]): Promise<void>;
  /** Events in the order in which they were stored, or in reverse. */
  events(key: ThreadKey, query?: EventQuery): Promise<readonly StoredEvent[]>;
  /** Sums by line and model: of one thread, one session, or all. */
  usage(of?: Partial<ThreadKey>): Promise<readonly UsageEntry[]>;
  /** The text under a key, from any session. */
  artifact(key: string): Promise<StoredArtifact | undefined>;
  /** The first text under a key stays: returns the stored text, which may be another writer's. */
  keepArtifact(key: string, artifact: StoredArtifact): Promise<StoredArtifact>;
  /** Values that operators set: overrides of models, knobs. Undefined if not set. */
  value(scope: string, name: string): Promise<Json | undefined>;
  /** Undefined removes the value. */
  setValue(scope: string, name: string, value: Json | undefined): Promise<void>;
  /** All values of a scope, by name. */
  values(scope: string): Promise<Readonly<Record<string, Json>>>;
  /** Threads of one session or of all, most recently written first; at most `limit`. */
  threads(of?: { readonly sessionId?: string; readonly limit?: number }): Promise<readonly ThreadInfo[]>;
  /** Waits for pending calls; every later call rejects. A second close is no error. */
  close(): Promise<void>;
}
