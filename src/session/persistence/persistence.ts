import { SpillwayError } from '../../errors/index.js';
import type { Json, StoredEvent, UsageEntry } from '../../spi/index.js';
import { type LogMessage, type Message } from '../../transcript/index.js';
import { CALL_KIND, callOf, nameOf, type CallRecord } from '../calls.js';
import { checkpointOf } from './checkpoint.js';
import { Journal } from './journal.js';
import { forgetLimits, noteLimit, threadName, type ProvenLimits } from '../learned-limits.js';
import type { RunReport } from '../prepared.js';
import { sameMessage } from '../../formats/index.js';
import type { Response } from '../compaction.js';
import type { Uses } from '../services.js';
import { EditPlaces } from './stored-view.js';
import { readTail, readWhole, type OpenedThread } from './stored-thread.js';

/** How often something is decided anew where other processes were first. */
const ATTEMPTS = 8;

type Parts = Uses<
  'thread' | 'rules' | 'gauge' | 'costs' | 'audit' | 'stream' | 'clock' | 'onStoreFailure'
> & { readonly opened: OpenedThread | undefined };

/** Ties what a session does to where it is kept. Without a store everything is at once, and nothing is waited for. */
export class Persistence {
  readonly #of: Parts;
  readonly #journal: Journal | undefined;

  constructor(of: Parts) {
    this.#of = of;
    const { thread, rules, gauge, costs, audit, stream, clock } = of;
    if (!of.opened) return;
    const { store, key, head } = of.opened;
    const places = new EditPlaces();
    const journal = new Journal({
      store,
      key,
      head,
      thread,
      clock,
      checkpoint: () => checkpointOf(thread, stream.spent, places) as unknown as Json | undefined,
      reload: async (unsaved, whole) => {
        const read = whole || thread.isWhole ? readWhole : readTail;
        const fresh = await read(store, key, rules);
        const taken: string[] = [];
        thread.replaceWith(fresh.contents, unsaved().map(asAppended), (message, log) => {
          const stored = log.find(message.id);
          // Another process may have written the very message: a client that was answered by two.
          if (stored && !sameMessage(stored, message)) taken.push(message.id);
          return stored !== undefined;
        });
        stream.left(fresh.contents.spent);
        gauge.rewritten();
        return { head: fresh.head, taken };
      },
    });
    this.#journal = journal;
    audit.onEvent = (event) => journal.enqueue([event]);
    costs.onSpent = (entry) => journal.enqueue([], [entry]);
  }

  get journal(): Journal | undefined {
    return this.#journal;
  }

  /** Reads what was not read when the session was opened. */
  async load(): Promise<void> {
    if (!this.#of.thread.isWhole) await this.#journal?.load();
  }

  /** Takes in what other processes stored since. Where the store is away, what is at hand stands. */
  async catchUp(): Promise<void> {
    // What was not read is read as it stands by now, and a run that waits for text meets it when it commits.
    if (!this.#of.thread.isWhole || this.#of.thread.arrivals) return;
    await this.#journal?.catchUp().catch((error: unknown) => {
      if (!isStoreFailure(error)) throw error;
      this.#of.stream.emit({ kind: 'store-failed', error });
    });
  }

  /** Whether a message is one that could not be stored yet, told again. */
  isWaiting(message: Message): boolean {
    return this.#journal?.isWaiting(message) ?? false;
  }

  /** Resolves when messages that were appended are stored. */
  stored(ids: readonly string[]): Promise<void> {
    const journal = this.#journal;
    if (!journal) return Promise.resolve();
    const done = (async () => {
      // What arrived while text was waited for comes into the log after it.
      while (this.#of.thread.arrivals) await this.#of.thread.admitted;
      await this.#unlessAway(journal.flush());
      journal.confirm(ids);
    })();
    done.catch(() => undefined);
    return done;
  }

  /** Answers pressure between two writes: what came before is stored first, what it commits before it is answered. */
  during(respond: () => Response, needsWhole: () => boolean = () => true): Response {
    const journal = this.#journal;
    if (!journal) return respond();
    return this.#answer(journal, respond, needsWhole);
  }

  async #answer(journal: Journal, respond: () => Response, needsWhole: () => boolean): Promise<RunReport> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await this.#unlessAway(journal.flush());
      if (!this.#of.thread.isWhole && needsWhole()) {
        await this.#unlessAway(journal.load());
        if (!this.#of.thread.isWhole) return this.#withoutLog();
      }
      const { conflicts } = journal;
      const report = await respond();
      await this.#unlessAway(journal.flush());
      if (journal.conflicts === conflicts) return report;
    }
    throw lost();
  }

