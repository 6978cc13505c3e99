import type { ThreadHead } from '../../spi/index.js';
import type { Move, Note } from './rows.js';

/**
 * Writes to a thread: all of it or nothing, in as few trips to the database as it allows. Statements are written by hand,
 * since building them anew for every append costs more than SQLite takes to carry them out.
 */
export interface Writer {
  /** One compare-and-swap. Undefined where the head is another. */
  move(move: Move): Promise<ThreadHead | undefined>;
  /** Begins the thread if it must. */
  note(note: Note): Promise<void>;
}
