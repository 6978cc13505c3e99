import type { Json, StoredEvent } from '../../spi/index.js';
import type { CompactionRecord } from '../../transcript/index.js';
import type { AuditTrail } from '../audit.js';

/** What was asked of a summarizer for a plan. */
export type Bought = Required<Pick<CompactionRecord, 'calls' | 'fallbacks'>>;

const WHAT = 'text-bought';
export const BOUGHT_KIND = `compaction.${WHAT}`;

/** Plans are made to be looked at; the newest of them are committed. */
const MAX_PLANS = 32;

/**
 * What the text of plans cost that nobody has committed yet. A plan is a value and goes through other hands; its hash
 * says which it was. Kept in the audit as well, for the process that commits it.
 */
export class BoughtPlans {
  readonly #byHash = new Map<string, Bought>();
  readonly #audit: AuditTrail;

  constructor(audit: AuditTrail) {
    this.#audit = audit;
  }

  note(hash: string, bought: Bought): void {
    if (bought.calls.length === 0) return;
    this.#byHash.delete(hash);
    this.#byHash.set(hash, bought);
    for (const oldest of [...this.#byHash.keys()].slice(0, -MAX_PLANS)) this.#byHash.delete(oldest);
    this.#audit.say(WHAT, hash, { ...bought } as unknown as Readonly<Record<string, Json>>);
  }

  /** The same plan under another hash: it was edited. */
  rename(from: string, to: string): void {
    const bought = this.#byHash.get(from);
    if (bought && from !== to) this.note(to, bought);
  }

  of(hash: string): Bought | undefined {
    return this.#byHash.get(hash);
  }

  /** Takes up what another process noted. */
  restore(events: readonly StoredEvent[]): void {
    for (const { kind, ref, body } of events)
      if (kind === BOUGHT_KIND && ref !== undefined) this.#byHash.set(ref, body as unknown as Bought);
  }
}
