import type { Planned } from '../pipeline/index.js';
import type { CompactionRecord } from '../transcript/index.js';
import type { SessionParts } from './session-parts.js';
import type { Thread } from './thread.js';

/** Makes records of what was planned. */
export class Committer {
  readonly #thread: Thread;
  readonly #parts: Pick<SessionParts, 'gauge' | 'summarizer'>;

  constructor(thread: Thread, parts: Pick<SessionParts, 'gauge' | 'summarizer'>) {
    this.#thread = thread;
    this.#parts = parts;
  }

  /** Makes a record of what was planned, and its draft the view. */
  commit(
    { plan, draft, states, stageMs }: Pick<Planned, 'plan' | 'draft' | 'states' | 'stageMs'>,
    kind: CompactionRecord['kind'],
    durationMs: number,
    bought?: Partial<Pick<CompactionRecord, 'calls' | 'fallbacks' | 'hooks' | 'warnings'>>,
    approves?: string,
  ): CompactionRecord {
    const { gauge, summarizer } = this.#parts;
    const id = `c${this.#thread.ledger.records.length + 1}`;
    const committedAt = plan.inputs.clock;
    const timing = { committedAt, durationMs, stageMs };
    const record: CompactionRecord = {
      id,
      kind,
      status: 'committed',
      plan,
      ...timing,
      model: gauge.model,
      unchangedTokens: Math.round(draft.tokensBefore(draft.changedFrom) * plan.inputs.scale),
      ...(kind === 'compaction' && { summarizer }),
      ...bought,
    };
    this.#thread.commit(record, draft, states, approves);
    gauge.rewritten();
    return record;
  }
}
