import type { TranscriptView, ViewExchange } from '../view.js';

/** Of the budget: pins and fresh output that take less are no reason to let digests pass the target. */
export const LITTLE_STANDING = 0.1;

/** Tokens of fresh output: no stage may touch it now, and it will be gone soon. */
export function freshTokens(view: TranscriptView): number {
  return tokensWhere(
    view,
    ({ unseen, protection, kind }) =>
      kind !== 'plain' && (protection === undefined ? unseen : protection === 'open'),
  );
}

/** Tokens of pins: they stay whatever a stage does. */
export function pinnedTokens(view: TranscriptView): number {
  return tokensWhere(view, ({ protection }) => protection === 'pinned');
}

function tokensWhere({ exchanges }: TranscriptView, holds: (exchange: ViewExchange) => boolean): number {
  return exchanges.reduce((sum, exchange) => sum + (holds(exchange) ? exchange.tokens : 0), 0);
}
