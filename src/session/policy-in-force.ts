import type { Settings } from '../config/index.js';
import { reasoningRuleFor, withAbsoluteTrigger, withSharesOfWindow, type Policy } from '../pipeline/index.js';
import type { WireFormat } from '../spi/index.js';
import type { Gauge } from './gauge.js';

interface InForce {
  readonly settings: Pick<Settings, 'sharesOf' | 'reasoning'>;
  readonly gauge: Pick<Gauge, 'budget' | 'model'>;
  readonly format: WireFormat;
}

/** A policy as the budget and the model of now have it. */
export function policyInForce(policy: Policy, { settings, gauge, format }: InForce): Policy {
  const { budget, model } = gauge;
  const shared = settings.sharesOf === 'budget' ? policy : withSharesOfWindow(policy, budget);
  return {
    ...withAbsoluteTrigger(shared, budget.tokens),
    reasoning: reasoningRuleFor(format, model, settings.reasoning.signed),
  };
}
