import type { LogMessage } from '../transcript/index.js';

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

/** One agent's thread in one session. Both may hold any text: quotes, newlines, nothing at all. */
export interface ThreadKey {
  readonly sessionId: string;
  /** e.g. `primary` or `primary/reviewer` */
  readonly agentPath: string;
}

/** How far a thread has come. Both counts only grow; a write names those it was made on. */
export interface ThreadHead {
  /** Messages in its log. */
  readonly messages: number;
  /** Entries in its ledger. */
  readonly entries: number;
}

/** Anything that JSON can say. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [field: string]: Json | undefined };

/** One thing that happened to the ledger: a commit, an undo, an approval. What it says is the session's own. */
export interface LedgerEntry {
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly body: Json;
}

/** What is kept for operators beside log and ledger: audit events and records of calls. Never read to render. */
export interface StoredEvent {
  /** e.g. `compaction.completed`, `call` */
  readonly kind: string;
  /** What it is about and is found by: the id of a compaction, the number of a call. */
  readonly ref?: string;
  /**
   * A name that no other event has, where its writer must know it again: was the note stored whose answer got lost? Told once
   * more, it is refused with all that comes with it: the first telling may have come late.
   */
  readonly id?: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly body: Json;
}

/** What one call of a model took; summed up by the store, never taken back. */
export interface UsageEntry {
  /** Who spent it: the agent's own calls, or its compaction. */
  readonly line: 'primary' | 'compactor' | 'recalled';
  /** '' where it is not known. */
  readonly model: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** US dollars of the calls whose price is known. */
  readonly cost: number;
  /** Calls whose price is not known. */
  readonly unpriced: number;
}

/** What opening a thread needs. */
export interface StoredThread {
  readonly head: ThreadHead;
  /** What the session last left as `checkpoint`, and the head it was left at. */
  readonly checkpoint?: Json;
  readonly checkpointAt?: ThreadHead;
}

/** All of it, or nothing of it. */
export interface ThreadWrite {
  /** Go behind the log's end: their `seq` must say so. */
  readonly messages?: readonly LogMessage[];
  readonly entries?: readonly LedgerEntry[];
  /** Takes the place of the last one: what `load` hands out beside the head. */
  readonly checkpoint?: Json;
  readonly events?: readonly StoredEvent[];
  readonly usage?: readonly UsageEntry[];
}

/**
 * Which events of a thread: all of them where nothing is named; `limit` counts from the end that `newestFirst` says.
 */
export interface EventQuery {
  readonly kinds?: readonly string[];
  readonly ref?: string;
  /** Newest first where true. */
  readonly newestFirst?: boolean;
  readonly limit?: number;
}

/** A text that was bought once for one exact source and prompt. */
export interface StoredArtifact {
  readonly text: string;
  readonly body?: Json;
}

/** A thread as lists show it; both times in milliseconds since the epoch. */
export interface ThreadInfo extends ThreadKey {
  readonly head: ThreadHead;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Keeps sessions. Every method may reject with `STORE_FAILED` (or a nearer code) and then has changed nothing; save where
 * a server was lost during a commit: `error.facts.outcome` is then `unknown`, and reading tells. What a resolved `write`
 * was given survives the process, and where the store says so, the machine.
 */
export interface SessionStore {
  /** For people: `memory`, `sqlite:/path/to.db`, `postgres://host/name`. Never a password. */
  readonly name: string;
  /** Undefined for a thread that nothing was written to. Costs the same however long the thread is. */
  load(key: ThreadKey): Promise<StoredThread | undefined>;
  /**
   * Rejects with `MESSAGE_ID_TAKEN` where the thread has a message of that id.
   *
   * Compare-and-swap on the head: undefined where the thread has moved on (or has another head for another reason), and
   * then nothing was written. A new thread's head is `{ messages: 0, entries: 0 }`.
   */
  write(key: ThreadKey, expected: ThreadHead, write: ThreadWrite): Promise<ThreadHead | undefined>;
  /** Messages `from` (inclusive) to `to` (exclusive, the end where absent), in order of the log. */
  messages(key: ThreadKey, from: number, to?: number): Promise<readonly LogMessage[]>;
  /** Entries `from` (inclusive) to `to` (exclusive, the end where absent), in order of the ledger. */
  entries(key: ThreadKey, from: number, to?: number): Promise<readonly LedgerEntry[]>;
  /** Adds to a thread's events and usage, whatever its head. */
  note(key: ThreadKey, events: readonly StoredEvent[], usage?: readonly UsageEntry[]): Promise<void>;
  /** Events in the order they were stored, or the other way round. */
  events(key: ThreadKey, query?: EventQuery): Promise<readonly StoredEvent[]>;
  /** Sums by line and model: of one thread, one session, or everything. */
  usage(of?: Partial<ThreadKey>): Promise<readonly UsageEntry[]>;
  /** What was kept under this key, whichever session bought it. */
  artifact(key: string): Promise<StoredArtifact | undefined>;
  /** The first one stays: returns what is stored now, which may be somebody else's. */
  keepArtifact(key: string, artifact: StoredArtifact): Promise<StoredArtifact>;
  /** Values that operators set: overrides of models, knobs. Undefined where none is set. */
  value(scope: string, name: string): Promise<Json | undefined>;
  /** Undefined takes it away. */
  setValue(scope: string, name: string, value: Json | undefined): Promise<void>;
  /** All that is set in a scope, by name. */
  values(scope: string): Promise<Readonly<Record<string, Json>>>;
  /** Threads, the one written to last first: of one session, or of all; at most `limit`. */
  threads(of?: { readonly sessionId?: string; readonly limit?: number }): Promise<readonly ThreadInfo[]>;
  /** Waits for the calls under way; every later call rejects. Closing again is no mistake. */
  close(): Promise<void>;
}
