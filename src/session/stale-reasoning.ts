import { onlySettles, type SignedThought } from '../pipeline/index.js';
import type { CompactionRecord } from '../transcript/index.js';
import type { Passes } from './passes.js';

/** Takes out signed reasoning that went stale by other things than a compaction. */
export class StaleReasoning {
  readonly #passes: Passes;

  constructor(passes: Passes) {
    this.#passes = passes;
  }

  /** What was signed behind a position of the log at which hooks add other content now. */
  settleMoved(behind: number): void {
    const why = 'a signature vouches for content that a hook had added, which has changed or moved';
    this.#passes.commitStale(({ seq }) => seq > behind, why);
  }

  /** What was signed over compactions that no longer stand, and what was stale already when they were made. */
  settleUndone(undone: readonly CompactionRecord[]): void {
    if (undone.length === 0) return;
    const compactions = undone.filter((record) => !onlySettles(record));
    const since = Math.min(...compactions.map(({ plan }) => plan.inputs.logLength));
    const stale = new Set(undone.filter(onlySettles).flatMap(strippedIn));
    const isStale = ({ messageId, seq }: SignedThought): boolean => seq >= since || stale.has(messageId);
    this.#passes.commitStale(isStale, 'a signature vouches for a compaction that was taken back');
  }
}

function strippedIn({ plan }: CompactionRecord): string[] {
  return plan.edits.flatMap((edit) => (edit.kind === 'replace' ? [edit.messageId] : []));
}
