import { SpillwayError } from '../errors/index.js';
import type { PlannedEdit } from './edit.js';
import { leftBy, type Left, type LedgerEvent, type WaitingPlan } from './ledger-event.js';
import type { CompactionRecord, Hold } from './plan.js';

/** The hold on what a record that is taken back had compacted; nothing where none is wanted. */
export type HoldOf = (record: CompactionRecord) => Hold | undefined;

/** Head of a ledger that nothing was committed to: what the first plan is made on. */
export const GENESIS = 'genesis';

/**
 * What happened to a view, as an append-only list of events, and what it comes to: records, holds, and the plan that
 * waits for a yes. What is live in it, seen through the log, is the view.
 */
export class Ledger {
  readonly #events: LedgerEvent[] = [];
  #left: readonly Left[] = [];
  #records: CompactionRecord[] = [];
  #holds: Hold[] = [];
  #pending: WaitingPlan | undefined;
  /** Undoing is a change too: it moves the head, so that plans made before it no longer fit. */
  #undone = 0;

  /** From events in the order they happened, as a store gives them back. */
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

  /** The plan that waits for an operator; undefined where none does. */
  get pending(): WaitingPlan | undefined {
    return this.#pending;
  }

  /** Everything that happened. */
  get events(): readonly LedgerEvent[] {
    return this.#events;
  }

  /** How many events there were ever. */
  get version(): number {
    return this.#events.length;
  }

  /** What a plan must name as its base to be committed. */
  get head(): string {
    const newest = this.#records.at(-1);
    return newest ? `${newest.id}/${this.#undone}` : GENESIS;
  }

  /** Records that stand: committed and not taken back. */
  get live(): readonly CompactionRecord[] {
    return this.#records.filter(isLive);
  }

  get liveEdits(): readonly PlannedEdit[] {
    return this.live.flatMap(({ plan }) => plan.edits);
  }

  /** Spans of everything ever appended that were rolled back, ascending. */
  get left(): readonly Left[] {
    return this.#left;
  }

  /** A record by its id, undone ones included. */
  find(recordId: string): CompactionRecord | undefined {
    return this.#records.find(({ id }) => id === recordId);
  }

  /** Compare-and-swap: throws `LEDGER_CONFLICT` when another commit came first. */
  commit(record: CompactionRecord): void {
    if (record.plan.base !== this.head) throw movedOn('plan base', record.plan.base, this.head);
    this.play({ kind: 'commit', record });
  }

  /** Takes off a record and every live one after it, newest first, and holds their spans. */
  undoTo(recordId: string, holdOf: HoldOf): CompactionRecord[] {
    const from = this.#records.findIndex(({ id }) => id === recordId);
    if (from < 0) return [];
    const going = this.#records.slice(from).filter(isLive).reverse();
    if (going.length === 0) return [];
    const ids = going.map(({ id }) => id);
    this.play({ kind: 'undo', records: ids, holds: going.flatMap((record) => holdOf(record) ?? []) });
    return ids.map((id) => this.find(id)!);
  }

  /** Lets go of every hold: what was undone may be compacted again. */
  release(): void {
    this.play({ kind: 'release' });
  }

  /** Applies one event: a new one, or one that was stored. */
  play(event: LedgerEvent): void {
    this.#events.push(event);
    if (event.kind === 'commit') {
      this.#records.push(event.record);
      // A plan that was made on another head can be committed no more: nobody is to wait for it.
      this.#pending = undefined;
    } else if (event.kind === 'undo') {
      this.#takeOff(event.records);
      this.#holds = [...this.#holds, ...event.holds];
      if (event.records.length > 0) this.#pending = undefined;
    } else if (event.kind === 'rollback') {
      this.#takeOff(event.records);
      this.#holds = this.#holds.filter(({ to }) => to < event.length);
      this.#left = leftBy(event, this.#left);
      this.#pending = undefined;
    } else if (event.kind === 'release') this.#holds = [];
    else if (event.kind === 'propose') this.#pending = event.proposal;
    else if (event.kind === 'reject') this.#pending = undefined;
    else if (event.kind === 'flag') {
      const { flag, notes } = event;
      this.#change(event.record, { ...(flag && { flag }), ...(notes !== undefined && { notes }) });
    }
  }

  #takeOff(ids: readonly string[]): void {
    for (const id of ids) this.#change(id, { status: 'undone' });
    if (ids.length > 0) this.#undone++;
  }

  #change(recordId: string, change: Partial<CompactionRecord>): void {
    const place = this.#records.findIndex(({ id }) => id === recordId);
    if (place >= 0) this.#records = this.#records.with(place, { ...this.#records[place]!, ...change });
  }
}

const isLive = ({ status }: CompactionRecord): boolean => status === 'committed';

/** What a plan was made on is not what stands by now. */
export function movedOn(subject: string, found: unknown, allowed: string): SpillwayError {
  const remedy = 'Plan again, or let `edit(plan)` judge it anew where only the ledger moved on.';
  return new SpillwayError('LEDGER_CONFLICT', { subject, found, allowed, remedy, retryable: true });
}
