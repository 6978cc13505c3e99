import type { Parsed, SessionImporter } from '../spi/index.js';
import type { Fields } from './record.js';

/** A session taken from a file, and what the file says about itself. */
export interface ImportedSession {
  readonly parsed: Parsed;
  readonly meta?: Fields;
}

/** Takes a file's objects one by one, so that what is not needed is never held. */
export interface SessionReader {
  /** @param line where it stands in the file, counted from 1 */
  take(value: unknown, line: number): void;
  /** Throws `INPUT_FORMAT` where the objects are not this format after all. */
  finish(): ImportedSession;
}

/** A recorded session with one JSON object per line. */
export interface LineImporter extends SessionImporter {
  /** Why `recognises` says yes, for the sentence that tells the user. */
  readonly mark: string;
  open(): SessionReader;
}
