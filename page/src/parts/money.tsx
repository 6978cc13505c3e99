import type { CostLine, Costs } from '../api/types';
import { Num } from './figure';
import { dollars, exact } from './format';

const CALLS = {
  primary: "the agent's own calls",
  compactor: 'calls of summarizers',
  recalled: 'automatic recall within those calls',
} as const;

/** The dollars of a cost line; its tokens if no price is known. */
export function Money({ line, kind }: { readonly line: CostLine; readonly kind: keyof Costs }) {
  return <Num why={costText(line, kind)}>{moneyOf(line)}</Num>;
}

export function moneyOf({ cost, calls, unpriced }: CostLine): string {
  if (calls === 0) return '$0';
  if (unpriced === calls) return 'no price';
  return dollars(cost);
}

export function costText(line: CostLine, kind: keyof Costs): string {
  const { calls, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, unpriced } = line;
  const tokens = [
    `${exact(inputTokens)} input`,
    `${exact(cacheReadTokens)} read from cache`,
    `${exact(cacheWriteTokens)} written to cache`,
    `${exact(outputTokens)} output`,
  ].join(', ');
  const unknown =
    unpriced > 0
      ? ` The price of ${exact(unpriced)} is not known: the request named no model, or no price sheet has the model.`
      : '';
  return `What ${CALLS[kind]} cost: ${exact(calls)} calls, ${tokens} tokens.${unknown}`;
}
