import { SpillwayError } from '../../errors/index.js';
import type { Notice, Parsed } from '../../spi/index.js';
import type { Message, TextPart } from '../../transcript/index.js';
import { isFields, jsonText, type Fields } from '../../formats/index.js';
import type { Said } from './parts.js';

/* What readers of recordings have in common. */

/** A session taken from a file, and what the file says about itself. */
export interface ImportedSession {
  readonly parsed: Parsed;
  readonly meta?: Fields;
  /** Which format the reader took it for, where only the values themselves could tell. */
  readonly taken?: Taken;
}

export interface Taken {
  readonly name: string;
  /** Why, for the sentence that tells the user. */
  readonly mark: string;
}

/** Takes a file's values one by one, so that what is not needed is never held. */
export interface SessionReader {
  /** @param line where it stands in the file, counted from 1 */
  take(value: unknown, line: number): void;
  /** Throws `INPUT_FORMAT` where the values are not this format after all. */
  finish(): ImportedSession;
}

/** What an agent records: one JSON object a line, or (`isWhole`) one object over the whole file. */
export interface Importer extends Taken {
  /** Looks at the beginning of the file and says whether this is its format. */
  recognises(head: string): boolean;
  readonly isWhole?: boolean;
  open(): SessionReader;
}

/** A recorded session, as far as it could be read. */
export interface ReadSession {
  readonly format: string;
  /** One sentence: which format was taken, and why. */
  readonly how: string;
  readonly parsed: Parsed;
  /** What the file says about itself: id, model, where compactions stood. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Says what a reader met, at the message or entry that it is in. */
export type Note = (kind: string, what: string) => void;

/** What nobody here knows, as its JSON text: nothing is lost. */
export function unknownPart(part: unknown, what: string, note: Note): TextPart {
  const type = isFields(part) ? jsonText(part.type) || 'none' : typeof part;
  note('unknown-part', `${what} of type ${type} is kept as its JSON text`);
  return { type: 'text', text: typeof part === 'string' ? part : jsonText(part) };
}

/** Collects what a reader finds, in the order of the file. */
export class Recording {
  messages: Message[] = [];
  /** Indexes of the messages before which the agent compacted. */
  readonly compactions: number[] = [];
  #notices: Notice[] = [];
  readonly #about: Record<string, unknown> = {};

  constructor(private readonly importer: string) {}

  /** What the file says of itself: the first word on each stands. */
  about(fields: Fields): void {
    for (const [name, value] of Object.entries(fields)) this.#about[name] ??= value;
  }

  noteAt(at: string): Note {
    return (kind, what) => void this.#notices.push({ at, kind, what });
  }

  /** Says that so many things in the file were left out, or taken otherwise; nothing where there are none. */
  counted(count: number, kind: string, what: string): void {
    if (count > 0) this.#notices.push({ at: 'file', kind, what: `${count} ${what}` });
  }

  /** The next message; an answer that ended before it said anything cannot be sent again, and is none. */
  add(id: string, said: Said, time: { readonly createdAt?: number }): void {
    const says = said.parts.some((part) => part.type !== 'reasoning' || said.role === 'user');
    if (says) this.messages.push({ id, ...said, ...time });
    else this.noteAt(id)('empty-message', 'nothing said; left out');
  }

  /** What a wire format read. */
  takes(messages: readonly Message[], notices: readonly Notice[]): void {
    this.messages = this.messages.concat(messages);
    this.#notices = this.#notices.concat(notices);
  }

  /** Throws `INPUT_FORMAT` where nobody says anything: the file is not what it was taken for. */
  session(): ImportedSession {
    const { messages, compactions } = this;
    if (messages.length === 0)
      throw new SpillwayError('INPUT_FORMAT', {
        subject: `${this.importer}: the file`,
        found: 'no message that says anything',
        allowed: 'a session in which users and the model speak',
        remedy: 'Pass the session file itself, not one of a sub-agent, or name the format the file is in.',
      });
    const { model } = this.#about;
    return {
      parsed: { messages, notices: this.#notices, ...(typeof model === 'string' && { model }) },
      meta: { ...this.#about, ...(compactions.length > 0 && { compaction_at: compactions }) },
    };
  }
}
