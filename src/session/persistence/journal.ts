import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { idTaken, isIdTaken, SpillwayError } from '../../errors/index.js';
import type { Json, SessionStore, StoredEvent, ThreadHead, ThreadKey, UsageEntry } from '../../spi/index.js';
import { TaskQueue } from '../../pressure/index.js';
import { appendedAt, type LedgerEvent, type LogMessage, type Message } from '../../transcript/index.js';
import { sameMessage } from '../../formats/index.js';
import type { Pieces } from '../wiring.js';
import { CALL_KIND } from '../calls.js';
import { checkpointOf } from './checkpoint.js';
import { entryOf, writerOf } from './entry.js';
import { Outbox } from './outbox.js';
import { EMPTY, readThread, type OpenedThread } from './stored-thread.js';

/**
 * Writes a session's log and ledger to its store, one write at a time. Everything in the log and the ledger after the
 * stored head is not stored yet: a failing store loses nothing, because the next write includes it.
 */
export class Journal {
  readonly store: SessionStore;
  readonly key: ThreadKey;
  readonly #writer = randomUUID();
  #head: ThreadHead;
  /** Runs one task at a time, so that no other task reads or moves the head meanwhile. */
  readonly #writes = new TaskQueue();
  #pendingFlush: Promise<void> | undefined;
  readonly #outbox: Outbox;
  /** Number of times that ledger events were dropped because another process wrote first. */
  #conflicts = 0;
  /** Ids of messages that a caller waits for. True: refused if other processes changed the log before the message. */
  readonly #awaited = new Map<string, boolean>();
  /** Ids of refused messages: another message had the id, or other processes changed the log before the message. */
  readonly #refused = new Set<string>();
  #isFailing = false;

  constructor(
    private readonly pieces: Pick<Pieces, 'clock' | 'costs' | 'gauge' | 'requests' | 'stream' | 'thread'>,
    { store, key, head }: Pick<OpenedThread, 'store' | 'key' | 'head'>,
  ) {
    this.store = store;
    this.key = key;
    this.#head = head;
    const [writer, clock] = [this.#writer, pieces.clock];
    this.#outbox = new Outbox({ store, key, clock, writer });
  }

  /** Whether memory holds messages or events that are not stored. */
  get hasUnsaved(): boolean {
    return this.#unsaved().length > 0 || this.pieces.thread.ledger.version > this.#head.entries;
  }

  /** Whether a failed write contained this very message: appended again, it is the same message and still waits. */
  isWaiting(message: Message): boolean {
    if (!this.#isFailing) return false;
    const logged = this.pieces.thread.log.find(message.id);
    return logged !== undefined && this.#unsaved().includes(logged) && sameMessage(logged, message);
  }

  get conflicts(): number {
    return this.#conflicts;
  }

  /** Adds items to the next write or note, without starting one. */
  enqueue(events: readonly StoredEvent[], usage: readonly UsageEntry[] = []): void {
    this.#outbox.enqueue(events, usage);
  }

  /** Stores the items of the outbox now. */
  flushOutbox(): Promise<void> {
    return this.#writes.do(async () => {
      // Events about a decision are stored together with it; otherwise they could report a dropped decision.
      do await this.#drain();
      while (this.hasUnsaved);
      await this.#outbox.store();
    });
  }

