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
 * Everything that is derived from a session's log and kept: references, digests, secrets. It reads only when it is
 * asked to catch up, so a session that never compacts has no costs.
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

  /** Reads everything that was appended since, and returns itself. */
  catchUp(): this {
    this.#reader.catchUp();
    return this;
  }

  /** Like `catchUp`, in steps. */
  catchUpInSteps(): Steps<void> {
    return this.#reader.catchingUp();
  }
}

/** A message that is to be appended to the log. */
interface MeasuredMessage {
  readonly message: Message;
  readonly size: MessageSize;
}

/** The rules by which a thread appends messages. */
export interface ThreadRules {
  readonly pins: PinRules;
  /** Measures each appended message, once. */
  readonly measure: MeasureMessage;
  /** Removes secrets from every text that is made from the log. */
  readonly redact: Redact;
}

/** The state that runs pass on to later runs. */
export interface RunMemory {
  /** The `state` that each stage returned, by stage. */
  stageStates: ReadonlyMap<string, unknown>;
  /** The provider refused, or reported more than the budget: the next request is compacted at any reading. */
  overflowed: boolean;
  /** A compaction that a marker in the log asks for and that has not been executed yet. */
  queued: QueuedCompaction | undefined;
  /** The last run left the session full, and listeners were told. */
  wasReportedFull?: boolean;
}

/** The contents of a thread. If another process wrote first, all of them are read again and replaced together. */
export interface ThreadContents {
  readonly log: Log;
  readonly ledger: Ledger;
  readonly memory?: RunMemory;
  /** The `Spent` value of the last run at the time of storing. */
  readonly spent?: Spent | undefined;
}

