import type { Settings } from '../config/index.js';
import { reasoningRuleFor, withAbsoluteTrigger, withSharesOfWindow, type Policy } from '../pipeline/index.js';
import type { WireFormat } from '../spi/index.js';
import type { Gauge } from './gauge.js';

interface InForce {
  readonly settings: Pick<Settings, 'sharesOf' | 'reasoning'>;
  readonly gauge: Pick<Gauge, 'budget' | 'model'>;
  readonly format: WireFormat;
}

/** Says of a policy how the budget and the model of now have it. Asked several times a call, it makes it anew as these change. */
export function policiesInForce(rules: InForce): (policy: Policy) => Policy {
  const { gauge } = rules;
  let known: { readonly of: readonly unknown[]; readonly inForce: Policy } | undefined;
  return (policy) => {
    const of = [policy, gauge.budget, gauge.model];
    if (!known?.of.every((one, i) => one === of[i])) known = { of, inForce: policyInForce(policy, rules) };
    return known.inForce;
  };
}

function policyInForce(policy: Policy, { settings, gauge, format }: InForce): Policy {
  const { budget, model } = gauge;
  const shared = settings.sharesOf === 'budget' ? policy : withSharesOfWindow(policy, budget);
  return {
    ...withAbsoluteTrigger(shared, budget.tokens),
    reasoning: reasoningRuleFor(format, model, settings.reasoning.signed),
  };
}
