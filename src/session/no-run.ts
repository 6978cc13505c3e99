import { SpillwayError } from '../errors/index.js';
import type { RunOutcome } from '../pipeline/index.js';
import type { Plan } from '../transcript/index.js';
import type { RunReport } from './prepared.js';

/* Reports of runs that were not begun, and why. */

/** A run that would have been drafted for nothing. */
export const NO_PROSPECT: RunOutcome = {
  kind: 'noop',
  reason: 'what the open stages could free is not worth a run',
  stages: [],
};

export function noRun(isBelowGate: boolean): RunReport {
  const why = isBelowGate
    ? ({ kind: 'below-gate', reason: 'pressure is below the first gate' } as const)
    : ({ kind: 'waiting', reason: 'too little is new since the last run came to nothing' } as const);
  return { ...why, stages: [], durationMs: 0 };
}

export const belowThreshold = (threshold: number): RunReport => ({
  kind: 'below-gate',
  reason: `pressure is below the threshold of ${threshold} that was asked for`,
  stages: [],
  durationMs: 0,
});

export function pendingReport(plan: Plan): RunReport {
  const error = new SpillwayError('COMPACTION_PENDING', {
    subject: `plan ${plan.hash.slice(0, 12)}`,
    found: 'waiting for an operator',
    remedy: 'Approve or reject it, edited where you wish; nothing is lost meanwhile.',
    facts: { plan: plan.hash, tokensBefore: plan.before.tokens, tokensAfter: plan.after.tokens },
  });
  return {
    kind: 'pending',
    reason: 'a plan waits for an operator',
    stages: plan.stages,
    plan,
    error,
    durationMs: 0,
  };
}
