import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { SpillwayError } from '../../errors/index.js';
import type { Json, SessionStore, StoredEvent, ThreadHead, ThreadKey, UsageEntry } from '../../spi/index.js';
import { SerialQueue } from '../../pressure/index.js';
import { appendedAt, type LedgerEvent, type LogMessage, type Message } from '../../transcript/index.js';
import { sameMessage } from '../../formats/index.js';
import type { Thread } from '../thread.js';
import { entryOf, writerOf } from './entry.js';
import { isInDoubt, Outbox, resolveInDoubt, type InDoubtWrite } from './outbox.js';

interface JournalParts {
  readonly store: SessionStore;
  readonly key: ThreadKey;
  readonly head: ThreadHead;
  readonly thread: Thread;
  readonly clock: () => number;
  /** What opening will need, of the thread as it is now; undefined where it has to read all. */
  readonly checkpoint: () => Json | undefined;
  /** The thread moved on without us: reads it again and puts behind it what is not stored by then. */
  readonly reload: (unsaved: () => readonly LogMessage[], whole?: boolean) => Promise<Reloaded>;
}

interface Reloaded {
  readonly head: ThreadHead;
  /** Ids under which other messages than ours are stored. */
  readonly taken: readonly string[];
}

/**
 * Brings a session's log and ledger into its store, one write at a time. What is not stored yet is whatever stands in
 * the log and the ledger beyond the stored head: a store that fails loses nothing, the next write takes it along.
 */
