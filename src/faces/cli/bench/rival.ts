import { resolve } from 'node:path';
import { SpillwayError, thrownText } from '../../../errors/index.js';
import { importModule } from '../../../user-module.js';

/** A message of OpenAI chat completions. */
export type ChatMessage = Readonly<Record<string, unknown>>;

/** The text of a message's content. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly { text?: string }[]).map(({ text }) => text ?? '[image]').join('\n');
}

export interface RivalContext {
  /** Counts the tokens of messages, with the same counter for every policy. */
  readonly count: (messages: readonly ChatMessage[]) => number;
  readonly signal: AbortSignal;
}

/**
 * A policy other than Spillway: makes a history of OpenAI chat messages fit a number of tokens. It is called if the
 * history exceeds that number; its result then replaces the history, and new messages follow.
 */
export type Rival = (
  messages: readonly ChatMessage[],
  budget: number,
  context: RivalContext,
) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>;

/** The usual method of frameworks: system messages, the first user message, and the newest exchanges that fit. */
const keepNewest: Rival = (messages, budget, { count }) => {
  const firstUser = messages.findIndex(({ role }) => role === 'user');
  const isHead = (message: ChatMessage, at: number): boolean =>
    at === firstUser || message.role === 'system' || message.role === 'developer';
  const head = messages.filter(isHead);
  const exchanges = exchangesOf(messages.filter((message, at) => !isHead(message, at)));
  let remaining = budget - count(head);
  const kept: ChatMessage[][] = [];
  for (const exchange of exchanges.toReversed()) {
    remaining -= count(exchange);
    if (remaining < 0) break;
    kept.unshift(exchange);
  }
  return [...head, ...kept.flat()];
};

/** A step with its results, or one other message, so that a call is never separated from its result. */
function exchangesOf(messages: readonly ChatMessage[]): ChatMessage[][] {
  const exchanges: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'tool' && exchanges.length > 0) exchanges.at(-1)!.push(message);
    else exchanges.push([message]);
  }
  return exchanges;
}

/** Clears down to this share of the budget, so that several calls fit before the next clearing. */
const CLEAR_SHARE = 0.6;
const CLEARED = '[Old tool result content cleared]';

/** Clears the content of tool results, the oldest first. Text and calls stay, so a long talk exceeds the budget. */
const clearTools: Rival = (messages, budget, { count }) => {
  const newest = messages.findLastIndex(({ role }) => role === 'assistant');
  let tokens = count(messages);
  return messages.map((message, at) => {
    if (message.role !== 'tool' || at > newest || tokens <= CLEAR_SHARE * budget) return message;
    const cleared = { ...message, content: CLEARED };
    tokens -= count([message]) - count([cleared]);
    return cleared;
  });
};

/** Built-in rivals, by name. */
export const BASELINES: ReadonlyMap<string, Rival> = new Map([
  ['keep-newest', keepNewest],
  ['clear-tools', clearTools],
]);

const MODULE = /\.[cm]?js$/;

export const isRival = (name: string): boolean => BASELINES.has(name) || MODULE.test(name);

/** The policy of that name or file. Throws `CONFIG_INVALID` if the file exports none. */
export async function rivalNamed(name: string): Promise<Rival> {
  const known = BASELINES.get(name);
  if (known) return known;
  const found = await importModule(resolve(name)).catch((cause: unknown) => {
    throw loadFault(name, thrownText(cause), cause);
  });
  const rival = found.compact ?? found.default;
  if (typeof rival === 'function') return rival as Rival;
  throw new SpillwayError('CONFIG_INVALID', {
    subject: `the policy ${name}`,
    found: 'no function of that name',
    allowed: 'a module that exports `compact`: it takes messages and a budget and returns messages',
    remedy: 'See docs/bench.md for one of ten lines; an adapter of another package is named with --peer.',
  });
}

export function loadFault(name: string, found: string, cause?: unknown): SpillwayError {
  return new SpillwayError('CONFIG_INVALID', {
    subject: `the policy ${name}`,
    found: found.split('\n', 1)[0],
    allowed: 'a module that can be loaded',
    remedy: 'Fix the module, or install what it imports next to it.',
    cause,
  });
}
