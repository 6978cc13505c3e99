import type { Planned } from '../pipeline/index.js';
import type { CompactionRecord } from '../transcript/index.js';
import { packOldPlans } from './old-plans.js';
import type { AgentState, SessionParts } from './state.js';

/** Makes a record of what was planned, and its draft the view. */
export function commit(
  { plan, draft, states, stageMs }: Pick<Planned, 'plan' | 'draft' | 'states' | 'stageMs'>,
  kind: CompactionRecord['kind'],
  state: AgentState,
  parts: SessionParts,
  durationMs: number,
  bought?: Partial<Pick<CompactionRecord, 'calls' | 'fallbacks' | 'warnings'>>,
  approves?: string,
): CompactionRecord {
  const id = `c${state.ledger.records.length + 1}`;
  const committedAt = plan.inputs.clock;
  const timing = { committedAt, durationMs, stageMs };
  const record: CompactionRecord = {
    id,
    kind,
    status: 'committed',
    plan,
    ...timing,
    ...(kind === 'compaction' && {
      summarizer: parts.summarizer,
      model: parts.gauge.model,
      unchangedTokens: Math.round(draft.tokensBefore(draft.changedFrom) * plan.inputs.scale),
    }),
    ...bought,
  };
  state.ledger.commit(record, approves);
  void packOldPlans(state.ledger);
  if (kind === 'compaction') state.queued = undefined;
  state.projection = draft;
  state.stageStates = states;
  parts.gauge.rewritten();
  return record;
}
