import type { ReadonlyLog } from './log.js';
import type { LogMessage } from './message.js';
import { atOnce, madeIn, type Made, type Steps } from './steps.js';

/** Something that is derived from a log by reading each message once, in order. */
export interface LogFold {
  /** Reads the next message of the log. */
  read(message: LogMessage): Made<void>;
}

/** Reads a growing log into its folds, with one cursor, so that all folds are equally up to date. */
export class LogReader {
  readonly #log: ReadonlyLog;
  readonly #folds: readonly LogFold[];
  #next = 0;
  /** The reading in progress; further callers continue it. */
  #reading: Steps<void> | undefined;

  constructor(log: ReadonlyLog, ...folds: readonly LogFold[]) {
    this.#log = log;
    this.#folds = folds;
  }

  /** Reads the messages that were appended since the last call. */
  catchUp(): void {
    atOnce(this.catchingUp());
  }

  /** The same as `catchUp`, in steps. */
  *catchingUp(): Steps<void> {
    while (!(this.#reading ??= this.#readOn()).next().done) yield;
    this.#reading = undefined;
  }

  *#readOn(): Steps<void> {
    while (this.#next < this.#log.length) {
      const message = this.#log.at(this.#next++);
      for (const fold of this.#folds) {
        yield* madeIn(fold.read(message));
        yield;
      }
    }
  }
}
