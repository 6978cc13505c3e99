import { SpillwayError } from '../../errors/index.js';
import type { Notice, Parsed } from '../../spi/index.js';
import type { Message, TextPart } from '../../transcript/index.js';
import { isFields, jsonText, type Fields } from '../../formats/index.js';
import type { Body } from './parts.js';

/* Common parts of the readers of recordings. */

/** A session from a file, and the file's statements about itself. */
export interface ImportedSession {
  readonly parsed: Parsed;
  readonly meta?: Fields;
  /** The detected format, if only the values themselves could show it. */
  readonly detected?: DetectedFormat;
}

export interface DetectedFormat {
  readonly name: string;
  /** The reason for the format, as a phrase for the user. */
  readonly mark: string;
}

/** Takes a file's values one by one, so that unneeded values are never held in memory. */
export interface SessionReader {
  /** @param line line number in the file, counted from 1 */
  take(value: unknown, line: number): void;
  /** Throws `INPUT_FORMAT` if the values turn out not to be in this format. */
  finish(): ImportedSession;
}

/** The recording format of an agent: one JSON object per line, or (`isWhole`) one object over the whole file. */
export interface Importer extends DetectedFormat {
  /** Whether the beginning of the file shows this format. */
  recognises(head: string): boolean;
  readonly isWhole?: boolean;
  open(): SessionReader;
}

/** A recorded session, as far as it could be read. */
export interface ReadSession {
  readonly format: string;
  /** One sentence: the chosen format and the reason. */
  readonly how: string;
  readonly parsed: Parsed;
  /** The file's statements about itself: id, model, positions of compactions. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Adds a notice of a reader, at the message or entry that it concerns. */
export type Note = (kind: string, what: string) => void;

/** Keeps content of an unknown type as its JSON text, so that nothing is lost. */
export function unknownPart(part: unknown, what: string, note: Note): TextPart {
  const type = isFields(part) ? jsonText(part.type) || 'none' : typeof part;
  note('unknown-part', `${what} of type ${type} is kept as its JSON text`);
  return { type: 'text', text: typeof part === 'string' ? part : jsonText(part) };
}

/** Collects the findings of a reader, in the order of the file. */
export class Recording {
  messages: Message[] = [];
  /** Indexes of the messages before which the agent compacted. */
  readonly compactions: number[] = [];
  #notices: Notice[] = [];
  readonly #meta: Record<string, unknown> = {};

  constructor(private readonly importer: string) {}

  /** Adds the file's statements about itself; the first value of each field is kept. */
  addMeta(fields: Fields): void {
    for (const [name, value] of Object.entries(fields)) this.#meta[name] ??= value;
  }

  noteAt(at: string): Note {
    return (kind, what) => void this.#notices.push({ at, kind, what });
  }

  /** Notes how many things in the file were left out or changed; adds no notice for 0. */
  noteCount(count: number, kind: string, what: string): void {
    if (count > 0) this.#notices.push({ at: 'file', kind, what: `${count} ${what}` });
  }

  /** Adds a message. An answer without text or calls cannot be sent again, so it is left out. */
  add(id: string, said: Body, time: { readonly createdAt?: number }): void {
    const hasContent = said.parts.some((part) => part.type !== 'reasoning' || said.role === 'user');
    if (hasContent) this.messages.push({ id, ...said, ...time });
    else this.noteAt(id)('empty-message', 'nothing said; left out');
  }

  /** Adds the result of a wire format's parser. */
  addParsed(messages: readonly Message[], notices: readonly Notice[]): void {
    this.messages = this.messages.concat(messages);
    this.#notices = this.#notices.concat(notices);
  }

  /** Throws `INPUT_FORMAT` if there is no message, because the file is then not in the assumed format. */
  session(): ImportedSession {
    const { messages, compactions } = this;
    if (messages.length === 0)
      throw new SpillwayError('INPUT_FORMAT', {
        subject: `${this.importer}: the file`,
        found: 'no message that says anything',
        allowed: 'a session in which users and the model speak',
        remedy: 'Pass the session file itself, not one of a sub-agent, or name the format the file is in.',
      });
    const { model } = this.#meta;
    return {
      parsed: { messages, notices: this.#notices, ...(typeof model === 'string' && { model }) },
      meta: { ...this.#meta, ...(compactions.length > 0 && { compaction_at: compactions }) },
    };
  }
}
