import { PIPELINE_STEPS, type RunOutcome } from '../pipeline/index.js';
import type { StageOutcome, Warning } from '../transcript/index.js';

const BY_HAND =
  'Compact by hand before the next large step (session.operator.compact(), spillway compact), release';
const REST = 'pins and holds, use a model with a larger window, or start a new session.';

/** What can be done; who has just compacted by hand is not told to. */
const remedyFor = (outcome: RunOutcome): string =>
  outcome.kind === 'planned' && outcome.plan.trigger.kind === 'manual'
    ? `Release ${REST}`
    : `${BY_HAND} ${REST}`;

/**
 * What an operator should know of a run that was not enough, and what can be done. `pressure` is what the run left,
 * `firstGate` where the next one is due.
 */
export function warningsOf(outcome: RunOutcome, pressure: number, firstGate: number): readonly Warning[] {
  const remedy = remedyFor(outcome);
  if (outcome.kind === 'unreachable')
    return [{ code: 'floor-too-large', message: `What may never be removed does not fit. ${remedy}` }];
  const stages = outcome.kind === 'planned' ? outcome.plan.stages : outcome.stages;
  if (stages.some(({ stage, outcome: came }) => stage === PIPELINE_STEPS.drop && came === 'applied'))
    return [
      {
        code: 'oldest-dropped',
        message: `${shortfallOf(stages)}: the oldest messages were left out. ${remedy}`,
      },
    ];
  if (pressure < firstGate) return [];
  const fills =
    outcome.kind === 'planned'
      ? `The session still fills ${percent(pressure)} of its budget after compaction.`
      : `The session fills ${percent(pressure)} of its budget, and nothing was compacted: ${outcome.reason}.`;
  return [{ code: 'still-full', message: `${fills} ${remedy}` }];
}

/** Why messages had to be dropped. */
const shortfallOf = (stages: readonly StageOutcome[]): string =>
  stages.some(({ stage, outcome }) => stage === PIPELINE_STEPS.delegate && outcome === 'nothing')
    ? 'The compactor changed nothing'
    : 'What else was done was not enough';

const percent = (share: number): string => `${Math.round(100 * share)} %`;
