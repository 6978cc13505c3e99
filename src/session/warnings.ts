import type { RunOutcome } from '../pipeline/index.js';
import type { CompactionRecord } from '../transcript/index.js';

const REMEDY =
  'Compact by hand before the next large step (session.operator.compact(), spillway compact), release pins and holds, use a model with a larger window, or start a new session.';

/**
 * What an operator should know of a run that was not enough, and what can be done. `pressure` is what the run left,
 * `firstGate` where the next one is due.
 */
export function warningsOf(
  outcome: RunOutcome,
  pressure: number,
  firstGate: number,
  bought?: Pick<CompactionRecord, 'fallbacks'>,
): readonly string[] {
  if (outcome.kind === 'unreachable') return [`What may never be removed does not fit. ${REMEDY}`];
  const warnings: string[] = [];
  const stages = outcome.kind === 'planned' ? outcome.plan.stages : outcome.stages;
  if (stages.some(({ stage, outcome: came }) => stage === 'drop' && came === 'applied'))
    warnings.push(`Summaries were not enough: the oldest messages were left out. ${REMEDY}`);
  else if (pressure >= firstGate)
    warnings.push(`The session still fills ${percent(pressure)} of its budget after compaction. ${REMEDY}`);
  if (bought?.fallbacks?.some((fallback) => fallback.includes(TOO_LONG)))
    warnings.push(
      'The summarizer could not take the source, not even without tool results. Give it a model with a larger window, or raise fill.chunks.',
    );
  return warnings;
}

/** As `summarizers/` says it of a source that its model did not read. */
const TOO_LONG = 'longer than the model reads';

const percent = (share: number): string => `${Math.round(100 * share)} %`;
