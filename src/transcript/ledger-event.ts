import type { CompactionRecord, Flag, Hold, ModelCall, Plan } from './plan.js';

/** A plan that waits for a yes, under its hash. */
export interface WaitingPlan {
  readonly plan: Plan;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Calls of a summarizer that were made for its text. */
  readonly calls?: readonly ModelCall[];
  readonly fallbacks?: readonly string[];
  /** By stage: what it returned as `state`; JSON. */
  readonly states?: Readonly<Record<string, unknown>>;
}

/** What can happen to a ledger. A value: replaying a list of them gives the ledger again. */
export type LedgerEvent =
  | { readonly kind: 'commit'; readonly record: CompactionRecord }
  | { readonly kind: 'undo'; readonly records: readonly string[]; readonly holds: readonly Hold[] }
  | { readonly kind: 'release' }
  | { readonly kind: 'flag'; readonly record: string; readonly flag?: Flag; readonly notes?: string }
  | { readonly kind: 'propose'; readonly proposal: WaitingPlan }
  | { readonly kind: 'reject'; readonly plan: string; readonly notes?: string }
  /** Of an earlier release; they change nothing. */
  | { readonly kind: 'end-claim' | 'restore-claim' }
  | {
      readonly kind: 'rollback';
      /** Messages of the log that stay. What came after is left out from here on; nothing is deleted. */
      readonly length: number;
      /** Messages that had ever been appended by then, rolled back ones too. */
      readonly appended: number;
      /** Records that reached past the new end: taken off, newest first. */
      readonly records: readonly string[];
    };

/** A span of everything ever appended that was rolled back: its first place, and how many messages. */
export interface Left {
  readonly at: number;
  readonly count: number;
}

/** Where a position of the log stands among everything ever appended. */
export function appendedAt(seq: number, left: readonly Left[]): number {
  let place = seq;
  for (const span of left) if (span.at <= place) place += span.count;
  return place;
}

/** Whether what was appended at a place still belongs to the log. */
export function isLeft(place: number, left: readonly Left[]): boolean {
  return left.some(({ at, count }) => place >= at && place < at + count);
}

/** The spans after one more rollback, which swallows those behind its own end. */
export function leftBy(
  { length, appended }: Extract<LedgerEvent, { kind: 'rollback' }>,
  before: readonly Left[],
): readonly Left[] {
  const at = appendedAt(length, before);
  const earlier = before.filter((span) => span.at < at);
  return at < appended ? [...earlier, { at, count: appended - at }] : earlier;
}
