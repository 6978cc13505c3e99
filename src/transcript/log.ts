import { idTaken } from '../errors/index.js';
import { ExchangeIndex, isStep, type Exchange, type Turn } from './exchange.js';
import { frozenCopy } from './frozen.js';
import { frozenSize, type LogMessage, type Message, type MessageSize, type Part } from './message.js';

/** The read access to a log for stages, guard and render. */
export interface ReadonlyLog {
  readonly length: number;
  readonly exchanges: readonly Exchange[];
  readonly turns: readonly Turn[];
  /** The message at a log position, from 0. Throws `RangeError` if there is no such position. */
  at(seq: number): LogMessage;
  /**
   * The messages from one log position to another, both included, or to the end; empty if `to` is before `from`. Throws
   * `RangeError` if a position does not exist.
   */
  between(from: number, to?: number): LogMessage[];
  /** The message with an id, unless it was rolled back. */
  find(id: string): LogMessage | undefined;
  /** The exchange a log position belongs to. Throws `RangeError` if there is no such position. */
  exchangeOf(seq: number): Exchange;
  /** Index of the turn that contains a log position. */
  turnOf(seq: number): number;
  /**
   * First position that no answered request contains yet: everything after the newest assistant message, and recall
   * answers just before the calls of that message.
   */
  readonly unseenFrom: number;
  /** The newest user message that has no plain assistant answer yet. */
  readonly unansweredUser: LogMessage | undefined;
  /** The newest step while it waits for results: the model has not answered since, so results would join it. */
  readonly openExchange: Exchange | undefined;
  /** The provider paused in the open exchange, and continues if it is sent back unchanged with nothing after it. */
  readonly isPaused: boolean;
  /** The first message that a user wrote. */
  readonly firstUser: LogMessage | undefined;
  /**
   * Whether a message describes the task: the first user message, or a synthetic user message before the model's first
   * answer (clients send the instructions of a project this way).
   */
  isOpening(message: LogMessage): boolean;
}

/** A message that was rolled back, and its place among all messages ever appended. */
export interface LeftMessage {
  readonly message: LogMessage;
  readonly place: number;
}

/** The append-only list of messages of one agent thread. Entries never change. */
export class Log implements ReadonlyLog {
  readonly #messages: LogMessage[] = [];
  readonly #byId = new Map<string, LogMessage>();
  readonly #exchanges = new ExchangeIndex();
  readonly #turns: Turn[] = [];
  readonly #turnOf: number[] = [];
  #unseenFrom = 0;
  #newestAnswer = -1;
  #newestUser: LogMessage | undefined;
  #unansweredUser: LogMessage | undefined;
  #firstUser: LogMessage | undefined;
  readonly #opening = new Set<LogMessage>();
  readonly #rolledBack = new Map<string, LeftMessage>();

  /** Appends a message of the given size, which the caller has measured. Throws `MESSAGE_ID_TAKEN`. */
  append(message: Message, size: MessageSize): LogMessage {
    if (this.isTaken(message.id)) throw idTaken(message.id);
    const parts = Object.freeze(message.parts.map(frozenPart));
    const entry: LogMessage = frozenCopy(message, { parts, seq: this.length, size: frozenSize(size) });
    this.#messages.push(entry);
    this.#byId.set(entry.id, entry);
    this.#exchanges.append(entry);
    this.#note(entry);
    return entry;
  }

  /** Whether a message of the log, or one that was rolled back, has the id. */
  isTaken(id: string): boolean {
    return this.#byId.has(id) || this.#rolledBack.has(id);
  }

  /** An unused id that begins with `name`. Messages that were rolled back keep their ids. */
  freeId(name: string): string {
    let id = name;
    for (let again = 1; this.isTaken(id); again++) id = `${name}~${again}`;
    return id;
  }

  /** Records a message that was rolled back: it is not in the log, and its id stays taken. */
  leave(left: LeftMessage): void {
    this.#rolledBack.set(left.message.id, left);
  }

