import { DigestIndex } from '../text/digest/index.js';
import { ReferenceIndex, SecretBook, type Redact } from '../text/facts/index.js';
import { idTaken } from '../errors/index.js';
import type { Spent } from '../pressure/index.js';
import type { MeasureMessage } from '../spi/index.js';
import {
  appendedAt,
  Ledger,
  Log,
  LogReader,
  type Projection,
  renderAll,
  type CompactionRecord,
  type IsPinned,
  type LogMessage,
  type Message,
  type MessageSize,
  type ReadonlyLog,
  type Steps,
} from '../transcript/index.js';
import { pinPredicate, type PinRules } from './pins.js';
import { markerOf, type QueuedCompaction } from './own-messages.js';

/**
 * All that is read off a session's log and kept: references, digests, secrets. Reads only when it is asked
 * to catch up, so a session that never compacts pays nothing.
 */
class Reader {
  readonly references: ReferenceIndex;
  readonly digests: DigestIndex;
  readonly secrets: SecretBook;
  readonly #reader: LogReader;

  constructor(log: ReadonlyLog, redact: Redact) {
    this.references = new ReferenceIndex(log);
    this.digests = new DigestIndex(log);
    this.secrets = new SecretBook(redact);
    this.#reader = new LogReader(log, this.references, this.digests, this.secrets);
  }

  /** Itself, with everything read that was appended since. */
  caughtUp(): this {
    this.#reader.catchUp();
    return this;
  }

  /** The same, in steps. */
  catchingUp(): Steps<void> {
    return this.#reader.catchingUp();
  }
}

/** A message on its way into the log. */
interface Measured {
  readonly message: Message;
  readonly size: MessageSize;
}

/** What a thread needs to take messages in. */
export interface ThreadRules {
  readonly pins: PinRules;
  /** Measures what is appended, once. */
  readonly measure: MeasureMessage;
  /** Takes secrets out of every text that is made from the log. */
  readonly redact: Redact;
}

/** What runs remember of each other. */
export interface RunMemory {
  /** By stage: what it returned as `state`. */
  stageStates: ReadonlyMap<string, unknown>;
  /** The provider refused, or reported more than the budget: the next request is compacted whatever the reading. */
  overflowed: boolean;
  /** A compaction that a marker in the log asked for, and that was not executed yet. */
  queued: QueuedCompaction | undefined;
  /** The last run left the session full, and that was told. */
  isToldFull?: boolean;
}

/** What a thread is made of. Where another process was first, all of it is read again and replaced at once. */
export interface ThreadContents {
  readonly log: Log;
  readonly ledger: Ledger;
  readonly memory?: RunMemory;
  /** What the last run had left undone when this was stored. */
  readonly spent?: Spent | undefined;
}

