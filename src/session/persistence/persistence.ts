import { isStoreFailure, SpillwayError } from '../../errors/index.js';
import type { StoredEvent } from '../../spi/index.js';
import { CALL_KIND, callKey, callOf, type CallRecord } from '../calls.js';
import { Journal } from './journal.js';
import {
  forgetLimits,
  learnedLimits,
  peerLimit,
  storeLimit,
  threadName,
  type ProvenLimits,
  type RefusedRequest,
} from '../learned-limits.js';
import type { RunResponse } from '../compaction.js';
import type { Pieces } from '../wiring.js';

/** Most attempts at a decision if other processes keep writing first. */
const ATTEMPTS = 8;

/** Connects a session with its store. Without a store everything is synchronous, and nothing is awaited. */
export class Persistence {
  readonly journal: Journal | undefined;

  constructor(
    private readonly pieces: Pick<
      Pieces,
      'audit' | 'clock' | 'costs' | 'gauge' | 'onStoreFailure' | 'opened' | 'requests' | 'stream' | 'thread'
    >,
  ) {
    if (!pieces.opened) return;
    const journal = new Journal(pieces, pieces.opened);
    this.journal = journal;
    pieces.audit.onEvent = (event) => journal.enqueue([event]);
    pieces.costs.onSpent = (entry) => journal.enqueue([], [entry]);
  }

  /** Reads what other processes stored since. If the store is unavailable, the session keeps its present state. */
  async catchUp(): Promise<void> {
    // A run that waits for text meets those changes when it commits.
    if (this.pieces.thread.arrivals) return;
    await this.journal?.catchUp().catch((error: unknown) => {
      if (!isStoreFailure(error)) throw error;
      this.pieces.stream.emit({ kind: 'store-failed', error });
    });
  }

  /** Resolves when appended messages are stored. */
  whenStored(ids: readonly string[]): Promise<void> {
    return markHandled(this.#whenStored(ids));
  }

  async #whenStored(ids: readonly string[]): Promise<void> {
    const { journal } = this;
    if (!journal) return;
    await journal.confirm(ids, async () => {
      // Messages that arrive during a wait for text enter the log after it.
      while (this.pieces.thread.arrivals) await this.pieces.thread.arrivalsAdmitted;
      await this.#emitIfAway(journal.flush());
    });
  }

  /** Responds to pressure between two writes: the first stores earlier changes, and the second the commit. */
  betweenWrites(respond: () => RunResponse): RunResponse {
    const { journal } = this;
    if (!journal) return respond();
    const flush = (): Promise<void> => this.#emitIfAway(journal.flush());
    return this.#decide(journal, respond, (flushed) => flushed > 0, flush);
  }

  /** Applies one change of log or ledger at once, and resolves when it is stored. */
  change<T>(change: () => T): Promise<T> {
    return markHandled(this.#change(change, () => true));
  }

  /** Like `change`, for a change that refers to stored content: everything is stored before it. */
  changeStored<T>(change: () => T): Promise<T> {
    return markHandled(this.#change(change, () => !this.journal?.hasUnsaved));
  }

  async #change<T>(change: () => T, isReady: () => boolean): Promise<T> {
    const { journal } = this;
    return journal ? this.#decide(journal, change, isReady, () => journal.flush()) : change();
  }

  /** Decides as soon as `isReady` allows, and again each time that another process wrote first. */
  async #decide<T>(
    journal: Journal,
    decide: () => T | Promise<T>,
    isReady: (flushed: number) => boolean,
    flush: () => Promise<void>,
  ): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      for (let flushed = 0; !isReady(flushed); flushed++) await flush();
      const { conflicts } = journal;
      const decided = await decide();
      await flush();
      if (journal.conflicts === conflicts) return decided;
    }
    throw new SpillwayError('LEDGER_CONFLICT', {
      subject: 'the ledger',
      found: 'changed by other processes each time',
      remedy: 'Try again when they are done.',
      retryable: true,
    });
  }

  /** Adds events for operators; resolves when they are stored. */
  record(events: readonly StoredEvent[]): Promise<void> {
    if (!this.journal) return Promise.resolve();
    this.journal.enqueue(events);
    return markHandled(this.#emitIfAway(this.journal.flushOutbox()));
  }

  /** Waits for a write. If the session goes on without its store, a failure is emitted instead of thrown. */
  async #emitIfAway(asked: Promise<void>): Promise<void> {
    try {
      await asked;
    } catch (error) {
      if (!this.goesOnWithout(error)) throw error;
      this.pieces.stream.emit({ kind: 'store-failed', error });
    }
  }

  /** Whether an error means that the store is unavailable and calls go on without it. */
  goesOnWithout(error: unknown): boolean {
    return this.pieces.onStoreFailure === 'open' && isStoreFailure(error);
  }

  /** Stores the limits that a refusal proved of a model. A failing store loses them, and a failure is emitted. */
  async storeLimits(model: string | null, limits: ProvenLimits): Promise<void> {
    if (!this.journal || model === null) return;
    const { store, key } = this.journal;
    const thread = threadName(key.sessionId, key.agentPath);
    await storeLimit(store, model, { ...limits, thread, at: this.pieces.clock() }).catch((error: unknown) =>
      this.pieces.stream.emit({ kind: 'store-failed', error }),
    );
  }

  /** The newest limit of a model that a thread of the tenant was told and that the request exceeds, if any. */
  async peerLimit(model: string | null, request: RefusedRequest): Promise<ProvenLimits | undefined> {
    if (!this.journal || model === null) return undefined;
    const { store, key } = this.journal;
    const known = await learnedLimits(store).catch(() => []);
    const learned = known.find((one) => one.model === model);
    return learned && peerLimit(learned, threadName(key.sessionId, key.agentPath), request);
  }

  /** Forgets the limits that refusals taught of the session's model, here and in the store. */
  async forgetLimits(): Promise<void> {
    const { gauge, audit } = this.pieces;
    const { model, learned } = gauge;
    audit.add('limits-forgotten', undefined, { model, ...learned });
    gauge.forget();
    if (this.journal && model !== null) await forgetLimits(this.journal.store, model);
  }

  /** Records of all stored calls, each in its newest version. */
  async calls(): Promise<readonly CallRecord[]> {
    if (!this.journal) return [];
    const { store, key } = this.journal;
    const calls = (await store.events(key, { kinds: [CALL_KIND] })).map(callOf);
    return [...new Map(calls.map((call) => [callKey(call), call])).values()];
  }

  /** The compaction events, in order. */
  async audit(): Promise<readonly StoredEvent[]> {
    if (!this.journal) return this.pieces.audit.events;
    await this.journal.flushOutbox();
    const events = await this.journal.store.events(this.journal.key);
    return events.filter(({ kind }) => kind.startsWith('compaction.'));
  }

  /** The newest stored event of any process with this kind and `ref`; undefined if there is none, or no store. */
  async newestEvent(kind: string, ref: string): Promise<StoredEvent | undefined> {
    if (!this.journal) return undefined;
    await this.journal.flushOutbox();
    const query = { kinds: [kind], ref, newestFirst: true, limit: 1 };
    const [newest] = await this.journal.store.events(this.journal.key, query);
    return newest;
  }
}

/** Prevents an unhandled rejection if the caller does not wait: the unsaved content is stored with the next write. */
function markHandled<T>(done: Promise<T>): Promise<T> {
  done.catch(() => undefined);
  return done;
}
