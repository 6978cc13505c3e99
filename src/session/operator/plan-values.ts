import { SpillwayError } from '../../errors/index.js';
import { hashPlan } from '../../pipeline/index.js';
import type { Json } from '../../spi/index.js';
import type { CompactionRecord, Message, Plan, PlannedEdit } from '../../transcript/index.js';
import type { Persistence } from '../persistence/persistence.js';
import type { Uses } from '../services.js';

/** What was asked of a summarizer for a plan. */
export type Bought = Required<Pick<CompactionRecord, 'calls' | 'fallbacks'>>;

const WHAT = 'text-bought';
const BOUGHT_KIND = `compaction.${WHAT}`;

/** Plans are made to be looked at; the newest of them are committed. */
const MAX_PLANS = 32;

/**
 * What the text of plans cost that nobody has committed yet. A plan is a value and goes through other hands; its hash
 * says which it was. Kept in the audit as well, for the process that commits it.
 */
export class BoughtPlans {
  readonly #byHash = new Map<string, Bought>();
  readonly #of: Uses<'audit' | 'summarizer'>;

  constructor(of: Uses<'audit' | 'summarizer'>) {
    this.#of = of;
  }

  note(hash: string, bought: Bought): void {
    if (bought.calls.length === 0) return;
    this.#byHash.delete(hash);
    this.#byHash.set(hash, bought);
    for (const oldest of [...this.#byHash.keys()].slice(0, -MAX_PLANS)) this.#byHash.delete(oldest);
    this.#of.audit.say(WHAT, hash, { ...bought } as unknown as Readonly<Record<string, Json>>);
  }

  /** The same plan under another hash: it was edited. */
  rename(from: string, to: string): void {
    const bought = this.#byHash.get(from);
    if (bought && from !== to) this.note(to, bought);
  }

  of(hash: string): Bought | undefined {
    return this.#byHash.get(hash);
  }

  /** Takes up what another process noted of a plan: it belongs to its record as well. */
  async recall({ hash }: Plan, persistence: Pick<Persistence, 'audit'>): Promise<void> {
    if (!this.#of.summarizer.filler || this.#byHash.has(hash)) return;
    for (const { ref, body } of await persistence.audit([BOUGHT_KIND], hash))
      if (ref !== undefined) this.#byHash.set(ref, body as unknown as Bought);
  }
}

/** A plan is its content: one that was changed by hand is another plan, which nobody has judged. */
export function genuine(plan: Plan): void {
  const { hash, ...rest } = plan;
  if (hashPlan(rest) === hash) return;
  throw new SpillwayError('PLAN_ALTERED', {
    subject: 'plan',
    found: hash,
    remedy: 'Change plans with `edit`, which judges and measures them again.',
  });
}

/** That of a run which came to nothing is there to be looked at. */
export function checkActs({ hash, edits }: Plan): void {
  if (edits.length > 0) return;
  throw new SpillwayError('EDIT_ILLEGAL', {
    subject: `plan ${hash.slice(0, 12)}`,
    found: 'no edits',
    remedy: 'Nothing would be compacted: leave it, or plan with another strategy or a lower target.',
  });
}

/** Messages that an edit names: one, or the ends of a span. */
export const namesOf = (edit: PlannedEdit): readonly string[] =>
  edit.kind === 'replace' ? [edit.messageId] : [edit.fromId, edit.toId];

/** An edit with other words. */
export function reworded(edit: PlannedEdit, words: string): PlannedEdit {
  const content = [{ type: 'text', text: words }] as const;
  if (edit.kind === 'replace') return { ...edit, content };
  const replacement = edit.replacement.map((message, i): Message =>
    i === 0 ? { ...message, parts: content } : message,
  );
  return { ...edit, replacement };
}
