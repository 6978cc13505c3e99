import type { SignatureBinding, WireFormat } from '../spi/index.js';
import type { ReadonlyLog } from '../transcript/index.js';

/** The treatment of signed reasoning after a change. */
export type SignedChoice = 'keep' | 'strip' | 'summarise';

/** The treatment of signed reasoning in one session. */
export interface ReasoningRule {
  readonly binding: SignatureBinding;
  readonly choice: SignedChoice;
  /** One sentence for the record. */
  readonly why: string;
}

const BY_BINDING: Readonly<Record<SignatureBinding, ReasoningRule>> = {
  prefix: {
    binding: 'prefix',
    choice: 'strip',
    why: 'a signature covers everything before it, and finished turns may be sent without their thinking',
  },
  step: {
    binding: 'step',
    choice: 'keep',
    why: 'a signature vouches for its own step only, which is kept or removed as a unit',
  },
  nothing: {
    binding: 'nothing',
    choice: 'keep',
    why: 'reasoning is not signed, and steps with calls must be sent with it',
  },
};

/** Whether reasoning is removed if a change invalidates it. */
export const removesInvalid = ({ binding, choice }: ReasoningRule): boolean =>
  binding === 'prefix' && choice !== 'keep';

/** An unknown provider is treated as the strictest. */
const UNKNOWN: SignatureBinding = 'prefix';

/** The rule of a session, from its wire format and its model. */
export function reasoningRuleFor(
  { provider }: Pick<WireFormat, 'provider'>,
  model: string | null,
  requested: SignedChoice | 'auto' = 'auto',
): ReasoningRule {
  const rule = BY_BINDING[provider?.signatures?.(model) ?? UNKNOWN];
  if (requested === 'auto' || requested === rule.choice) return rule;
  return { ...rule, choice: requested, why: `the settings say reasoning.signed: ${requested}` };
}

/**
 * First log position of the tool loop in progress: the model is still working on it, and its provider requires the
 * unchanged reasoning of every step. The log's length if no loop is open.
 */
export function openLoopFrom(log: ReadonlyLog): number {
  const { unansweredUser, exchanges } = log;
  if (unansweredUser) return unansweredUser.seq;
  let from = log.length;
  for (let i = exchanges.length - 1; i >= 0 && exchanges[i]!.kind !== 'plain'; i--)
    from = exchanges[i]!.seqs[0]!;
  return from;
}
