import {
  fitsNever,
  onlyStripsReasoning,
  planPass,
  planSignatures,
  type Pass,
  type Policy,
  type RunInput,
  type RunOutcome,
  type SignedThought,
} from '../pipeline/index.js';
import type { CompactionRecord, Trigger } from '../transcript/index.js';
import { commitPlanned } from './commit.js';
import { planInput } from './plan-input.js';
import type { SessionCore } from './session-parts.js';

/* What needs no gate: free work before a call, and at the head of a run. */

/**
 * Commits each pass that is due when its turn comes. None where the run that follows by `trigger` is sure to be refused:
 * what may never be removed does not fit, and the ledger stays as it was.
 */
export function commitPasses(
  of: SessionCore,
  policy: Policy,
  trigger: Trigger | undefined,
  isDue: (pass: Pass) => boolean,
): void {
  if (!policy.passes.some(isDue)) return;
  if (trigger && fitsNever({ ...planInput(of, trigger), policy })) return;
  for (const pass of policy.passes) if (isDue(pass)) commitPass(of, pass);
}

/** Commits a pass by a record of its own, which keeps the view stable; it is no compaction: no history, hooks or events. */
function commitPass(of: SessionCore, pass: Pass): void {
  commitQuietly(of, pass, (input) => planPass(input, pass));
}

/** Takes out reasoning signed behind a position of the log at which hooks add other content now. */
export function stripMoved(of: SessionCore, behind: number): void {
  const why = 'a signature vouches for content that a hook had added, which has changed or moved';
  stripStale(of, ({ seq }) => seq > behind, why);
}

/** Takes out reasoning signed over compactions that no longer stand, and what was stale already when they were made. */
export function stripUndone(of: SessionCore, undone: readonly CompactionRecord[]): void {
  if (undone.length === 0) return;
  const compactions = undone.filter((record) => !onlyStripsReasoning(record));
  const since = Math.min(...compactions.map(({ plan }) => plan.inputs.logLength));
  const stale = new Set(undone.filter(onlyStripsReasoning).flatMap(strippedIn));
  const isStale = ({ messageId, seq }: SignedThought): boolean => seq >= since || stale.has(messageId);
  stripStale(of, isStale, 'a signature vouches for a compaction that was taken back');
}

function strippedIn({ plan }: CompactionRecord): string[] {
  return plan.edits.flatMap((edit) => (edit.kind === 'replace' ? [edit.messageId] : []));
}

/** `why` goes into the record. */
function stripStale(of: SessionCore, isStale: (thought: SignedThought) => boolean, why: string): void {
  commitQuietly(of, { kind: 'prune', detail: why }, (input) => planSignatures(input, isStale));
}

function commitQuietly(
  of: SessionCore,
  { kind, detail }: Trigger,
  plan: (input: RunInput) => RunOutcome | undefined,
): void {
  const { timer } = of.parts;
  const started = timer();
  const outcome = plan(planInput(of, { kind, detail }));
  if (outcome?.kind === 'planned')
    commitPlanned(of, outcome, { kind: 'prune', durationMs: timer() - started });
}
