import { idTaken, isIdTaken, SpillwayError, thrownText } from '../errors/index.js';
import { checkMessage, copied, NotCopyable, type CopyOptions, type Message } from '../transcript/index.js';
import { continueMessage, markerMessage } from './own-messages.js';
import type { Pieces } from './wiring.js';
import { takeInSlices } from './slices.js';

/** Appends messages to the log and stores them: those of clients and hosts, and the session's own. */
export class Inbox {
  constructor(
    private readonly pieces: Pick<
      Pieces,
      'clock' | 'follower' | 'intake' | 'persistence' | 'stream' | 'thread'
    >,
  ) {}

  /** Throws `MESSAGE_INVALID` or `MESSAGE_ID_TAKEN` before any message is added. Resolves when all are stored. */
  append(...messages: readonly Message[]): Promise<void> {
    const { copyInstance } = this.pieces.follower;
    this.#admit(messages.map((message, place) => ownMessage(message, place, copyInstance)));
    return this.#whenStored(messages);
  }

  /**
   * Appends a client's whole history, which can be long, in slices; nothing of it if an id is taken. `isAgain`: the
   * caller sends the messages again if another process changed the log before them; until then they are refused.
   */
  async appendAll(messages: readonly Message[], callerRetries = false): Promise<void> {
    const { intake, thread } = this.pieces;
    thread.checkIds(this.#notWaiting(messages));
    let before: string | undefined;
    const take = (message: Message): void => {
      // The log was rolled back or grew between two slices.
      if (callerRetries && before !== undefined && thread.newest?.id !== before) throw idTaken(message.id);
      this.#admit([message], callerRetries);
      before = message.id;
    };
    await takeInSlices(messages, intake.countAhead, take, (taken) => this.#whenStored(taken));
  }

  /** Appends a message of the session's own, unless another process has already stored a message with the same id. */
  async appendOnce(message: Message): Promise<void> {
    await this.append(message).catch((error: unknown) => {
      if (!isIdTaken(error)) throw error;
    });
  }

  /** Tells the agent to go on if it has next steps, unless the provider has paused the turn and continues it anyway. */
  async askToContinue(): Promise<void> {
    const { log, appendedMessages } = this.pieces.thread;
    if (log.isPaused) return;
    const now = this.pieces.clock();
    await this.append(continueMessage(`continue:${appendedMessages}:${now}`, now));
  }

  /** Requests that the next `prepare` compacts, even after a restart. `auto`: no operator asked for it. */
  queue(auto: boolean): Promise<void> {
    const now = this.pieces.clock();
    this.pieces.stream.emit({ kind: 'queued', auto });
    return this.append(markerMessage(`compaction:${this.pieces.thread.appendedMessages}:${now}`, auto, now));
  }

  /** Leaves out messages that are appended again while they still wait to be stored. */
  #notWaiting(messages: readonly Message[]): readonly Message[] {
    return messages.filter((message) => !this.pieces.persistence.journal?.isWaiting(message));
  }

  #admit(given: readonly Message[], callerRetries = false): void {
    const { redaction } = this.pieces.intake;
    const messages = redaction ? given.map((message) => redaction.redact(message)) : given;
    this.pieces.thread.append(this.#notWaiting(messages));
    for (const { id } of messages) this.pieces.persistence.journal?.expect(id, callerRetries);
  }

  #whenStored(messages: readonly Message[]): Promise<void> {
    return this.pieces.persistence.whenStored(messages.map(({ id }) => id));
  }
}

/**
 * Copies and freezes a message for the log, so that later changes to the given object do not change the log. Throws
 * `MESSAGE_INVALID` for a message that a request cannot carry, a store cannot keep, or that throws when it is read.
 */
function ownMessage(message: Message, place: number, instance: CopyOptions['instance']): Message {
  const refused = (subject: string, found: string) =>
    new SpillwayError('MESSAGE_INVALID', {
      subject,
      found,
      allowed: 'what JSON can say, and bytes',
      remedy: 'Append messages that consist of JSON values and bytes.',
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
