import type { CompactionRecord, Flag, Hold, ModelCall, Plan } from './plan.js';

/** A plan that waits for approval. */
export interface WaitingPlan {
  readonly plan: Plan;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Calls of a summarizer that were made for the plan's text. */
  readonly calls?: readonly ModelCall[];
  readonly fallbacks?: readonly string[];
  /** The `state` that each stage returned, by stage; JSON. */
  readonly states?: Readonly<Record<string, unknown>>;
}

/** An event of a ledger, as a value: replaying the list of events rebuilds the ledger. */
export type LedgerEvent =
  | { readonly kind: 'commit'; readonly record: CompactionRecord }
  | { readonly kind: 'undo'; readonly records: readonly string[]; readonly holds: readonly Hold[] }
  | { readonly kind: 'release' }
  | { readonly kind: 'flag'; readonly record: string; readonly flag?: Flag; readonly notes?: string }
  | { readonly kind: 'propose'; readonly proposal: WaitingPlan }
  | { readonly kind: 'reject'; readonly plan: string; readonly notes?: string }
  /** Events of an earlier release; they change nothing. */
  | { readonly kind: 'end-claim' | 'restore-claim' }
  | {
      readonly kind: 'rollback';
      /** Number of messages that stay in the log. Later messages are left out from here on; nothing is deleted. */
      readonly length: number;
      /** Number of messages ever appended by then, including those that were rolled back. */
      readonly appended: number;
      /** Records that reached past the new end; undone, newest first. */
      readonly records: readonly string[];
    };

/** A rolled-back span among all messages ever appended: its first place and its number of messages. */
export interface Left {
  readonly at: number;
  readonly count: number;
}

/** The place of a log position among all messages ever appended. */
export function appendedAt(seq: number, left: readonly Left[]): number {
  let place = seq;
  for (const span of left) if (span.at <= place) place += span.count;
  return place;
}

/** Whether the message at a place was rolled back. */
export function isLeft(place: number, left: readonly Left[]): boolean {
  return left.some(({ at, count }) => place >= at && place < at + count);
}

/** The spans after one more rollback; earlier spans after its start become part of it. */
export function leftBy(
  { length, appended }: Extract<LedgerEvent, { kind: 'rollback' }>,
  before: readonly Left[],
): readonly Left[] {
  const at = appendedAt(length, before);
  const earlier = before.filter((span) => span.at < at);
  return at < appended ? [...earlier, { at, count: appended - at }] : earlier;
}
