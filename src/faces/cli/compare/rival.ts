import { resolve } from 'node:path';
import { SpillwayError } from '../../../errors/index.js';
import { importModule } from '../../../user-module.js';
import { BASELINES } from './baselines.js';

/** A message of OpenAI chat completions. */
export type ChatMessage = Readonly<Record<string, unknown>>;

export interface RivalContext {
  /** Tokens of messages, by the count that every policy is held to. */
  readonly count: (messages: readonly ChatMessage[]) => number;
  readonly signal: AbortSignal;
}

/**
 * A policy that is not Spillway: makes a history of OpenAI chat messages fit into so many tokens. Called where the history
 * is over them; what it returns stands for the history from then on, and what is new follows.
 */
export type Rival = (
  messages: readonly ChatMessage[],
  budget: number,
  context: RivalContext,
) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>;

const MODULE = /\.[cm]?js$/;

export const isRival = (name: string): boolean => BASELINES.has(name) || MODULE.test(name);

/** The policy of that name or file. Throws `CONFIG_INVALID` where the file exports none. */
export async function rivalNamed(name: string): Promise<Rival> {
  const known = BASELINES.get(name);
  if (known) return known;
  const found = await importModule(resolve(name)).catch((cause: unknown) => {
    throw unloadable(name, cause instanceof Error ? cause.message : String(cause), cause);
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

export function unloadable(name: string, found: string, cause?: unknown): SpillwayError {
  return new SpillwayError('CONFIG_INVALID', {
    subject: `the policy ${name}`,
    found: found.split('\n', 1)[0],
    allowed: 'a module that can be loaded',
    remedy: 'Mend it, or install what it imports where it stands.',
    cause,
  });
}
