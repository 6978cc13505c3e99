import type { TranscriptView, ViewExchange } from '../spi/index.js';

/** Finds the exchanges of a view that have messages inside a span of log positions. */
export interface SpanFinder {
  (from: number, to: number): readonly ViewExchange[];
}

/**
 * Exchanges are ordered by their first message, but one may reach over others (a result that came after a user spoke),
 * so the search walks back as long as anything before could still reach into the span.
 */
export function createSpanFinder(view: TranscriptView): SpanFinder {
  const { exchanges } = view;
  const reach: number[] = [];
  for (const exchange of exchanges) reach.push(Math.max(exchange.to, reach.at(-1) ?? -1));
  return (from, to) => {
    let start = lowerBound(exchanges, from);
    while (start > 0 && reach[start - 1]! >= from) start--;
    const found: ViewExchange[] = [];
    for (let i = start; i < exchanges.length && exchanges[i]!.from <= to; i++) {
      const exchange = exchanges[i]!;
      if (exchange.kind === 'replacement') {
        if (exchange.to >= from) found.push(exchange);
      } else if (exchange.messages.some((shown) => shown.from >= from && shown.from <= to))
        found.push(exchange);
    }
    return found;
  };
}

function lowerBound(exchanges: readonly ViewExchange[], from: number): number {
  let low = 0;
  let high = exchanges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (exchanges[middle]!.from < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
