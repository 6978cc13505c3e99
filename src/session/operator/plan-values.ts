import { SpillwayError } from '../../errors/index.js';
import { hashPlan } from '../../pipeline/index.js';
import type { Json } from '../../spi/index.js';
import type { CompactionRecord, Message, Plan, PlannedEdit } from '../../transcript/index.js';
import type { AuditTrail } from '../audit.js';

/** The summarizer calls for a plan, and its fallbacks. */
export type Bought = Required<Pick<CompactionRecord, 'calls' | 'fallbacks'>>;

const BOUGHT = 'text-bought';
export const BOUGHT_KIND = `compaction.${BOUGHT}`;

/** Notes the costs of an uncommitted plan's text by the plan's hash, because the plan passes through other code. */
export function noteBought(audit: AuditTrail, hash: string, bought: Bought): void {
  if (bought.calls.length > 0)
    audit.add(BOUGHT, hash, { ...bought } as unknown as Readonly<Record<string, Json>>);
}

/** The costs of a plan that this process noted. */
export function boughtHere({ events }: AuditTrail, { hash }: Plan): Bought | undefined {
  const noted = events.findLast(({ kind, ref }) => kind === BOUGHT_KIND && ref === hash);
  return noted?.body as unknown as Bought | undefined;
}

/** Refuses a plan whose content does not match its hash: a plan changed by hand was never checked. */
export function checkHash(plan: Plan): void {
  const { hash, ...rest } = plan;
  if (hashPlan(rest) === hash) return;
  throw new SpillwayError('PLAN_ALTERED', {
    subject: 'plan',
    found: hash,
    remedy: 'Change plans with `edit`, which judges and measures them again.',
  });
}

/** Refuses a plan without edits, which is only for inspection. */
export function checkHasEdits({ hash, edits }: Plan): void {
  if (edits.length > 0) return;
  throw new SpillwayError('EDIT_ILLEGAL', {
    subject: `plan ${hash.slice(0, 12)}`,
    found: 'no edits',
    remedy: 'Nothing would be compacted: do nothing, or plan with another strategy or a lower target.',
  });
}

/** An edit with a new text. */
export function reworded(edit: PlannedEdit, words: string): PlannedEdit {
  const content = [{ type: 'text', text: words }] as const;
  if (edit.kind === 'replace') return { ...edit, content };
  const replacement = edit.replacement.map((message, i): Message =>
    i === 0 ? { ...message, parts: content } : message,
  );
  return { ...edit, replacement };
}
