import { meanTokens } from './rows.js';
import type { Column } from './rows.js';

/** Means this near each other are the same. */
const NEAR = 0.01;
const MOST_TRIES = 5;

/**
 * The budget at which a policy sends as many tokens as another: what it sends falls with its budget, not in proportion.
 * Never above the window; of what was tried, the nearest. A policy that sends less at the whole window stays as it is.
 */
export async function atEqualTokens(
  target: number,
  whole: Column,
  measured: (budget: number) => Promise<Column>,
): Promise<Column> {
  let best = whole;
  let last = whole;
  const distance = (column: Column): number => Math.abs(meanTokens(column.sessions) - target);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const mean = meanTokens(last.sessions);
    if (Number.isNaN(mean) || Math.abs(mean - target) <= NEAR * target) break;
    const budget = Math.min(whole.budget, Math.round((last.budget * target) / mean));
    if (budget === last.budget) break;
    last = await measured(budget);
    if (distance(last) < distance(best)) best = last;
  }
  return best;
}