  /**
   * Resolves when everything in log and ledger at the time of the call is stored; writes nothing if it is already.
   * Rejects with `STORE_FAILED`; another call tries again.
   */
  flush(): Promise<void> {
    this.#pendingFlush ??= this.#writes.do(async () => {
      this.#pendingFlush = undefined;
      await this.#drain();
    });
    return this.#pendingFlush;
  }

  /** Reads the thread again if another process wrote since, and the costs of all processes. */
  catchUp(): Promise<void> {
    return this.#writes.do(async () => {
      // The next write brings unsaved content together with that of other processes.
      if (this.hasUnsaved) return;
      const stored = await this.store.load(this.key);
      if (isDeepStrictEqual(stored?.head ?? EMPTY.head, this.#head)) await this.#recount();
      else await this.#reload();
    });
  }

  /** Restores the costs of all processes on the session, with those that wait here, and the number of calls. */
  async #recount(): Promise<void> {
    const { store, key } = this;
    await this.#outbox.resolve();
    const newest = { kinds: [CALL_KIND], newestFirst: true, limit: 1 };
    const [stored, [call]] = await Promise.all([store.usage(key), store.events(key, newest)]);
    this.pieces.costs.restore([...stored, ...this.#outbox.usage]);
    this.pieces.requests.countFrom(Number(call?.ref ?? 0));
  }

  /** Notes that a caller waits for this message. `isAgain`: see `Inbox.appendAll`. */
  expect(id: string, callerRetries: boolean): void {
    this.#awaited.set(id, callerRetries);
    this.#refused.delete(id);
  }

  /** Stores messages that a caller waits for; throws if one of them was refused. */
  async confirm(ids: readonly string[], stored: () => Promise<void>): Promise<void> {
    await stored().finally(() => ids.forEach((id) => this.#awaited.delete(id)));
    const id = ids.find((one) => this.#refused.has(one));
    if (id !== undefined) throw idTaken(id);
  }

  async #drain(): Promise<void> {
    for (;;) {
      await this.#outbox.resolve();
      const { log, ledger } = this.pieces.thread;
      const messages = this.#unsaved();
      const events = ledger.events.slice(this.#head.entries);
      if (messages.length === 0 && events.length === 0) return;
      const offset = appendedAt(log.length, ledger.left) - log.length;
      const write = {
        ...(messages.length > 0 && { messages: messages.map((one) => ({ ...one, seq: one.seq + offset })) }),
        ...(events.length > 0 && this.#entriesOf(events)),
      };
      try {
        const head = await this.#outbox.send((items) =>
          this.store.write(this.key, this.#head, {
            ...write,
            ...(items.events.length > 0 && { events: items.events }),
            ...(items.usage.length > 0 && { usage: items.usage }),
          }),
        );
        this.#isFailing = false;
        if (head) this.#head = head;
        else await this.#reload();
      } catch (error) {
        const before = this.#head;
        // Another process has stored the message: reading the thread again finds it.
        if (isIdTaken(error)) await this.#reload();
        if (isDeepStrictEqual(before, this.#head)) {
          this.#isFailing = true;
          throw error;
        }
      }
    }
  }

  /** Ledger events in their stored form, with the present checkpoint. */
  #entriesOf(events: readonly LedgerEvent[]) {
    const { thread, stream, clock } = this.pieces;
    return {
      entries: events.map((event) => entryOf(event, this.#writer, clock())),
      checkpoint: checkpointOf(thread, stream.spent) as unknown as Json,
    };
  }

  /** A store only grows. An older copy of it must not make memory drop what it has beyond that copy. */
  #checkHead(found: ThreadHead): void {
    const known = this.#head;
    if (found.messages >= known.messages && found.entries >= known.entries) return;
    const words = ({ messages, entries }: ThreadHead): string =>
      `${messages} messages and ${entries} ledger entries`;
    throw new SpillwayError('STORE_DAMAGED', {
      subject: `store ${this.store.name}, session "${this.key.sessionId}", agent "${this.key.agentPath}"`,
      found: `${words(found)} where ${words(known)} were stored: an older copy`,
      remedy:
        'Put the newer copy back: nothing is lost, and the next call continues. To continue from the older copy, open the session again.',
    });
  }

  #unsaved(): LogMessage[] {
    const { log, ledger } = this.pieces.thread;
    const stored = this.#head.messages - (appendedAt(log.length, ledger.left) - log.length);
    return log.between(stored);
  }

  /**
   * Called when other processes wrote to the thread: reads it again, and appends the unsaved messages. Unsaved
   * decisions on the old thread are dropped, and `conflicts` tells the code that made them.
   */
  async #reload(): Promise<void> {
    const { thread, stream, gauge } = this.pieces;
    const read = await readThread(this.store, this.key);
    this.#checkHead(read.head);
    await this.#recount();
    // Synchronous from here on, so that every further decision is made on the thread that was read.
    const decided = thread.ledger.version - this.#head.entries;
    const news = read.entries.slice(this.#head.entries);
    const unsaved = this.#unsaved();
    const newest = (log: typeof thread.log, unread = 0) =>
      log.between(0, log.length - unread - 1).findLast((one) => !one.unknownToClient)?.id;
    let hasMoved = newest(read.contents.log) !== newest(thread.log, unsaved.length);
    thread.replaceWith(read.contents, unsaved, (message, log) => {
      const { id, seq = Infinity } = message;
      const at = seq < log.length ? log.at(seq) : undefined;
      const isOvertaken = hasMoved && this.#awaited.get(id) === true;
      const isFree = !log.isTaken(id) && !isOvertaken;
      if (isFree && (!at || withoutBranch(at.id) !== withoutBranch(id))) return id;
      const left = [...log.left].map((one) => one.message).find((one) => one.id === id);
      // Another process may have written the very same message: a client sent it to both.
      const same = [log.find(id), left, at].find((one) => one && sameMessage(one, message));
      if (same) hasMoved = newest(log) !== same.id;
      if (same) return undefined;
      if (isFree) return id;
      // No caller waits any more that could be told of a refusal, so the message is kept under a free id.
      if (!this.#awaited.has(id)) return log.freeId(id);
      this.#refused.add(id);
      return undefined;
    });
    stream.recordSpent(read.contents.spent);
    gauge.rewritten();
    this.#head = read.head;
    this.#outbox.settle();
    // The answer to a successful write may have been lost: then none of our events was dropped.
    if (news.filter((entry) => writerOf(entry) === this.#writer).length >= decided) return;
    this.#conflicts++;
    this.#outbox.dropDecisions();
  }
}

/** The id of a client's message without the suffix that tells the branches of its history apart. */
const withoutBranch = (id: string): string => id.replace(/~\d+$/, '');
