import type { SignatureBinding, WireFormat } from '../spi/index.js';

/** What is done about signed reasoning that stands behind a change. */
export type SignedChoice = 'keep' | 'strip' | 'summarise';

/** How signed reasoning is to be treated in one session. */
export interface ReasoningRule {
  readonly binding: SignatureBinding;
  readonly choice: SignedChoice;
  /** One sentence for the record. */
  readonly why: string;
}

const PREFIX: ReasoningRule = {
  binding: 'prefix',
  choice: 'strip',
  why: 'a signature vouches for all that stood before it, and finished turns may be sent without their thinking',
};
const STEP: ReasoningRule = {
  binding: 'step',
  choice: 'keep',
  why: 'a signature vouches for its own step only, which stays whole or goes whole',
};
const NOTHING: ReasoningRule = {
  binding: 'nothing',
  choice: 'keep',
  why: 'reasoning is not signed, and steps with calls must be sent with it',
};

const BY_BINDING: Readonly<Record<SignatureBinding, ReasoningRule>> = {
  prefix: PREFIX,
  step: STEP,
  nothing: NOTHING,
};

/** By model, for formats that carry any provider's reasoning. */
const BY_MODEL: readonly (readonly [RegExp, ReasoningRule])[] = [
  [/(^|[/.])claude/i, PREFIX],
  [/(^|[/.])(gemini|gemma)/i, STEP],
  [/(^|[/.])(gpt-|chatgpt|codex|o\d)/i, STEP],
  [/(^|[/.])(deepseek|qwen|qwq|kimi|glm)/i, NOTHING],
];

/** Who is not known is taken to be as strict as the strictest. */
const UNKNOWN = PREFIX;

/** Whether reasoning is taken out where a change makes it invalid. */
export const takesOut = ({ binding, choice }: ReasoningRule): boolean =>
  binding === 'prefix' && choice !== 'keep';

/** The rule of a session, from how its requests are written and which model reads them. */
export function reasoningRuleFor(
  { provider }: Pick<WireFormat, 'provider'>,
  model: string | null,
  wish: SignedChoice | 'auto' = 'auto',
): ReasoningRule {
  const known = BY_MODEL.find(([pattern]) => model !== null && pattern.test(model))?.[1];
  const ofFormat = provider?.signatures && BY_BINDING[provider.signatures];
  const rule = ofFormat ?? known ?? UNKNOWN;
  if (wish === 'auto' || wish === rule.choice) return rule;
  return { ...rule, choice: wish, why: `the settings say reasoning.signed: ${wish}` };
}
