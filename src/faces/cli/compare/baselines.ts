import type { ChatMessage, Rival } from './rival.js';

/* What frameworks do today, to hold others against. */

/** System messages, the first user message, and the newest exchanges that fit. */
const keepNewest: Rival = (messages, budget, { count }) => {
  const firstUser = messages.findIndex(({ role }) => role === 'user');
  const isHead = (message: ChatMessage, at: number): boolean =>
    at === firstUser || message.role === 'system' || message.role === 'developer';
  const head = messages.filter(isHead);
  const exchanges = exchangesOf(messages.filter((message, at) => !isHead(message, at)));
  let left = budget - count(head);
  const kept: ChatMessage[][] = [];
  for (const exchange of exchanges.toReversed()) {
    left -= count(exchange);
    if (left < 0) break;
    kept.unshift(exchange);
  }
  return [...head, ...kept.flat()];
};

/** A step with its results, or one other message: no choice parts a call from its result. */
function exchangesOf(messages: readonly ChatMessage[]): ChatMessage[][] {
  const exchanges: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'tool' && exchanges.length > 0) exchanges.at(-1)!.push(message);
    else exchanges.push([message]);
  }
  return exchanges;
}

/** A cleared history has room for some calls before it is cleared again. */
const CLEARED_TO = 0.6;
const CLEARED = '[Old tool result content cleared]';

/** Tool results lose their content, the oldest first; talk and calls stay, so that a long talk passes the budget. */
const clearTools: Rival = (messages, budget, { count }) => {
  const newest = messages.findLastIndex(({ role }) => role === 'assistant');
  let tokens = count(messages);
  return messages.map((message, at) => {
    if (message.role !== 'tool' || at > newest || tokens <= CLEARED_TO * budget) return message;
    const cleared = { ...message, content: CLEARED };
    tokens -= count([message]) - count([cleared]);
    return cleared;
  });
};

/** By name. */
export const BASELINES: ReadonlyMap<string, Rival> = new Map([
  ['keep-newest', keepNewest],
  ['clear-tools', clearTools],
]);