/** One agent path's log, what was compacted of it, and what is sent: the only place that changes any of them. */
export class Thread {
  #now!: Required<Omit<ThreadContents, 'spent'>> & {
    readonly reader: Reader;
    readonly isPinned: IsPinned;
    readonly isPinnedByName: IsPinned;
  };
  #projection!: Projection;
  #appendedTokens!: number;
  /** Set while text is being bought: what arrives waits, so that the log stands still under the plan. */
  #arrivals: Measured[] | undefined;
  #admit = (): void => {};
  #admitted: Promise<void> = Promise.resolve();

  constructor(
    private readonly rules: ThreadRules,
    contents: ThreadContents = { log: new Log(), ledger: new Ledger() },
  ) {
    this.#take(contents);
  }

  get log(): Log {
    return this.#now.log;
  }

  get ledger(): Ledger {
    return this.#now.ledger;
  }

  get reader(): Reader {
    return this.#now.reader;
  }

  get isPinned(): IsPinned {
    return this.#now.isPinned;
  }

  /** Pinned for more than being a system message. */
  get isPinnedByName(): IsPinned {
    return this.#now.isPinnedByName;
  }

  get projection(): Projection {
    return this.#projection;
  }

  /** Counted tokens ever appended: grows with the log, whatever compaction takes out. */
  get appendedTokens(): number {
    return this.#appendedTokens;
  }

  /** Messages ever appended, those that wait too: no two that this session names by it have one name. */
  get appended(): number {
    return appendedAt(this.log.length, this.ledger.left) + (this.#arrivals?.length ?? 0);
  }

  get memory(): RunMemory {
    return this.#now.memory;
  }

  /** Messages that wait until the text of a plan is there; undefined where nothing has to wait. */
  get arrivals(): readonly Message[] | undefined {
    return this.#arrivals?.map(({ message }) => message);
  }

  /** The last message of the log, or of those that wait. */
  get newest(): Message | undefined {
    return this.#arrivals?.at(-1)?.message ?? this.log.between(Math.max(0, this.log.length - 1))[0];
  }

  /** Throws `MESSAGE_ID_TAKEN` where one of them, or something in the log or on its way there, has an id already. */
  checkIds(messages: readonly Message[]): void {
    const ids = new Set(this.arrivals?.map(({ id }) => id));
    for (const { id } of messages) {
      if (this.log.isTaken(id) || ids.has(id)) throw idTaken(id);
      ids.add(id);
    }
  }

  /** An id of that name that nothing in the log or on its way there has or had. */
  freeId(name: string): string {
    const id = this.log.freeId(name);
    return this.#arrivals?.some(({ message }) => message.id === id) ? this.freeId(`${id}~`) : id;
  }

  /**
   * Takes messages into the log, or lets them wait where a plan is being filled. Throws `MESSAGE_ID_TAKEN`, and what the
   * counter throws, to whoever sent them, before any is taken.
   */
  append(messages: readonly Message[]): void {
    this.checkIds(messages);
    const measured = messages.map((message) => ({ message, size: this.rules.measure(message) }));
    for (const one of measured)
      if (this.#arrivals) this.#arrivals.push(one);
      else this.#enter(one);
  }

  #enter({ message, size }: Measured): void {
    const entry = this.log.append(message, size);
    this.#projection.append(entry);
    this.#appendedTokens += entry.size.tokens;
    this.memory.queued = markerOf(entry) ?? this.memory.queued;
  }

  /** The log stands still from here on, until `admitArrivals`. */
  holdArrivals(): void {
    this.#arrivals = [];
    this.#admitted = new Promise((admit) => (this.#admit = admit));
  }

  /** Lets in what waited, in order. */
  admitArrivals(): void {
    const arrivals = this.#arrivals ?? [];
    this.#arrivals = undefined;
    for (const one of arrivals) this.#enter(one);
    this.#admit();
  }

  /** Resolves when nothing has to wait any more. */
  get admitted(): Promise<void> {
    return this.#admitted;
  }

  /** A compaction or a prune becomes part of the ledger, and its draft what is sent. */
  commit(record: CompactionRecord, draft: Projection, states: ReadonlyMap<string, unknown>): void {
    this.ledger.commit(record);
    if (record.kind === 'compaction') this.memory.queued = undefined;
    this.#projection = draft;
    this.memory.stageStates = states;
  }

  /** What the ledger says now is what is sent. */
  redraw(): void {
    this.#projection = renderAll(this.log, this.ledger.liveEdits, this.isPinned);
  }

  /** Goes on with a shorter log, on the same ledger; runs remember nothing of the longer one. */
  shortenTo(log: Log): void {
    this.#take({ log, ledger: this.ledger });
  }

  /**
   * Puts what was read in the place of what stands, and behind it what the store does not have, under the id that
   * `idIn` gives: none where it is there. What arrives meanwhile goes on waiting, unless it is there too.
   */
  replaceWith(
    read: ThreadContents,
    unsaved: readonly LogMessage[],
    idIn: (message: Message & { readonly seq?: number }, log: Log) => string | undefined,
  ): void {
    const missing = ({ message, size }: Measured): Measured[] => {
      const id = idIn(message, this.log);
      return id === undefined ? [] : [{ message: { ...message, id }, size }];
    };
    const arrivals = this.#arrivals;
    this.#take(read);
    for (const { size, ...message } of unsaved) missing({ message, size }).forEach((one) => this.#enter(one));
    this.#arrivals = arrivals?.flatMap(missing);
  }

  #take({ log, ledger, memory = forgetful() }: ThreadContents): void {
    const { pins, redact } = this.rules;
    const isPinned = pinPredicate(pins, log);
    const isPinnedByName = pinPredicate({ ...pins, system: false }, log);
    this.#now = { log, ledger, memory, isPinned, isPinnedByName, reader: new Reader(log, redact) };
    this.#appendedTokens = 0;
    for (let seq = 0; seq < log.length; seq++) this.#appendedTokens += log.at(seq).size.tokens;
    for (const { message } of log.left) this.#appendedTokens += message.size.tokens;
    this.redraw();
  }
}

const forgetful = (): RunMemory => ({ stageStates: new Map(), overflowed: false, queued: undefined });
