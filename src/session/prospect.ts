import type { RunOutcome } from '../pipeline/index.js';
import type { RunReport } from './prepared.js';

/** What a run comes to that would have been drafted for nothing. */
export const NO_PROSPECT: RunOutcome = {
  kind: 'noop',
  reason: 'what the open stages could free is not worth a run',
  stages: [],
};

/** For whoever asked: nothing was started, and why. */
export function noRun(isBelowGate: boolean): RunReport {
  const why = isBelowGate
    ? ({ kind: 'below-gate', reason: 'pressure is below the first gate' } as const)
    : ({ kind: 'waiting', reason: 'too little is new since the last run came to nothing' } as const);
  return { ...why, stages: [], durationMs: 0 };
}
