import { hides, type LogRedaction } from '../../text/facts/index.js';
import type { LogMessage, Message, ViewMessage } from '../../transcript/index.js';
import { sameMessage } from '../../formats/index.js';

/**
 * The words of a client that sends its whole history, where the log may hold them only without their secrets. They are
 * known again for the same, and sent in place of what the log holds, as long as their message stands whole.
 */
export class ClientWords {
  #known:
    | {
        readonly messages: readonly Message[];
        /** How many more of them there are than the log has before the same one. */
        readonly shift: number;
        /** Places of the log's messages among those that the client knows. */
        readonly places: ReadonlyMap<string, number>;
      }
    | undefined;
  readonly #drawn = new WeakMap<LogMessage, { readonly own: Message; readonly shown: ViewMessage }>();

  constructor(private readonly redaction: LogRedaction | undefined) {}

  /** Learns what a history gives away: after a restart nobody else knows it. */
  hear(messages: readonly Message[]): void {
    if (this.redaction) for (const message of messages) this.redaction.hear(message);
  }

  /** Takes note of where the messages of the history stand in the log. */
  are(messages: readonly Message[], shift: number, known: readonly Message[]): void {
    if (!this.redaction) return;
    const places = new Map(known.map(({ id }, place) => [id, place]));
    this.#known = { messages, shift, places };
  }

  /** Whether a client sent this message of the log. */
  areIn(logged: Message, sent: Message): boolean {
    if (sameMessage(logged, sent)) return true;
    if (!logged.redacted) return false;
    // Where signed thoughts had to leave, the log has less than the client.
    return (
      sameMessage(logged, sent, hides) ||
      (this.redaction !== undefined && sameMessage(logged, this.redaction.take(sent), hides))
    );
  }

  /** A view with the client's own words in it. */
  in(view: readonly ViewMessage[]): readonly ViewMessage[] {
    return this.#known ? view.map((shown) => this.#draw(shown)) : view;
  }

  #draw(shown: ViewMessage): ViewMessage {
    const { source, replaced } = shown;
    if (!this.#known || !source?.redacted || replaced) return shown;
    const { messages, shift, places } = this.#known;
    const place = places.get(source.id);
    const own = place === undefined ? undefined : messages[place + shift];
    if (!own) return shown;
    const known = this.#drawn.get(source);
    if (known?.own === own) return known.shown;
    if (!this.areIn(source, own)) return shown;
    const whole: LogMessage = { ...own, id: source.id, seq: source.seq, size: source.size };
    const drawn = { ...shown, message: whole, source: whole };
    this.#drawn.set(source, { own, shown: drawn });
    return drawn;
  }
}
