import { loadPrices } from '../../src/tokens/index.js';
import type { Billed } from './prefix.js';

/** One model of each provider. Anthropic charges for writing each token outside the cached prefix to its cache. */
export const SHEETS = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5' } as const;
/** The shortest prefix that either provider caches. */
const LEAST_CACHED = 1_024;

const priceOf = await loadPrices();

/** US dollars of the input of one call. */
export function inputCost({ cached, fresh }: Billed, model: string): number {
  const read = cached >= LEAST_CACHED ? cached : 0;
  const paid = cached - read + fresh;
  const isWriteCharged = model === SHEETS.anthropic;
  const usage = {
    inputTokens: isWriteCharged ? 0 : paid,
    cacheWriteTokens: isWriteCharged ? paid : 0,
    cacheReadTokens: read,
    outputTokens: 0,
  };
  const cost = priceOf(model, usage);
  if (cost === null) throw new Error(`no price of ${model} in the sheets`);
  return cost;
}
