import type { ReadonlyLog } from './log.js';
import type { LogMessage } from './message.js';
import { atOnce, madeIn, type Made, type Steps } from './steps.js';

/** Something that is derived from a log, message by message, each once and in order. */
export interface LogFold {
  /** Takes in the next message of the log. */
  read(message: LogMessage): Made<void>;
}

/** Reads a log into its folds as it grows: one cursor for all of them, so that all know the same. */
export class LogReader {
  readonly #log: ReadonlyLog;
  readonly #folds: readonly LogFold[];
  #next = 0;
  /** What is under way: whoever asks meanwhile goes on with it. */
  #reading: Steps<void> | undefined;

  constructor(log: ReadonlyLog, ...folds: readonly LogFold[]) {
    this.#log = log;
    this.#folds = folds;
  }

  /** Reads the messages that were appended since. */
  catchUp(): void {
    atOnce(this.catchingUp());
  }

  /** The same, in steps. */
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
