import type { PlannedEdit, Projection, ReadonlyLog } from '../transcript/index.js';
import { rehashed } from './plan-value.js';
import type { Planned } from './refill.js';
import type { RunInput } from './run.js';
import { PIPELINE_STEPS } from './steps.js';

/**
 * A plan without the edits that were to ask a model for a longer text and got none: what they put in the place of a span
 * stands there already, and the cache would be broken for nothing.
 */
export function withoutUnfilled(
  { projection, source: { log } }: Pick<RunInput, 'projection' | 'source'>,
  planned: Planned,
): Planned {
  const { plan } = planned;
  const edits = plan.edits.filter((edit) => !edit.slot?.grows || !standsSo(edit, projection, log));
  const left = plan.edits.length - edits.length;
  if (left === 0 || edits.length === 0) return planned;
  const stages = plan.stages
    .map((stage) => (stage.stage === PIPELINE_STEPS.regrow ? { ...stage, edits: stage.edits - left } : stage))
    .filter((stage) => stage.stage !== PIPELINE_STEPS.regrow || stage.edits > 0 || stage.refused > 0);
  return { ...planned, plan: rehashed({ ...plan, stages, edits }, log) };
}

/** Whether an edit puts there what is there. */
function standsSo(edit: PlannedEdit, { view }: Projection, log: ReadonlyLog): boolean {
  if (edit.kind !== 'supersede') return false;
  const [from, to] = [log.find(edit.fromId)!.seq, log.find(edit.toId)!.seq];
  const standing = view.filter((shown) => !shown.source && shown.from === from && shown.to === to);
  return JSON.stringify(standing.map(({ message }) => message)) === JSON.stringify(edit.replacement);
}
