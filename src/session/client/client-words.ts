import { matchesRedacted, type LogRedaction } from '../../text/facts/index.js';
import type { LogMessage, Message, ViewMessage } from '../../transcript/index.js';
import { sameMessage } from '../../formats/index.js';

/**
 * The original words of a client that sends its whole history, if the log keeps them only without secrets. They are
 * recognised, and sent in place of the log's version as long as no edit replaces a part of their message.
 */
export class ClientWords {
  #history:
    | {
        readonly messages: readonly Message[];
        /** Offset of a message in the history against its position among the known messages. */
        readonly shift: number;
        /** Position of each log message among those that the client knows, by id. */
        readonly places: ReadonlyMap<string, number>;
      }
    | undefined;
  readonly #restored = new WeakMap<LogMessage, { readonly own: Message; readonly shown: ViewMessage }>();

  constructor(private readonly redaction: LogRedaction | undefined) {}

  /** Learns the secrets of a history, because after a restart only the client has them. */
  learnSecrets(messages: readonly Message[]): void {
    if (this.redaction) for (const message of messages) this.redaction.learn(message);
  }

  /** Records the positions of the history's messages in the log. */
  setHistory(messages: readonly Message[], shift: number, known: readonly Message[]): void {
    if (!this.redaction) return;
    const places = new Map(known.map(({ id }, place) => [id, place]));
    this.#history = { messages, shift, places };
  }

  /** Whether a message of the log is the message that a client sent. */
  matches(logged: Message, sent: Message): boolean {
    if (sameMessage(logged, sent)) return true;
    if (!logged.redacted) return false;
    // If signed thoughts had to be removed, the log has fewer parts than the client.
    return (
      sameMessage(logged, sent, matchesRedacted) ||
      (this.redaction !== undefined && sameMessage(logged, this.redaction.redact(sent), matchesRedacted))
    );
  }

  /** A view with the client's own words. */
  restoreIn(view: readonly ViewMessage[]): readonly ViewMessage[] {
    return this.#history ? view.map((shown) => this.#restore(shown)) : view;
  }

  #restore(shown: ViewMessage): ViewMessage {
    const { source, replaced } = shown;
    if (!this.#history || !source?.redacted || replaced) return shown;
    const { messages, shift, places } = this.#history;
    const place = places.get(source.id);
    const own = place === undefined ? undefined : messages[place + shift];
    if (!own) return shown;
    const known = this.#restored.get(source);
    if (known?.own === own) return known.shown;
    if (!this.matches(source, own)) return shown;
    const whole: LogMessage = { ...own, id: source.id, seq: source.seq, size: source.size };
    const drawn = { ...shown, message: whole, source: whole };
    this.#restored.set(source, { own, shown: drawn });
    return drawn;
  }
}
