import { amount, dollars, percent } from '../report/numbers.js';
import type { ComparedPolicy } from './tally.js';

type Totals = ComparedPolicy['totals'];

/** The columns of a comparison, in order. */
export const TOTALS: readonly { readonly title: string; readonly of: (totals: Totals) => string }[] = [
  { title: 'kept', of: ({ kept }) => percent(kept) },
  { title: 'from afar', of: ({ keptFromAfar }) => (keptFromAfar === null ? '–' : percent(keptFromAfar)) },
  { title: 'mean sent', of: ({ meanTokens }) => amount(meanTokens) },
  { title: 'highest', of: ({ highestPressure }) => percent(highestPressure) },
  { title: 'compactions', of: ({ compactions }) => amount(compactions) },
  { title: 'rewritten', of: ({ rewrittenTokens }) => amount(rewrittenTokens) },
  { title: 'model calls', of: ({ summaryCalls }) => amount(summaryCalls) },
  { title: 'cost', of: ({ cost }) => (cost === null ? 'unknown' : dollars(cost)) },
  { title: 'broken', of: ({ broken, unreachable, over }) => amount(broken + unreachable + over) },
];

export const rowsOf = (policies: readonly ComparedPolicy[]): string[][] =>
  policies.map(({ name, totals }) => [name, ...TOTALS.map(({ of }) => of(totals))]);
