import type { SpillwayError } from '../../errors/index.js';
import type { IndexRows } from './rows.js';
import type { Database } from './tables.js';

/** Where the databases differ. */
export interface Dialect {
  readonly kind: 'sqlite' | 'postgres';
  readonly words: WordIndex;
  /** A nearer word for what the driver threw. Never holds a password. */
  faultOf(error: unknown): SpillwayError;
  /** Whether somebody else stood in the way for a moment and nothing was changed. */
  isPassing(error: unknown): boolean;
  isMissingTable(error: unknown): boolean;
  /** A table that is to be made stands there already. */
  isTaken(error: unknown): boolean;
  /** Two messages of one thread with one id. */
  isIdTaken(error: unknown): boolean;
}

/** A larger score is better. */
export interface ScoredRow {
  readonly seq: number;
  readonly score: number;
}

/** The full-text index over the messages of all threads. */
export interface WordIndex {
  create(db: Database): Promise<void>;
  /** What is inserted with messages, in the same write. */
  readonly rows: IndexRows;
  /** Best first. `words` is never empty. */
  search(db: Database, threadId: number, words: readonly string[], limit: number): Promise<ScoredRow[]>;
}
