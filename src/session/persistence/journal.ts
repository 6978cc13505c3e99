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
 * Brings a session's log and ledger into its store, one write at a time. What is not stored yet is whatever stands in
 * the log and the ledger beyond the stored head: a store that fails loses nothing, the next write takes it along.
 */
export class Journal {
  readonly store: SessionStore;
  readonly key: ThreadKey;
  readonly #writer = randomUUID();
  #head: ThreadHead;
  /** Nothing else reads or moves the head meanwhile. */
  readonly #writes = new TaskQueue();
  #queued: Promise<void> | undefined;
  readonly #outbox: Outbox;
  /** How often something of the ledger was dropped, because another process had been first. */
  #conflicts = 0;
  /** Messages that somebody waits for, and whether only behind what they were said behind. */
  readonly #awaited = new Map<string, boolean>();
  /** Messages that were turned down after all: another one had their id, or others changed what they were said behind. */
  readonly #refused = new Set<string>();
  #isFailing = false;

  constructor(
    private readonly of: Pick<Pieces, 'clock' | 'costs' | 'gauge' | 'requests' | 'stream' | 'thread'>,
    { store, key, head }: Pick<OpenedThread, 'store' | 'key' | 'head'>,
  ) {
    this.store = store;
    this.key = key;
    this.#head = head;
    const [writer, clock] = [this.#writer, of.clock];
    this.#outbox = new Outbox({ store, key, clock, writer });
  }

  /** Whether something stands in memory that is not stored. */
  get isBehind(): boolean {
    return this.#unsaved().length > 0 || this.of.thread.ledger.version > this.#head.entries;
  }

  /** Whether a write failed that held this very message: said again it is no other one, and still waits. */
  isWaiting(message: Message): boolean {
    if (!this.#isFailing) return false;
    const logged = this.of.thread.log.find(message.id);
    return logged !== undefined && this.#unsaved().includes(logged) && sameMessage(logged, message);
  }

  get conflicts(): number {
    return this.#conflicts;
  }

  /** Waits for the next write, or the next note; never causes one. */
  enqueue(events: readonly StoredEvent[], usage: readonly UsageEntry[] = []): void {
    this.#outbox.enqueue(events, usage);
  }

  /** Stores what waits in the outbox now. */
  note(): Promise<void> {
    return this.#writes.do(async () => {
      // What is told of a decision is stored with it, or it might be told of one that came to nothing.
      do await this.#drain();
      while (this.isBehind);
      await this.#outbox.store();
    });
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

  /** Reads the thread anew where another process stored something since, and what all of them spent. */
  catchUp(): Promise<void> {
    return this.#writes.do(async () => {
      // What is not stored yet meets what others stored when it is written.
      if (this.isBehind) return;
      const stored = await this.store.load(this.key);
      if (isDeepStrictEqual(stored?.head ?? EMPTY.head, this.#head)) await this.#recount();
      else await this.#reload();
    });
  }

  /** Takes up what all processes on the session spent, what waits here with it, and how many calls they made. */
  async #recount(): Promise<void> {
    const { store, key } = this;
    await this.#outbox.resolve();
    const newest = { kinds: [CALL_KIND], newestFirst: true, limit: 1 };
    const [stored, [call]] = await Promise.all([store.usage(key), store.events(key, newest)]);
    this.of.costs.restore([...stored, ...this.#outbox.usage]);
    this.of.requests.countFrom(Number(call?.ref ?? 0));
  }

  /** From here on somebody waits for this message: only behind what it was said behind, where it `isAgain` said else. */
  expect(id: string, isAgain: boolean): void {
    this.#awaited.set(id, isAgain);
    this.#refused.delete(id);
  }

  /** Has messages stored that somebody waits for; throws where one of them was turned down. */
  async confirmed(ids: readonly string[], stored: () => Promise<void>): Promise<void> {
    await stored().finally(() => ids.forEach((id) => this.#awaited.delete(id)));
    const id = ids.find((one) => this.#refused.has(one));
    if (id !== undefined) throw idTaken(id);
  }

  async #drain(): Promise<void> {
    for (;;) {
      await this.#outbox.resolve();
      const { log, ledger } = this.of.thread;
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
        // Another process has stored it: it is known when the thread is read anew.
        if (isIdTaken(error)) await this.#reload();
        if (isDeepStrictEqual(before, this.#head)) {
          this.#isFailing = true;
          throw error;
        }
      }
    }
  }

  /** Events of the ledger as they are stored, and what runs remember by now. */
  #entriesOf(events: readonly LedgerEvent[]) {
    const { thread, stream, clock } = this.of;
    return {
      entries: events.map((event) => entryOf(event, this.#writer, clock())),
      checkpoint: checkpointOf(thread, stream.spent) as unknown as Json,
    };
  }

  /** A store only ever grows. What memory has beyond an older copy is not to be dropped for it. */
  #checkHead(found: ThreadHead): void {
    const known = this.#head;
    if (found.messages >= known.messages && found.entries >= known.entries) return;
    const words = ({ messages, entries }: ThreadHead): string =>
      `${messages} messages and ${entries} ledger entries`;
    throw new SpillwayError('STORE_DAMAGED', {
      subject: `store ${this.store.name}, session "${this.key.sessionId}", agent "${this.key.agentPath}"`,
      found: `${words(found)} where ${words(known)} were stored: an older copy`,
      remedy:
        'Put the newer copy back: nothing is lost in memory, and the next call goes on. To go on from the older one, open the session anew.',
    });
  }

  #unsaved(): LogMessage[] {
    const { log, ledger } = this.of.thread;
    const stored = this.#head.messages - (appendedAt(log.length, ledger.left) - log.length);
    return log.between(stored);
  }

  /**
   * Others wrote to the thread: reads it anew, and puts behind it what is not stored by then. What was decided on the old one,
   * until this very moment, is dropped, and whoever decided it is told.
   */
  async #reload(): Promise<void> {
    const { thread, stream, gauge } = this.of;
    const read = await readThread(this.store, this.key);
    this.#checkHead(read.head);
    await this.#recount();
    // From here on nothing is waited for: what is decided meanwhile is decided on the thread that was read.
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
      if (isFree && (!at || nameOf(at.id) !== nameOf(id))) return id;
      const left = [...log.left].map((one) => one.message).find((one) => one.id === id);
      // Another process may have written the very message: a client that was answered by two.
      const same = [log.find(id), left, at].find((one) => one && sameMessage(one, message));
      if (same) hasMoved = newest(log) !== same.id;
      if (same) return undefined;
      if (isFree) return id;
      // Who is not told any more that it was turned down relies on it.
      if (!this.#awaited.has(id)) return log.freeId(id);
      this.#refused.add(id);
      return undefined;
    });
    stream.left(read.contents.spent);
    gauge.rewritten();
    this.#head = read.head;
    this.#outbox.settle();
    // An answer can get lost behind a write that took place: then nothing of ours was dropped.
    if (news.filter((entry) => writerOf(entry) === this.#writer).length >= decided) return;
    this.#conflicts++;
    this.#outbox.dropDecisions();
  }
}

/** What a client's message is called on each branch of its history: behind one that was rolled back its id ends otherwise. */
const nameOf = (id: string): string => id.replace(/~\d+$/, '');
