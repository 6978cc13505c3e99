import { SpillwayError } from '../errors/index.js';
import type { PlannedEdit } from './edit.js';
import { leftBy, type Left, type LedgerEvent, type WaitingPlan } from './ledger-event.js';
import type { CompactionRecord, Hold } from './plan.js';

/** Makes the hold on the span of an undone record; undefined if no hold is wanted. */
export type HoldOf = (record: CompactionRecord) => Hold | undefined;

/** Head of a ledger without a commit: the base of the first plan. */
export const GENESIS = 'genesis';

/**
 * An append-only list of events of a view, and their result: records, holds, and the plan that waits for approval. The
 * view is the log with the live edits applied.
 */
export class Ledger {
  readonly #events: LedgerEvent[] = [];
  #rolledBack: readonly Left[] = [];
  #records: CompactionRecord[] = [];
  #holds: Hold[] = [];
  #pending: WaitingPlan | undefined;
  /** Number of undos and rollbacks that undid records. Each changes the head, so no earlier plan can be committed. */
  #undone = 0;

  /** Builds a ledger from events in the order in which they happened, as a store returns them. */
  static of(events: Iterable<LedgerEvent>): Ledger {
    const ledger = new Ledger();
    for (const event of events) ledger.play(event);
    return ledger;
  }

  get records(): readonly CompactionRecord[] {
    return this.#records;
  }

  get holds(): readonly Hold[] {
    return this.#holds;
  }

  /** The plan that waits for an operator; undefined if no plan waits. */
  get pending(): WaitingPlan | undefined {
    return this.#pending;
  }

  /** All events. */
  get events(): readonly LedgerEvent[] {
    return this.#events;
  }

  /** The number of events. */
  get version(): number {
    return this.#events.length;
  }

  /** The base that a plan must name to be committed. */
  get head(): string {
    const newest = this.#records.at(-1);
    return newest ? `${newest.id}/${this.#undone}` : GENESIS;
  }

  /** Records that were committed and not undone. */
  get live(): readonly CompactionRecord[] {
    return this.#records.filter(isLive);
  }

  get liveEdits(): readonly PlannedEdit[] {
    return this.live.flatMap(({ plan }) => plan.edits);
  }

  /** Rolled-back spans among all messages ever appended, ascending. */
  get left(): readonly Left[] {
    return this.#rolledBack;
  }

  /** A record by its id, including undone records. */
  find(recordId: string): CompactionRecord | undefined {
    return this.#records.find(({ id }) => id === recordId);
  }

  /** Compare-and-swap: throws `LEDGER_CONFLICT` if another commit came first. */
  commit(record: CompactionRecord): void {
    if (record.plan.base !== this.head) throw movedOn('plan base', record.plan.base, this.head);
    this.play({ kind: 'commit', record });
  }

  /** Undoes a record and every later live record, newest first, and holds their spans. */
  undoTo(recordId: string, holdOf: HoldOf): CompactionRecord[] {
    const from = this.#records.findIndex(({ id }) => id === recordId);
    if (from < 0) return [];
    const undone = this.#records.slice(from).filter(isLive).reverse();
    if (undone.length === 0) return [];
    const ids = undone.map(({ id }) => id);
    this.play({ kind: 'undo', records: ids, holds: undone.flatMap((record) => holdOf(record) ?? []) });
    return ids.map((id) => this.find(id)!);
  }

  /** Ends every hold: the spans may be compacted again. */
  release(): void {
    this.play({ kind: 'release' });
  }

  /** Applies one event: a new one, or one that was stored. */
  play(event: LedgerEvent): void {
    this.#events.push(event);
    if (event.kind === 'commit') {
      this.#records.push(event.record);
      // A waiting plan with another base can no longer be committed, so it is dropped.
      this.#pending = undefined;
    } else if (event.kind === 'undo') {
      this.#markUndone(event.records);
      this.#holds = [...this.#holds, ...event.holds];
      if (event.records.length > 0) this.#pending = undefined;
    } else if (event.kind === 'rollback') {
      this.#markUndone(event.records);
      this.#holds = this.#holds.filter(({ to }) => to < event.length);
      this.#rolledBack = leftBy(event, this.#rolledBack);
      this.#pending = undefined;
    } else if (event.kind === 'release') this.#holds = [];
    else if (event.kind === 'propose') this.#pending = event.proposal;
    else if (event.kind === 'reject') this.#pending = undefined;
    else if (event.kind === 'flag') {
      const { flag, notes } = event;
      this.#change(event.record, { ...(flag && { flag }), ...(notes !== undefined && { notes }) });
    }
  }

  #markUndone(ids: readonly string[]): void {
    for (const id of ids) this.#change(id, { status: 'undone' });
    if (ids.length > 0) this.#undone++;
  }

  #change(recordId: string, change: Partial<CompactionRecord>): void {
    const place = this.#records.findIndex(({ id }) => id === recordId);
    if (place >= 0) this.#records = this.#records.with(place, { ...this.#records[place]!, ...change });
  }
}

const isLive = ({ status }: CompactionRecord): boolean => status === 'committed';

/** The error for a plan whose base is no longer the head. */
export function movedOn(subject: string, found: unknown, allowed: string): SpillwayError {
  const remedy = 'Plan again, or let `edit(plan)` judge it again if only the ledger has changed.';
  return new SpillwayError('LEDGER_CONFLICT', { subject, found, allowed, remedy, retryable: true });
}
