import { SpillwayError } from '../errors/index.js';
import type { PlannedEdit } from './edit.js';
import type { CompactionRecord, Hold } from './plan.js';

export const GENESIS = 'genesis';

/** The append-only list of records. What is live in it, seen through the log, is the view. */
export class Ledger {
  #records: CompactionRecord[] = [];
  #holds: Hold[] = [];
  /** Undoing is a change too: it moves the head, so that plans made before it no longer fit. */
  #undone = 0;

  get records(): readonly CompactionRecord[] {
    return this.#records;
  }

  get holds(): readonly Hold[] {
    return this.#holds;
  }

  /** What a plan must name as its base to be committed. */
  get head(): string {
    const newest = this.#records.at(-1);
    return newest ? `${newest.id}/${this.#undone}` : GENESIS;
  }

  get liveEdits(): readonly PlannedEdit[] {
    return this.#records
      .filter((record) => record.status === 'committed')
      .flatMap((record) => record.plan.edits);
  }

  /** Compare-and-swap: throws `LEDGER_CONFLICT` when another commit came first. */
  commit(record: CompactionRecord): void {
    if (record.plan.base !== this.head) {
      throw new SpillwayError('LEDGER_CONFLICT', {
        subject: 'plan base',
        found: record.plan.base,
        allowed: this.head,
        remedy: 'Plan again on the current ledger.',
        retryable: true,
      });
    }
    this.#records.push(record);
  }

  /** Takes the newest live record off and holds its span. Returns it, or undefined when nothing is live. */
  undo(holdOf: (record: CompactionRecord) => Hold): CompactionRecord | undefined {
    const index = this.#records.findLastIndex((record) => record.status === 'committed');
    const record = this.#records[index];
    if (!record) return undefined;
    const undone: CompactionRecord = { ...record, status: 'undone' };
    this.#records = this.#records.with(index, undone);
    this.#undone++;
    this.#holds = [...this.#holds, holdOf(record)];
    return undone;
  }

  release(): void {
    this.#holds = [];
  }
}
