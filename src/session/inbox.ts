import { idTaken, isIdTaken, SpillwayError, thrownText } from '../errors/index.js';
import { checkMessage, copied, NotCopyable, type CopyOptions, type Message } from '../transcript/index.js';
import { continueMessage, markerMessage } from './own-messages.js';
import type { Pieces } from './wiring.js';
import { takeInSlices } from './slices.js';

/** Takes messages into the log, and has them stored: those of clients and hosts, and the session's own. */
export class Inbox {
  constructor(
    private readonly of: Pick<Pieces, 'clock' | 'follower' | 'intake' | 'persistence' | 'stream' | 'thread'>,
  ) {}

  /** Throws `MESSAGE_INVALID` before any is added, and `MESSAGE_ID_TAKEN`. Resolves when they are stored. */
  append(...messages: readonly Message[]): Promise<void> {
    const { copyInstance } = this.of.follower;
    this.#admit(messages.map((message, place) => ownMessage(message, place, copyInstance)));
    return this.#stored(messages);
  }

  /**
   * A client's whole history, which can be long: taken in and stored in slices, and nothing of it where an id is taken.
   * `isAgain`: it is said again where others changed what it stands behind; until then it is turned down.
   */
  async appendAll(given: readonly Message[], isAgain = false): Promise<void> {
    this.of.thread.checkIds(this.#notWaiting(given));
    let before: string | undefined;
    const take = (message: Message): void => {
      // Rolled back, or gone on with, between two slices.
      if (isAgain && before !== undefined && this.of.thread.newest?.id !== before) throw idTaken(message.id);
      this.#admit([message], isAgain);
      before = message.id;
    };
    await takeInSlices(given, this.of.intake.countAhead, take, (taken) => this.#stored(taken));
  }

  /** A message of the session's own, unless another process was first with one of that name: then that one stands. */
  async appendOnce(message: Message): Promise<void> {
    await this.append(message).catch((error: unknown) => {
      if (!isIdTaken(error)) throw error;
    });
  }

  /** Tells the agent to go on if it has next steps; not where its provider paused, and goes on by itself. */
  async goOn(): Promise<void> {
    const { log, appended } = this.of.thread;
    if (log.isPaused) return;
    const now = this.of.clock();
    await this.append(continueMessage(`continue:${appended}:${now}`, now));
  }

  /** Has the next request compacted, also after a restart. `auto`: by the host's own doing. */
  queue(auto: boolean): Promise<void> {
    const now = this.of.clock();
    this.of.stream.emit({ kind: 'queued', auto });
    return this.append(markerMessage(`compaction:${this.of.thread.appended}:${now}`, auto, now));
  }

  /** Without those that could not be stored yet, told again. */
  #notWaiting(messages: readonly Message[]): readonly Message[] {
    return messages.filter((message) => !this.of.persistence.journal?.isWaiting(message));
  }

  #admit(given: readonly Message[], isAgain = false): void {
    const { redaction } = this.of.intake;
    const messages = redaction ? given.map((message) => redaction.take(message)) : given;
    this.of.thread.append(this.#notWaiting(messages));
    for (const { id } of messages) this.of.persistence.journal?.expect(id, isAgain);
  }

  #stored(messages: readonly Message[]): Promise<void> {
    return this.of.persistence.stored(messages.map(({ id }) => id));
  }
}

/**
 * A message of the log's own: whoever appended it may write to the object that a provider or client gave, and the log
 * does not change. Throws `MESSAGE_INVALID` for what no request can carry, no store can keep, or nobody can read.
 */
function ownMessage(message: Message, place: number, instance: CopyOptions['instance']): Message {
  const refused = (subject: string, found: string) =>
    new SpillwayError('MESSAGE_INVALID', {
      subject,
      found,
      allowed: 'what JSON can say, and bytes',
      remedy: 'Append messages as a provider would get them.',
    });
  try {
    checkMessage(message, place);
    return copied(message, { freeze: true, stored: true, ...(instance && { instance }) });
  } catch (error) {
    if (error instanceof SpillwayError) throw error;
    if (error instanceof NotCopyable) throw refused(`message ${message.id}`, error.message);
    throw refused(`message ${place}`, `it throws when it is read: ${thrownText(error)}`);
  }
}
