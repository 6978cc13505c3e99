import { planRun, type RunInput, type RunOutcome } from '../../pipeline/index.js';
import { SOURCES } from './instructions.js';
import type { Asked } from './plugin-hooks.js';

/** What was planned, on the input that it came of. */
export interface PlannedAsked {
  readonly input: RunInput;
  readonly outcome: RunOutcome;
  /** What plugins retain did not fit, and was compacted all the same. */
  readonly lets: boolean;
}

/** Plans a run as plugins want it; what they retain gives way where nothing would fit beside it. */
export function planAsked(run: RunInput, asked: Asked): PlannedAsked {
  const { input } = asked;
  const outcome = planRun(input);
  const isOwn = ({ by }: { readonly by: string }): boolean => by === SOURCES;
  // Instructions that are put back are worth no refusal: then the run goes without them.
  if (outcome.kind !== 'planned' && input.injected?.some(isOwn))
    return planAsked(run, {
      ...asked,
      input: { ...input, injected: input.injected.filter((one) => !isOwn(one)) },
    });
  const retains = input.source.holds.length > run.source.holds.length;
  if (outcome.kind !== 'unreachable' || !retains) return { input, outcome, lets: false };
  const without = { ...input, source: run.source };
  return { input: without, outcome: planRun(without), lets: true };
}