export class Journal {
  readonly #parts: JournalParts;
  readonly #writer = randomUUID();
  #head: ThreadHead;
  /** Nothing else reads or moves the head meanwhile. */
  readonly #writes = new SerialQueue();
  #queued: Promise<void> | undefined;
  readonly #outbox: Outbox;
  /** How often something of the ledger was dropped, because another process had been first. */
  #conflicts = 0;
  /** Messages that were turned down after all: another one had their id. */
  readonly #refused = new Set<string>();
  /** Writes since the last answer that may have been done. */
  #inDoubt: InDoubtWrite[] = [];
  #isFailing = false;
  /** Messages of such writes: found stored, they are our own. */
  readonly #sent = new Set<string>();

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.#head = parts.head;
    const { store, key, clock } = parts;
    this.#outbox = new Outbox({
      store,
      key,
      clock,
      writer: this.#writer,
      guarded: (ask) => this.#guarded(ask),
    });
  }

  get head(): ThreadHead {
    return this.#head;
  }

  /** Whether something stands in memory that is not stored. */
  get isBehind(): boolean {
    return this.#unsaved().length > 0 || this.#parts.thread.ledger.version > this.#head.entries;
  }

  /** Whether a write failed that held this very message: said again it is no other one, and still waits. */
  isWaiting(message: Message): boolean {
    if (!this.#isFailing) return false;
    const logged = this.#parts.thread.log.find(message.id);
    return logged !== undefined && this.#unsaved().includes(logged) && sameMessage(logged, message);
  }

  get conflicts(): number {
    return this.#conflicts;
  }

  get store(): SessionStore {
    return this.#parts.store;
  }

  get key(): ThreadKey {
    return this.#parts.key;
  }

  /** Waits for the next write, or the next note; never causes one. */
  enqueue(events: readonly StoredEvent[], usage: readonly UsageEntry[] = []): void {
    this.#outbox.enqueue(events, usage);
  }

  /** Stores what waits in the outbox now. */
  async note(): Promise<void> {
    await this.flush();
    await this.#writes.do(() => this.#outbox.store());
  }

  /**
   * Resolves when all that stood in log and ledger at the time of the call is stored; writes nothing where it is.
   * Rejects with `STORE_FAILED`; calling again tries again.
   */
  flush(): Promise<void> {
    this.#queued ??= this.#writes.do(async () => {
      this.#queued = undefined;
      await this.#drain();
    });
    return this.#queued;
  }

  /** Reads all that was not read when the thread was opened. */
  load(): Promise<void> {
    return this.#writes.do(async () => {
      if (this.#parts.thread.isWhole) return;
      await this.#readAgain(() => this.#unsaved(), true);
    });
  }

  /** Reads the thread anew where another process stored something since; one question to the store where none did. */
  catchUp(): Promise<void> {
    return this.#writes.do(async () => {
      // What is not stored yet meets what others stored when it is written.
      if (this.isBehind) return;
      const stored = await this.#guarded(() => this.store.load(this.key));
      if (!stored || isDeepStrictEqual(stored.head, this.#head)) return;
      await this.#readAgain(() => this.#unsaved());
    });
  }

  /** Throws where one of these messages was turned down. */
  confirm(ids: readonly string[]): void {
    const id = ids.find((one) => this.#refused.has(one));
    if (id === undefined) return;
    throw new SpillwayError('MESSAGE_ID_TAKEN', {
      subject: 'message id',
      found: id,
      remedy: 'Give every message of a session an id of its own.',
    });
  }

  async #drain(): Promise<void> {
    for (;;) {
      if (this.#outbox.isInDoubt) await this.#outbox.resolveDoubt();
      const { log, ledger } = this.#parts.thread;
      const messages = this.#unsaved();
      const events = ledger.events.slice(this.#head.entries - (ledger.version - ledger.events.length));
      if (messages.length === 0 && events.length === 0) return;
      const offset = appendedAt(log.length, ledger.left) - log.length;
      const items = this.#outbox.waiting;
      const checkpoint = events.length > 0 ? this.#parts.checkpoint() : undefined;
      const sent = {
        messages: messages.map(({ id }) => id),
        entries: events.length,
        events: items.events.length,
        usage: items.usage.length,
      };
      const write = {
        ...(messages.length > 0 && { messages: messages.map((one) => ({ ...one, seq: one.seq + offset })) }),
        ...(events.length > 0 && {
          entries: events.map((event) => entryOf(event, this.#writer, this.#parts.clock())),
          ...(checkpoint !== undefined && { checkpoint }),
        }),
        ...(sent.events > 0 && { events: items.events }),
        ...(sent.usage > 0 && { usage: items.usage }),
      };
      let head: ThreadHead | undefined;
      try {
        head = await this.#guarded(() => this.store.write(this.key, this.#head, write));
      } catch (error) {
        const taken = await this.#takenOf(error, messages);
        if (taken.size > 0) {
          await this.#reload(events, sent, taken);
          continue;
        }
        if (isInDoubt(error)) this.#doubt(sent);
        this.#isFailing = true;
        throw error;
      }
      this.#isFailing = false;
      if (head) {
        this.#head = head;
        // The head was where we left it: nothing that failed before was done.
        this.#inDoubt = [];
        this.#outbox.acknowledge(sent);
      } else await this.#reload(events, sent);
    }
  }

  #doubt(write: InDoubtWrite): void {
    this.#inDoubt.push(write);
    for (const id of write.messages) this.#sent.add(id);
  }

  async #readAgain(unsaved: () => readonly LogMessage[], whole?: boolean): Promise<void> {
    const { head, taken } = await this.#guarded(() => this.#parts.reload(unsaved, whole));
    this.#head = head;
    for (const id of taken) this.#refused.add(id);
  }

  #unsaved(): LogMessage[] {
    const { log, ledger } = this.#parts.thread;
    const stored = this.#head.messages - (appendedAt(log.length, ledger.left) - log.length);
    const from = Math.max(log.base, stored);
    return Array.from({ length: Math.max(0, log.length - from) }, (_, i) => log.at(from + i));
  }

  /** `without`: ids of messages that are stored, or turned down, and go behind nothing. */
  async #reload(
    events: readonly LedgerEvent[],
    sent: InDoubtWrite,
    without: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    const before = this.#head;
    // An answer can get lost behind a write that took place: then nothing of ours was.
    const candidates = [...this.#inDoubt, ...(events.length > 0 ? [sent] : [])];
    await this.#readAgain(() => this.#unsaved().filter(({ id }) => !without.has(id)));
    if (candidates.length === 0) return;
    const entries = await this.#guarded(() =>
      this.store.entries(this.key, before.entries, this.#head.entries),
    );
    const own = entries.filter((entry) => writerOf(entry) === this.#writer).length;
    const done = await resolveInDoubt(candidates, own, async (id) => this.#isOwn(id));
    this.#inDoubt = [];
    if (done) this.#outbox.acknowledge(done);
    if (own >= events.length) return;
    this.#conflicts++;
    this.#outbox.dropDecisions();
  }

  async #isOwn(id: string): Promise<boolean> {
    return (
      !this.#refused.has(id) && (await this.#guarded(() => this.store.message(this.key, id))) !== undefined
    );
  }

  /** Messages whose ids the store knows, from the part of the log that was not read or from another process. */
  async #takenOf(error: unknown, messages: readonly LogMessage[]): Promise<ReadonlySet<string>> {
    const taken = new Set<string>();
    if (!(error instanceof SpillwayError) || error.code !== 'MESSAGE_ID_TAKEN') return taken;
    for (const message of messages) {
      const { id } = message;
      const stored = await this.#guarded(() => this.store.message(this.key, id));
      if (!stored) continue;
      taken.add(id);
      // Our own, which was stored although its answer never came?
      if (!this.#sent.has(id) || !sameMessage(stored, message)) this.#refused.add(id);
    }
    return taken;
  }

  /** A store may throw anything; what reaches the caller says which store it was. */
  async #guarded<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (cause) {
      if (cause instanceof SpillwayError) throw cause;
      throw new SpillwayError('STORE_FAILED', {
        subject: `store ${this.store.name}, session "${this.key.sessionId}", agent "${this.key.agentPath}"`,
        found: cause instanceof Error ? cause.message : String(cause),
        remedy: 'Nothing is lost in memory: the next call tries again.',
        facts: { thrown: true },
        retryable: true,
        cause,
      });
    }
  }
}
