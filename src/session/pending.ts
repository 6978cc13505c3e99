import { SpillwayError } from '../errors/index.js';
import type { Plan } from '../transcript/index.js';
import type { RunReport } from './prepared.js';

export function pendingReport(plan: Plan): RunReport {
  const error = new SpillwayError('COMPACTION_PENDING', {
    subject: `plan ${plan.hash.slice(0, 12)}`,
    found: 'waiting for an operator',
    remedy: 'Approve, edit or reject it; nothing is lost meanwhile.',
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
