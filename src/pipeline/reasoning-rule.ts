import type { SignatureBinding, WireFormat } from '../spi/index.js';
import type { ReadonlyLog } from '../transcript/index.js';

/** What is done about signed reasoning that stands behind a change. */
export type SignedChoice = 'keep' | 'strip' | 'summarise';

/** How signed reasoning is to be treated in one session. */
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
    why: 'a signature vouches for all that stood before it, and finished turns may be sent without their thinking',
  },
  step: {
    binding: 'step',
    choice: 'keep',
    why: 'a signature vouches for its own step only, which stays whole or goes whole',
  },
  nothing: {
    binding: 'nothing',
    choice: 'keep',
    why: 'reasoning is not signed, and steps with calls must be sent with it',
  },
};

/** Whether reasoning is taken out where a change makes it invalid. */
export const takesOut = ({ binding, choice }: ReasoningRule): boolean =>
  binding === 'prefix' && choice !== 'keep';

/** Who is not known is taken to be as strict as the strictest. */
const UNKNOWN: SignatureBinding = 'prefix';

/** The rule of a session, from how its requests are written and which model reads them. */
export function reasoningRuleFor(
  { provider }: Pick<WireFormat, 'provider'>,
  model: string | null,
  wish: SignedChoice | 'auto' = 'auto',
): ReasoningRule {
  const rule = BY_BINDING[provider?.signatures?.(model) ?? UNKNOWN];
  if (wish === 'auto' || wish === rule.choice) return rule;
  return { ...rule, choice: wish, why: `the settings say reasoning.signed: ${wish}` };
}

/**
 * First log position of the tool loop in progress: the model is still at work on it, and its provider wants the
 * reasoning of every step back as it was. Past the end of the log where no loop is open.
 */
export function openLoopFrom(log: ReadonlyLog): number {
  const { unansweredUser, exchanges } = log;
  if (unansweredUser) return unansweredUser.seq;
  let from = log.length;
  for (let i = exchanges.length - 1; i >= 0 && exchanges[i]!.kind !== 'plain'; i--)
    from = exchanges[i]!.seqs[0]!;
  return from;
}
