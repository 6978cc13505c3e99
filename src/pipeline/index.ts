export * from './due.js';
export * from './policy.js';
export { planPass, planRun, type RunInput, type RunOutcome } from './run.js';
export { hashPlan } from './hash.js';
export { rejudge } from './rejudge.js';
export { refill, type Planned } from './refill.js';
export { buildView, type ViewSource } from './view.js';
export { createGuard, type Guard } from './guard.js';
export { measureEdit } from './measure.js';
export { computeFloor } from './floor.js';
export { buildPolicy, indexStages, withAbsoluteTrigger } from './roster.js';
export type { ClaimSources } from './carry.js';
export {
  reasoningRuleFor,
  type ReasoningRule,
  type SignatureBinding,
  type SignedChoice,
} from './reasoning-rule.js';
export { leftStanding } from './signed.js';
export { planSignatures } from './signed-pass.js';
export { touchesReopened } from './reopened.js';