  /** One change of log or ledger, stored before it is answered; applied at once where all is at hand. */
  change<T>(change: () => T): Promise<T> {
    const journal = this.#journal;
    if (!journal) return attempt(change);
    if (this.#of.thread.isWhole) {
      const { conflicts } = journal;
      const done = attempt(change).then(async (result) => {
        await journal.flush();
        return journal.conflicts === conflicts ? result : this.#again(journal, change);
      });
      done.catch(() => undefined);
      return done;
    }
    return journal.load().then(() => this.#again(journal, change));
  }

  /** A change that speaks of what is stored: everything is stored before it. */
  async changeStored<T>(change: () => T): Promise<T> {
    const journal = this.#journal;
    if (!journal) return attempt(change);
    do {
      await journal.flush();
      await journal.load();
    } while (journal.isBehind);
    return this.change(change);
  }

  async #again<T>(journal: Journal, change: () => T): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { conflicts } = journal;
      const result = change();
      await journal.flush();
      if (journal.conflicts === conflicts) return result;
    }
    throw lost();
  }

  /** Adds to what is kept for operators; resolves when it is stored. */
  record(events: readonly StoredEvent[], usage: readonly UsageEntry[] = []): Promise<void> {
    if (!this.#journal) return Promise.resolve();
    this.#journal.enqueue(events, usage);
    const done = this.#unlessAway(this.#journal.note());
    done.catch(() => undefined);
    return done;
  }

  /** Where the session goes on without its store: a store that fails is told of, and waited for no more. */
  async #unlessAway(asked: Promise<void>): Promise<void> {
    try {
      await asked;
    } catch (error) {
      if (!this.goesOnWithout(error)) throw error;
      this.#of.stream.emit({ kind: 'store-failed', error });
    }
  }

  /** Whether an error is a store that is away, and calls are to go on without it. */
  goesOnWithout(error: unknown): boolean {
    return this.#of.onStoreFailure === 'open' && isStoreFailure(error);
  }

  /** Nothing can be compacted without the log; what still fits may be sent. */
  #withoutLog(): RunReport {
    const { budget, tokens, pressure } = this.#of.gauge.read(this.#of.thread.projection);
    const reason = 'the store is away: the log cannot be read, and nothing be compacted';
    if (pressure <= 1) return { kind: 'waiting', reason, stages: [], durationMs: 0 };
    throw new SpillwayError('STORE_FAILED', {
      subject: 'request',
      found: `${tokens} tokens, and the log to compact cannot be read`,
      allowed: `${budget.tokens} tokens`,
      remedy: 'Try again when the store is back.',
      retryable: true,
    });
  }

  /** Keeps what a refusal proved of a model, for this session and for what it proves. A store that fails forgets it. */
  async learned(model: string | null, limits: ProvenLimits): Promise<void> {
    if (!this.#journal || model === null) return;
    const { store, key } = this.#journal;
    const thread = threadName(key.sessionId, key.agentPath);
    await noteLimit(store, model, { ...limits, thread, at: this.#of.clock() }).catch((error: unknown) =>
      this.#of.stream.emit({ kind: 'store-failed', error }),
    );
  }

  /** What refusals taught of the model that is talked to holds no more, here and in the store. */
  async forgetLimits(): Promise<void> {
    const { gauge, audit } = this.#of;
    const { model, learned } = gauge;
    audit.say('limits-forgotten', undefined, { model, ...learned });
    gauge.forget(model);
    if (this.#journal && model !== null) await forgetLimits(this.#journal.store, model);
  }

  /** A message of the log that is not in memory. */
  async message(id: string): Promise<LogMessage | undefined> {
    return this.#journal?.store.message(this.#journal.key, id);
  }

  /** The record of a call that was stored, and not of this process. */
  async call(number: number): Promise<CallRecord | undefined> {
    if (!this.#journal) return undefined;
    const { store, key } = this.#journal;
    const query = { kinds: [CALL_KIND], ref: String(number), newestFirst: true, limit: 1 };
    const [event] = await store.events(key, query);
    return event && callOf(event);
  }

  /** Records of all calls that were stored, each as it was last observed. */
  async calls(): Promise<readonly CallRecord[]> {
    if (!this.#journal) return [];
    const { store, key } = this.#journal;
    const calls = (await store.events(key, { kinds: [CALL_KIND] })).map(callOf);
    return [...new Map(calls.map((call) => [nameOf(call), call])).values()];
  }

  /** Of all kinds, or these; of all things, or of what `ref` names. */
  async audit(kinds?: readonly string[], ref?: string): Promise<readonly StoredEvent[]> {
    if (!this.#journal) return this.#of.audit.events;
    await this.#journal.note();
    const query = { ...(kinds && { kinds }), ...(ref !== undefined && { ref }) };
    const events = await this.#journal.store.events(this.#journal.key, query);
    return events.filter(({ kind }) => kind.startsWith('compaction.'));
  }
}

function asAppended({ seq: _, size: __, ...message }: LogMessage): Message {
  return message;
}

/** At once, with what it throws as a rejection. */
function attempt<T>(change: () => T): Promise<T> {
  try {
    return Promise.resolve(change());
  } catch (error) {
    return Promise.reject(error);
  }
}

const AWAY: readonly string[] = ['STORE_FAILED', 'STORE_FULL', 'STORE_DENIED', 'STORE_DAMAGED'];

function isStoreFailure(error: unknown): boolean {
  return error instanceof SpillwayError && AWAY.includes(error.code);
}

function lost(): SpillwayError {
  return new SpillwayError('LEDGER_CONFLICT', {
    subject: 'the ledger',
    found: 'changed by other processes each time',
    remedy: 'Try again when they are done.',
    retryable: true,
  });
}
