import { createHash } from 'node:crypto';
import type { Planned, RunInput } from '../../pipeline/index.js';
import type { Json, SessionStore, ThreadKey } from '../../spi/index.js';
import type { CompactionRecord, IsPinned, Plan, PlannedEdit, ReadonlyLog } from '../../transcript/index.js';

/** Where a store keeps the plan that is prepared for a thread, by `placeOf`. */
export const PREPARED = 'prepared';

/** Good as long as the ledger stands where it stood. */
export interface SavedPlan {
  readonly entries: number;
  readonly plan: Plan;
}

/** Whose plan is prepared, and when. */
interface PreparedFor extends ThreadKey {
  readonly model: string | null;
  /** `Filler.version` of who planned. */
  readonly version: string;
  /** Events of the ledger it was planned on: one more, and it is for nothing. */
  readonly entries: number;
}

/** What a worker needs that has no more than the store. */
export interface PreparedBody extends PreparedFor {
  readonly key: string;
  /** Those with slots. */
  readonly edits: readonly PlannedEdit[];
  /** Messages within them, and the first of the user, that are pinned: some by code that only the session's own process has. */
  readonly pinned: readonly string[];
}

/** What came of it. */
export type PreparedText = Required<Pick<CompactionRecord, 'calls' | 'fallbacks'>>;

export const asJson = (value: unknown): Json => value as Json;

export const placeOf = ({ sessionId, agentPath }: ThreadKey): string =>
  JSON.stringify([sessionId, agentPath]);

/** The job of buying the text of a plan. Its key: the thread, what its ledger says, each span, and who is asked how. */
export function bodyOf(
  { source }: RunInput,
  { plan }: Planned,
  { version, entries, model, ...thread }: PreparedFor,
): PreparedBody {
  const { log, isPinned } = source;
  const edits = plan.edits.filter(({ slot }) => slot);
  // Where it stays in view a summarizer is told so, and asked in other words.
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

/** What a process on the same store left prepared, or is preparing. A store that is away costs the preparation alone. */
export async function savedPlan(store: SessionStore, thread: ThreadKey): Promise<SavedPlan | undefined> {
  const saved = await store.value(PREPARED, placeOf(thread)).catch(() => undefined);
  return saved as unknown as SavedPlan | undefined;
}