  /** Messages that were rolled back. */
  get left(): Iterable<LeftMessage> {
    return this.#rolledBack.values();
  }

  get length(): number {
    return this.#messages.length;
  }

  get exchanges(): readonly Exchange[] {
    return this.#exchanges.all;
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  get unseenFrom(): number {
    return this.#unseenFrom;
  }

  get unansweredUser(): LogMessage | undefined {
    return this.#unansweredUser;
  }

  get firstUser(): LogMessage | undefined {
    return this.#firstUser;
  }

  get openExchange(): Exchange | undefined {
    if (this.#newestAnswer < 0) return undefined;
    const exchange = this.#exchanges.of(this.#newestAnswer);
    return exchange.unanswered.size > 0 || exchange.paused.size > 0 ? exchange : undefined;
  }

  get isPaused(): boolean {
    const { openExchange } = this;
    if (!openExchange || openExchange.paused.size === 0) return false;
    const words = this.#messages.findLast(({ parts }) => parts.some(({ type }) => type !== 'marker'));
    return words !== undefined && this.#exchanges.of(words.seq) === openExchange;
  }

  at(seq: number): LogMessage {
    const message = this.#messages[seq];
    if (!message) throw new RangeError(`no message at log position ${seq}`);
    return message;
  }

  between(from: number, to = this.length - 1): LogMessage[] {
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => this.at(from + i));
  }

  find(id: string): LogMessage | undefined {
    return this.#byId.get(id);
  }

  exchangeOf(seq: number): Exchange {
    return this.#exchanges.of(seq);
  }

  isOpening(message: LogMessage): boolean {
    return this.#opening.has(message);
  }

  turnOf(seq: number): number {
    return this.#turnOf[seq] ?? 0;
  }

  /** Notes a request with this log. If the model's own text is last, the user message before it is unanswered again. */
  ask(): void {
    const last = this.#messages.at(-1);
    if (last?.role !== 'assistant' || isStep(last)) return;
    this.#unansweredUser = this.#newestUser;
    this.#unseenFrom = Math.min(this.#unseenFrom, last.seq);
  }

  /** Updates the marks that depend on the newest messages only. */
  #note(entry: LogMessage): void {
    const isUser = entry.role === 'user' && entry.origin !== 'synthetic';
    const hasContent = isUser && entry.parts.some((part) => part.type !== 'tool-result');
    if (hasContent) {
      this.#newestUser = this.#unansweredUser = entry;
      this.#opening.add((this.#firstUser ??= entry));
      this.#turns.push({ index: this.#turns.length, from: entry.seq });
    }
    if (entry.role === 'user' && !isUser && this.#newestAnswer < 0) this.#opening.add(entry);
    if (this.#turns.length === 0) this.#turns.push({ index: 0, from: 0 });
    this.#turnOf.push(this.#turns.length - 1);
    if (entry.role === 'assistant') {
      this.#newestAnswer = entry.seq;
      if (!this.#followsRecall(entry)) this.#unseenFrom = entry.seq + 1;
      if (!isStep(entry)) this.#unansweredUser = undefined;
    }
  }

  /** Whether a message may be the rest of an answer that also recalled: the recalled text is then still unseen. */
  #followsRecall({ seq, unknownToClient, parts }: LogMessage): boolean {
    const before = seq > 0 ? this.at(seq - 1) : undefined;
    return (
      before?.unknownToClient === true &&
      before.parts.some(({ type }) => type === 'tool-result') &&
      unknownToClient !== true &&
      parts.some(({ type }) => type === 'tool-call')
    );
  }
}

/** A frozen copy, so that neither the appender nor a reader can change it. `wire` is shared. */
function frozenPart(part: Part): Part {
  if (part.type !== 'tool-result') return frozenCopy(part);
  return frozenCopy(part, { content: Object.freeze(part.content.map((inner) => frozenCopy(inner))) });
}
