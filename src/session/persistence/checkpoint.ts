import { having, listOf, OBJECT, WHOLE } from '../../errors/index.js';
import type { Spent } from '../../pressure/index.js';
import type { Json, StoredThread } from '../../spi/index.js';
import type { Left } from '../../transcript/index.js';
import type { QueuedCompaction } from '../own-messages.js';
import type { Thread } from '../thread.js';

/** Checkpoints of another version are not read: log and ledger are enough to write requests. */
const VERSION = 5;

/** The stored memory of runs, in addition to log and ledger. */
export interface Checkpoint {
  readonly version: number;
  /** Length of the log at the time of the checkpoint. */
  readonly messages: number;
  /** Spans of the store that were rolled back, so that a list of sessions need not read their ledgers. */
  readonly left: readonly Left[];
  readonly spent?: Spent | undefined;
  readonly states: Readonly<Record<string, Json>>;
  readonly overflowed: boolean;
  readonly queued?: QueuedCompaction | undefined;
}

export function checkpointOf({ log, ledger, memory }: Thread, spent: Spent | undefined): Checkpoint {
  const { overflowed, queued } = memory;
  const states = Object.fromEntries(memory.stageStates) as Readonly<Record<string, Json>>;
  return { version: VERSION, messages: log.length, left: ledger.left, spent, states, overflowed, queued };
}

const CHECKPOINT = having({
  messages: WHOLE,
  left: listOf(having({ at: WHOLE, count: WHOLE })),
  states: OBJECT,
});

/** The checkpoint if this version wrote it and it is not older than the ledger. */
export function checkpointIn({ head, checkpoint, checkpointAt }: StoredThread): Checkpoint | undefined {
  const body = checkpoint as (Json & Partial<Checkpoint>) | undefined;
  if (body?.version !== VERSION || checkpointAt?.entries !== head.entries) return undefined;
  return CHECKPOINT.is(body) ? (body as unknown as Checkpoint) : undefined;
}
