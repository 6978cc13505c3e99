import type { Planned } from '../pipeline/index.js';
import type { CompactionRecord } from '../transcript/index.js';
import type { SessionCore } from './session-parts.js';

/** How a plan came to be committed. */
export interface Commit extends Pick<CompactionRecord, 'kind' | 'durationMs'> {
  /** What was bought for it, and what plugins and warnings say of it. */
  readonly bought?: Partial<Pick<CompactionRecord, 'calls' | 'fallbacks' | 'hooks' | 'warnings'>> | undefined;
  /** Hash of the plan that waited for a yes. */
  readonly approves?: string | undefined;
}

/** Makes a record of what was planned, and its draft the view. */
export function commitPlanned(
  { thread, parts: { gauge, summarizer } }: SessionCore,
  { plan, draft, states, stageMs }: Pick<Planned, 'plan' | 'draft' | 'states' | 'stageMs'>,
  { kind, durationMs, bought, approves }: Commit,
): CompactionRecord {
  const record: CompactionRecord = {
    id: `c${thread.ledger.records.length + 1}`,
    kind,
    status: 'committed',
    plan,
    committedAt: plan.inputs.clock,
    durationMs,
    stageMs,
    model: gauge.model,
    unchangedTokens: Math.round(draft.tokensBefore(draft.changedFrom) * plan.inputs.scale),
    ...(kind === 'compaction' && { summarizer }),
    ...bought,
  };
  thread.commit(record, draft, states, approves);
  gauge.rewritten();
  return record;
}
