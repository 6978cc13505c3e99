import { createHash } from 'node:crypto';
import { endsOf, type Plan, type PlannedEdit, type ReadonlyLog } from '../transcript/index.js';
import type { RunDraft } from './draft.js';
import { pinsIn } from './floor.js';

/** The plan of a draft: its inputs, its result and its hash. */
export function planOf(
  draft: RunDraft,
  { edits, floor, stages = draft.outcomes }: Pick<Plan, 'edits' | 'floor'> & Partial<Pick<Plan, 'stages'>>,
): Plan {
  const { before } = draft;
  const { base, trigger, source, projection, clock } = draft.input;
  const unhashed: Omit<Plan, 'hash'> = {
    base,
    trigger,
    inputs: {
      tokens: before.tokens,
      budget: before.budget.tokens,
      pressure: before.pressure,
      derivation: before.derivation,
      scale: before.scale,
      clock,
      logLength: source.log.length,
      ...(source.log.length > 0 && { logEnd: source.log.at(source.log.length - 1).id }),
      ...(source.recall && { recall: true }),
    },
    stages,
    edits,
    before: projection.size,
    after: draft.projection.size,
    floor,
    pins: pinsIn(draft.view),
    firstChanged: firstChangedBy(edits, source.log),
    ...(draft.reasoning && { reasoning: draft.reasoning }),
  };
  return { ...unhashed, hash: hashPlan(unhashed) };
}

/** A plan with other edits that give the same view. */
export function rehashed({ hash: _, ...plan }: Plan, log: ReadonlyLog): Plan {
  const unhashed = { ...plan, firstChanged: firstChangedBy(plan.edits, log) };
  return { ...unhashed, hash: hashPlan(unhashed) };
}

/** First log position that edits change. */
export function firstChangedBy(edits: readonly PlannedEdit[], log: ReadonlyLog): number {
  const positionOf = (edit: PlannedEdit): number => log.find(endsOf(edit)[0])!.seq;
  return edits.reduce((first, edit) => Math.min(first, positionOf(edit)), Infinity);
}

/** Identifies a plan by its content, so that the previewed plan is applied. `planOf` writes keys in a fixed order. */
export function hashPlan(plan: Omit<Plan, 'hash'>): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('hex');
}
