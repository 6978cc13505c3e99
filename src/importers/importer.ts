import type { Parsed } from '../spi/index.js';
import type { Fields } from '../wire/index.js';

/** A session taken from a file, and what the file says about itself. */
export interface ImportedSession {
  readonly parsed: Parsed;
  readonly meta?: Fields;
  /** Which format the reader took it for, where only the objects themselves could tell. */
  readonly taken?: Taken;
}

export interface Taken {
  readonly name: string;
  /** Why, for the sentence that tells the user. */
  readonly mark: string;
}

/** Takes a file's objects one by one, so that what is not needed is never held. */
export interface SessionReader {
  /** @param line where it stands in the file, counted from 1 */
  take(value: unknown, line: number): void;
  /** Throws `INPUT_FORMAT` where the objects are not this format after all. */
  finish(): ImportedSession;
}

/** A recorded session with one JSON object per line. */
export interface LineImporter extends Taken {
  /** Looks at the first few lines and says whether this is its format. */
  recognises(head: string): boolean;
  /** Its lines are chat messages, and so are no surprise in its files. */
  readonly ofChat?: boolean;
  open(): SessionReader;
}

/** A recorded session, or a request, that is one JSON value over the whole file. */
export interface WholeImporter extends Taken {
  /** Looks at the value's marks, not at all of it. */
  fits(value: unknown): boolean;
  /** Throws `INPUT_FORMAT` where the value is not this format after all. */
  read(value: unknown): ImportedSession;
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
