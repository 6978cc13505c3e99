import { isStoreFailure, SpillwayError } from '../../errors/index.js';
import type { StoredEvent } from '../../spi/index.js';
import { CALL_KIND, callOf, nameOf, type CallRecord } from '../calls.js';
import { Journal } from './journal.js';
import {
  forgetLimits,
  learnedLimits,
  limitTold,
  noteLimit,
  threadName,
  type ProvenLimits,
  type RefusedRequest,
} from '../learned-limits.js';
import type { Response } from '../compaction.js';
import type { Pieces } from '../wiring.js';

/** How often something is decided anew where other processes were first. */
const ATTEMPTS = 8;

/** Ties what a session does to where it is kept. Without a store everything is at once, and nothing is waited for. */
export class Persistence {
  readonly journal: Journal | undefined;

  constructor(
    private readonly of: Pick<
      Pieces,
      'audit' | 'clock' | 'costs' | 'gauge' | 'onStoreFailure' | 'opened' | 'requests' | 'stream' | 'thread'
    >,
  ) {
    if (!of.opened) return;
    const journal = new Journal(of, of.opened);
    this.journal = journal;
    of.audit.onEvent = (event) => journal.enqueue([event]);
    of.costs.onSpent = (entry) => journal.enqueue([], [entry]);
  }

  /** Takes in what other processes stored since. Where the store is away, what is at hand stands. */
  async catchUp(): Promise<void> {
    // A run that waits for text meets it when it commits.
    if (this.of.thread.arrivals) return;
    await this.journal?.catchUp().catch((error: unknown) => {
      if (!isStoreFailure(error)) throw error;
      this.of.stream.emit({ kind: 'store-failed', error });
    });
  }

  /** Resolves when messages that were appended are stored. */
  stored(ids: readonly string[]): Promise<void> {
    return heard(this.#stored(ids));
  }

  async #stored(ids: readonly string[]): Promise<void> {
    const { journal } = this;
    if (!journal) return;
    await journal.confirmed(ids, async () => {
      // What arrived while text was waited for comes into the log after it.
      while (this.of.thread.arrivals) await this.of.thread.admitted;
      await this.#unlessAway(journal.flush());
    });
  }

  /** Answers pressure between two writes: what came before is stored first, what it commits before it is answered. */
  during(respond: () => Response): Response {
    const { journal } = this;
    if (!journal) return respond();
    const flush = (): Promise<void> => this.#unlessAway(journal.flush());
    return this.#decide(journal, respond, (flushed) => flushed > 0, flush);
  }

  /** One change of log or ledger, stored before it is answered; applied at once. */
  change<T>(change: () => T): Promise<T> {
    return heard(this.#change(change, () => true));
  }

  /** A change that speaks of what is stored: everything is stored before it. */
  changeStored<T>(change: () => T): Promise<T> {
    return heard(this.#change(change, () => !this.journal?.isBehind));
  }

  async #change<T>(change: () => T, isReady: () => boolean): Promise<T> {
    const { journal } = this;
    return journal ? this.#decide(journal, change, isReady, () => journal.flush()) : change();
  }

  /** Decides as soon as it may, and decides anew, as soon as it may then, where another process was first. */
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

  /** Adds to what is kept for operators; resolves when it is stored. */
  record(events: readonly StoredEvent[]): Promise<void> {
    if (!this.journal) return Promise.resolve();
    this.journal.enqueue(events);
    return heard(this.#unlessAway(this.journal.note()));
  }

  /** Where the session goes on without its store: a store that fails is told of, and waited for no more. */
  async #unlessAway(asked: Promise<void>): Promise<void> {
    try {
      await asked;
    } catch (error) {
      if (!this.goesOnWithout(error)) throw error;
      this.of.stream.emit({ kind: 'store-failed', error });
    }
  }

  /** Whether an error is a store that is away, and calls are to go on without it. */
  goesOnWithout(error: unknown): boolean {
    return this.of.onStoreFailure === 'open' && isStoreFailure(error);
  }

  /** Keeps what a refusal proved of a model, for this session and for what it proves. A store that fails forgets it. */
  async learned(model: string | null, limits: ProvenLimits): Promise<void> {
    if (!this.journal || model === null) return;
    const { store, key } = this.journal;
    const thread = threadName(key.sessionId, key.agentPath);
    await noteLimit(store, model, { ...limits, thread, at: this.of.clock() }).catch((error: unknown) =>
      this.of.stream.emit({ kind: 'store-failed', error }),
    );
  }

  /** What another thread of the tenant was told last of a model, and a refused request was over; undefined where none was. */
  async limitTold(model: string | null, request: RefusedRequest): Promise<ProvenLimits | undefined> {
    if (!this.journal || model === null) return undefined;
    const { store, key } = this.journal;
    const known = await learnedLimits(store).catch(() => []);
    const learned = known.find((one) => one.model === model);
    return learned && limitTold(learned, threadName(key.sessionId, key.agentPath), request);
  }

  /** What refusals taught of the model that is talked to holds no more, here and in the store. */
  async forgetLimits(): Promise<void> {
    const { gauge, audit } = this.of;
    const { model, learned } = gauge;
    audit.say('limits-forgotten', undefined, { model, ...learned });
    gauge.forget();
    if (this.journal && model !== null) await forgetLimits(this.journal.store, model);
  }

  /** Records of all calls that were stored, each as it was last observed. */
  async calls(): Promise<readonly CallRecord[]> {
    if (!this.journal) return [];
    const { store, key } = this.journal;
    const calls = (await store.events(key, { kinds: [CALL_KIND] })).map(callOf);
    return [...new Map(calls.map((call) => [nameOf(call), call])).values()];
  }

  /** What happened to compaction, in order. */
  async audit(): Promise<readonly StoredEvent[]> {
    if (!this.journal) return this.of.audit.events;
    await this.journal.note();
    const events = await this.journal.store.events(this.journal.key);
    return events.filter(({ kind }) => kind.startsWith('compaction.'));
  }

  /** What any process told last, of that kind, of what `ref` names; undefined where none did, or nothing is stored. */
  async toldOf(kind: string, ref: string): Promise<StoredEvent | undefined> {
    if (!this.journal) return undefined;
    await this.journal.note();
    const query = { kinds: [kind], ref, newestFirst: true, limit: 1 };
    const [newest] = await this.journal.store.events(this.journal.key, query);
    return newest;
  }
}

/** Who does not wait for it is not told of a failure: what waits is stored with the next write. */
function heard<T>(done: Promise<T>): Promise<T> {
  done.catch(() => undefined);
  return done;
}
