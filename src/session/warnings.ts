import { PIPELINE_STEPS, type RunOutcome } from '../pipeline/index.js';
import type { Warning } from '../transcript/index.js';

const REMEDY =
  'Compact by hand before the next large step (session.operator.compact(), spillway compact), release pins and holds, use a model with a larger window, or start a new session.';

/**
 * What an operator should know of a run that was not enough, and what can be done. `pressure` is what the run left,
 * `firstGate` where the next one is due.
 */
export function warningsOf(outcome: RunOutcome, pressure: number, firstGate: number): readonly Warning[] {
  if (outcome.kind === 'unreachable')
    return [{ code: 'floor-too-large', message: `What may never be removed does not fit. ${REMEDY}` }];
  const stages = outcome.kind === 'planned' ? outcome.plan.stages : outcome.stages;
  if (stages.some(({ stage, outcome: came }) => stage === PIPELINE_STEPS.drop && came === 'applied'))
    return [
      {
        code: 'oldest-dropped',
        message: `Summaries were not enough: the oldest messages were left out. ${REMEDY}`,
      },
    ];
  if (pressure < firstGate) return [];
  const message = `The session still fills ${percent(pressure)} of its budget after compaction. ${REMEDY}`;
  return [{ code: 'still-full', message }];
}

/** Of a run whose summarizer could not read what it was to summarise. */
export const SOURCE_TOO_LONG: Warning = {
  code: 'source-too-long',
  message:
    'The summarizer could not take the source, not even without tool results. Give it a model with a larger window, or raise fill.chunks.',
};

const percent = (share: number): string => `${Math.round(100 * share)} %`;
