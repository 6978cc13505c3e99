import { contentOf, type ChatMessage } from '../../support/chat.js';
import { referenceCount } from '../../support/reference-count.js';

/** Messages that are kept or removed together: a step with its results, or one plain message. */
export interface Exchange {
  readonly order: number;
  readonly messages: readonly ChatMessage[];
  readonly tokens: number;
}

export interface Split {
  /** System messages and the first user message, which are always kept. */
  readonly head: readonly ChatMessage[];
  readonly rest: readonly Exchange[];
  /** The part of the budget that is left for other messages. */
  readonly left: number;
}

/** The share of the budget that Spillway allows to pins; a baseline with its whole head could exceed the budget. */
const SHARE_OF_HEAD = 0.4;

export function split(history: readonly ChatMessage[], budget: number): Split {
  const firstUser = history.findIndex(({ role }) => role === 'user');
  const isHead = (message: ChatMessage, index: number): boolean =>
    index === firstUser || message.role === 'system' || message.role === 'developer';
  const head = cutTo(history.filter(isHead), Math.floor(budget * SHARE_OF_HEAD));
  const rest = exchangesOf(history.filter((message, index) => !isHead(message, index)));
  return { head, rest, left: budget - referenceCount(head) };
}

/** Late results join the step that made the call, so that no choice separates a call from its result. */
export function exchangesOf(messages: readonly ChatMessage[]): Exchange[] {
  const groups: ChatMessage[][] = [];
  const asked = new Map<string, ChatMessage[]>();
  for (const message of messages) {
    const step = message.role === 'tool' ? asked.get(message.tool_call_id ?? '') : undefined;
    if (step) {
      step.push(message);
      continue;
    }
    const group = [message];
    groups.push(group);
    for (const { id } of message.tool_calls ?? []) if (id !== undefined) asked.set(id, group);
  }
  return groups.map((group, order) => ({ order, messages: group, tokens: referenceCount(group) }));
}

function cutTo(messages: readonly ChatMessage[], allowance: number): readonly ChatMessage[] {
  let cut = messages;
  for (let excess = referenceCount(cut) - allowance; excess > 0; excess = referenceCount(cut) - allowance) {
    const largest = cut.reduce((a, b) => (referenceCount([b]) > referenceCount([a]) ? b : a));
    const content = contentOf(largest);
    const kept = Math.max(0, 1 - (excess + 8) / referenceCount([largest]));
    if (content === '') break;
    const shorter = { ...largest, content: content.slice(0, Math.floor(content.length * kept)) };
    cut = cut.map((message) => (message === largest ? shorter : message));
  }
  return cut;
}

/** Takes every exchange that still fits, in the given order; returns them in the order of the history. */
export function fill(exchanges: Iterable<Exchange>, left: number): Exchange[] {
  const taken: Exchange[] = [];
  for (const exchange of exchanges) {
    if (exchange.tokens > left) continue;
    left -= exchange.tokens;
    taken.push(exchange);
  }
  return taken.sort((a, b) => a.order - b.order);
}

/** Takes exchanges in the given order, and stops at the first that does not fit. */
export function inARow(exchanges: Iterable<Exchange>, left: number): Exchange[] {
  const taken: Exchange[] = [];
  for (const exchange of exchanges) {
    if (exchange.tokens > left) break;
    left -= exchange.tokens;
    taken.push(exchange);
  }
  return taken.sort((a, b) => a.order - b.order);
}

export const newest = (exchanges: readonly Exchange[], left: number): Exchange[] =>
  inARow([...exchanges].reverse(), left);

export const tokensOf = (exchanges: readonly Exchange[]): number =>
  exchanges.reduce((sum, { tokens }) => sum + tokens, 0);

export const together = (head: readonly ChatMessage[], taken: readonly Exchange[]): ChatMessage[] => [
  ...head,
  ...taken.flatMap(({ messages }) => messages),
];
