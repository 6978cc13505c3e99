import { createHash } from 'node:crypto';
import type { Planned, RunInput } from '../../pipeline/index.js';
import type { Json, SessionStore, ThreadKey } from '../../spi/index.js';
import type { CompactionRecord, IsPinned, Plan, PlannedEdit, ReadonlyLog } from '../../transcript/index.js';

/** Scope of the stored plans that are prepared for threads, by `placeOf`. */
export const PREPARED = 'prepared';

/** A stored plan. Valid while the ledger has exactly `entries` events. */
export interface SavedPlan {
  readonly entries: number;
  readonly plan: Plan;
}

/** The thread and the state that a plan is prepared for. */
interface PreparedFor extends ThreadKey {
  readonly model: string | null;
  /** `Filler.version` of the process that planned. */
  readonly version: string;
  /** Number of ledger events at the time of planning. With any further event the plan is of no use. */
  readonly entries: number;
}

/** The job for a worker that has nothing but the store. */
export interface PreparedBody extends PreparedFor {
  readonly key: string;
  /** The edits that have slots. */
  readonly edits: readonly PlannedEdit[];
  /** Pins among their messages and the first user message; only the session's own process may know how to find them. */
  readonly pinned: readonly string[];
}

/** The result of the job. */
export type PreparedText = Required<Pick<CompactionRecord, 'calls' | 'fallbacks'>>;

export const asJson = (value: unknown): Json => value as Json;

export const placeOf = ({ sessionId, agentPath }: ThreadKey): string =>
  JSON.stringify([sessionId, agentPath]);

/** The job for the text of a plan. Its key is made of the thread, the ledger state, the slots and `Filler.version`. */
export function bodyOf(
  { source }: RunInput,
  { plan }: Planned,
  { version, entries, model, ...thread }: PreparedFor,
): PreparedBody {
  const { log, isPinned } = source;
  const edits = plan.edits.filter(({ slot }) => slot);
  // If the first user message stays in view, the summarizer is told so, and its request differs.
  const first = log.firstUser;
  const slots = edits.map((edit) => [edit.slot, edit.kind === 'replace' ? edit.partIndex : null]);
  const exact = JSON.stringify([thread, version, entries, plan.base, slots]);
  return {
    ...thread,
    key: createHash('sha256').update(exact).digest('hex'),
    model,
    version,
    entries,
    edits,
    pinned: [
      ...new Set([
        ...(first && isPinned(first) ? [first.id] : []),
        ...edits.flatMap((edit) => pinnedIn(edit, log, isPinned)),
      ]),
    ],
  };
}

function pinnedIn({ slot }: PlannedEdit, log: ReadonlyLog, isPinned: IsPinned): string[] {
  const from = log.find(slot!.fromId)!.seq;
  const to = log.find(slot!.toId)!.seq;
  return log
    .between(from, to)
    .filter((message) => isPinned(message))
    .map(({ id }) => id);
}

/** The plan that any process on the store has prepared, or is preparing; undefined also if the store is unavailable. */
export async function savedPlan(store: SessionStore, thread: ThreadKey): Promise<SavedPlan | undefined> {
  const saved = await store.value(PREPARED, placeOf(thread)).catch(() => undefined);
  return saved as unknown as SavedPlan | undefined;
}