/** The log, ledger and projection of one agent path. No other class changes them. */
export class Thread {
  #contents!: Required<Omit<ThreadContents, 'spent'>> & {
    readonly reader: Reader;
    readonly isPinned: IsPinned;
    readonly isPinnedByName: IsPinned;
  };
  #projection!: Projection;
  #appendedTokens!: number;
  /** Set while text is being requested: new messages wait here, so that the log does not change under the plan. */
  #arrivals: MeasuredMessage[] | undefined;
  #admit = (): void => {};
  #arrivalsAdmitted: Promise<void> = Promise.resolve();

  constructor(
    private readonly rules: ThreadRules,
    contents: ThreadContents = { log: new Log(), ledger: new Ledger() },
  ) {
    this.#replace(contents);
  }

  get log(): Log {
    return this.#contents.log;
  }

  get ledger(): Ledger {
    return this.#contents.ledger;
  }

  get reader(): Reader {
    return this.#contents.reader;
  }

  get isPinned(): IsPinned {
    return this.#contents.isPinned;
  }

  /** Whether a message is pinned for another reason than being a system message. */
  get isPinnedByName(): IsPinned {
    return this.#contents.isPinnedByName;
  }

  get projection(): Projection {
    return this.#projection;
  }

  /** Counted tokens ever appended. Compaction does not lower the figure. */
  get appendedTokens(): number {
    return this.#appendedTokens;
  }

  /** Messages ever appended, including those that wait. The session makes unique message ids from the figure. */
  get appendedMessages(): number {
    return appendedAt(this.log.length, this.ledger.left) + (this.#arrivals?.length ?? 0);
  }

  get memory(): RunMemory {
    return this.#contents.memory;
  }

  /** Messages that are held back while a plan waits for its text; undefined if nothing is held back. */
  get arrivals(): readonly Message[] | undefined {
    return this.#arrivals?.map(({ message }) => message);
  }

  /** The newest message: of those that wait, otherwise of the log. */
  get newest(): Message | undefined {
    return this.#arrivals?.at(-1)?.message ?? this.log.between(Math.max(0, this.log.length - 1))[0];
  }

  /** Throws `MESSAGE_ID_TAKEN` if an id occurs twice among the messages, those in the log and those that wait. */
  checkIds(messages: readonly Message[]): void {
    const ids = new Set(this.arrivals?.map(({ id }) => id));
    for (const { id } of messages) {
      if (this.log.isTaken(id) || ids.has(id)) throw idTaken(id);
      ids.add(id);
    }
  }

  /** An id based on `name` that no message in the log or among those that wait has or had. */
  freeId(name: string): string {
    const id = this.log.freeId(name);
    return this.#arrivals?.some(({ message }) => message.id === id) ? this.freeId(`${id}~`) : id;
  }

  /**
   * Appends messages to the log, or lets them wait while a plan is being filled. Throws `MESSAGE_ID_TAKEN`, and the
   * errors of the counter, to the caller before any message is appended.
   */
  append(messages: readonly Message[]): void {
    this.checkIds(messages);
    const measured = messages.map((message) => ({ message, size: this.rules.measure(message) }));
    for (const one of measured)
      if (this.#arrivals) this.#arrivals.push(one);
      else this.#enter(one);
  }

  #enter({ message, size }: MeasuredMessage): void {
    const entry = this.log.append(message, size);
    this.#projection.append(entry);
    this.#appendedTokens += entry.size.tokens;
    this.memory.queued = markerOf(entry) ?? this.memory.queued;
  }

  /** Holds new messages back from now on, until `admitArrivals`. */
  holdArrivals(): void {
    this.#arrivals = [];
    this.#arrivalsAdmitted = new Promise((admit) => (this.#admit = admit));
  }

  /** Appends the messages that waited, in order. */
  admitArrivals(): void {
    const arrivals = this.#arrivals ?? [];
    this.#arrivals = undefined;
    for (const one of arrivals) this.#enter(one);
    this.#admit();
  }

  /** Resolves when messages are no longer held back. */
  get arrivalsAdmitted(): Promise<void> {
    return this.#arrivalsAdmitted;
  }

  /** Adds a compaction or prune to the ledger, and makes its draft the projection. */
  commit(record: CompactionRecord, draft: Projection, states: ReadonlyMap<string, unknown>): void {
    this.ledger.commit(record);
    if (record.kind === 'compaction') this.memory.queued = undefined;
    this.#projection = draft;
    this.memory.stageStates = states;
  }

  /** Renders the projection again from log and ledger. */
  redraw(): void {
    this.#projection = renderAll(this.log, this.ledger.liveEdits, this.isPinned);
  }

  /** Goes on with a shorter log and the same ledger. The memory of runs is cleared. */
  shortenTo(log: Log): void {
    this.#replace({ log, ledger: this.ledger });
  }

  /**
   * Replaces the contents with those that were read, and appends the messages that the store does not have. `idIn`
   * gives the id of each, or undefined if it is stored already or refused. All others that wait go on waiting.
   */
  replaceWith(
    read: ThreadContents,
    unsaved: readonly LogMessage[],
    idIn: (message: Message & { readonly seq?: number }, log: Log) => string | undefined,
  ): void {
    const missing = ({ message, size }: MeasuredMessage): MeasuredMessage[] => {
      const id = idIn(message, this.log);
      return id === undefined ? [] : [{ message: { ...message, id }, size }];
    };
    const arrivals = this.#arrivals;
    this.#replace(read);
    for (const { size, ...message } of unsaved) missing({ message, size }).forEach((one) => this.#enter(one));
    this.#arrivals = arrivals?.flatMap(missing);
  }

  #replace({ log, ledger, memory = emptyMemory() }: ThreadContents): void {
    const { pins, redact } = this.rules;
    const isPinned = pinPredicate(pins, log);
    const isPinnedByName = pinPredicate({ ...pins, system: false }, log);
    this.#contents = { log, ledger, memory, isPinned, isPinnedByName, reader: new Reader(log, redact) };
    this.#appendedTokens = 0;
    for (let seq = 0; seq < log.length; seq++) this.#appendedTokens += log.at(seq).size.tokens;
    for (const { message } of log.left) this.#appendedTokens += message.size.tokens;
    this.redraw();
  }
}

const emptyMemory = (): RunMemory => ({ stageStates: new Map(), overflowed: false, queued: undefined });
