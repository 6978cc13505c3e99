import type { ChatMessage } from '../../support/chat.js';
import { referenceCount } from '../../support/reference-count.js';

/** Messages that stand or fall together: a step with its results, or one plain message. */
export interface Exchange {
  readonly order: number;
  readonly messages: readonly ChatMessage[];
  readonly tokens: number;
}

export interface Split {
  /** System messages at the front and the first user message: kept whatever comes. */
  readonly head: readonly ChatMessage[];
  readonly rest: readonly Exchange[];
  /** What the budget leaves for the rest. */
  readonly left: number;
}

export function split(history: readonly ChatMessage[], budget: number): Split {
  const firstUser = history.findIndex(({ role }) => role === 'user');
  const isHead = (message: ChatMessage, index: number): boolean =>
    index === firstUser || message.role === 'system' || message.role === 'developer';
  const head = history.filter(isHead);
  const rest = exchangesOf(history.filter((message, index) => !isHead(message, index)));
  return { head, rest, left: budget - referenceCount(head) };
}

export function exchangesOf(messages: readonly ChatMessage[]): Exchange[] {
  const groups: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'tool' && groups.length > 0) groups.at(-1)!.push(message);
    else groups.push([message]);
  }
  return groups.map((group, order) => ({ order, messages: group, tokens: referenceCount(group) }));
}

/** Takes in this order what still fits, and returns it in the order of the history. */
export function fill(exchanges: Iterable<Exchange>, left: number): Exchange[] {
  const taken: Exchange[] = [];
  for (const exchange of exchanges) {
    if (exchange.tokens > left) continue;
    left -= exchange.tokens;
    taken.push(exchange);
  }
  return taken.sort((a, b) => a.order - b.order);
}

/** The newest in a row: stops at the first that does not fit. */
export function newest(exchanges: readonly Exchange[], left: number): Exchange[] {
  const taken: Exchange[] = [];
  for (const exchange of [...exchanges].reverse()) {
    if (exchange.tokens > left) break;
    left -= exchange.tokens;
    taken.unshift(exchange);
  }
  return taken;
}

export const join = (head: readonly ChatMessage[], taken: readonly Exchange[]): ChatMessage[] => [
  ...head,
  ...taken.flatMap(({ messages }) => messages),
];
