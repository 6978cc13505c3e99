import { resolve } from 'node:path';
import { SpillwayError } from '../../errors/index.js';
import { createSpillway, replaySession, type Message } from '../../index.js';
import { createExactCounter, createMeasure } from '../../tokens/index.js';
import { importModule } from '../../user-module.js';
import { openaiChat } from '../../wire/index.js';
import type { Closable } from '../engine.js';
import { BASELINES } from './baselines.js';
import type { Lane, LaneCall } from './lane.js';

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
/** What takes longer is no candidate for a live agent. */
const MOST_MS = 60_000;

export const isRival = (name: string): boolean => BASELINES.has(name) || MODULE.test(name);

/** The policy of that name or file. Throws `CONFIG_INVALID` where the file exports none. */
export async function rivalNamed(name: string): Promise<Rival> {
  const known = BASELINES.get(name);
  if (known) return known;
  const found = await importModule(resolve(name)).catch((cause: unknown) => {
    throw new SpillwayError('CONFIG_INVALID', {
      subject: `the policy ${name}`,
      found: cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause),
      allowed: 'a module that can be loaded',
      remedy: 'Mend it, or install what it imports where it stands.',
      cause,
    });
  });
  const rival = found.compact ?? found.default;
  if (typeof rival !== 'function') throw notOne(name, 'no function of that name');
  return rival as Rival;
}

function notOne(name: string, found: string): SpillwayError {
  return new SpillwayError('CONFIG_INVALID', {
    subject: `the policy ${name}`,
    found,
    allowed: 'a module that exports `compact`: it takes messages and a budget and returns messages',
    remedy: 'See docs/bench.md for one of ten lines.',
  });
}

/** A rival on one session, at the same budget and by the same count as Spillway. */
export async function rivalLane(
  name: string,
  messages: readonly Message[],
  budget: number,
  patienceMs = MOST_MS,
): Promise<{ readonly lane: Lane; readonly opened: Closable }> {
  const rival = await rivalNamed(name);
  // Nothing leaves a window this large: its requests are the whole history, legal and in the format.
  const spillway = await createSpillway({
    format: 'openai-chat',
    inputBudget: Number.MAX_SAFE_INTEGER,
    store: null,
  });
  const session = spillway.session();
  const measure = createMeasure(await createExactCounter('o200k_base'));
  const counted = new Map<string, number>();
  const tokensOf = (message: ChatMessage): number => {
    const key = JSON.stringify(message);
    let tokens = counted.get(key);
    if (tokens === undefined) {
      const { messages: parsed } = openaiChat.parse([message]);
      tokens = parsed.reduce((sum, one) => sum + measure(one).tokens, 0);
      counted.set(key, tokens);
    }
    return tokens;
  };
  const count = (of: readonly ChatMessage[]): number => of.reduce((sum, one) => sum + tokensOf(one), 0);
  let compactions = 0;

  async function* calls(): AsyncGenerator<LaneCall> {
    let shown: readonly ChatMessage[] = [];
    let before: readonly ChatMessage[] = [];
    let seen = 0;
    for await (const { index, prepared } of replaySession(session, messages)) {
      const whole = prepared!.messages as readonly ChatMessage[];
      const history = [...shown, ...whole.slice(seen)];
      seen = whole.length;
      const began = performance.now();
      const about = { index, run: 'rival', reason: '', stages: [] as string[] };
      try {
        const isOver = count(history) > budget;
        shown = isOver
          ? await within(patienceMs, (signal) => rival(history, budget, { count, signal }))
          : history;
        if (isOver) compactions += 1;
        const tokens = count(shown);
        yield {
          ...about,
          tokens,
          pressure: tokens / budget,
          durationMs: performance.now() - began,
          unchangedPrefixTokens: count(sameFront(before, shown)),
          prepared: { messages: [...shown], beside: {} },
        };
        before = shown;
      } catch (error) {
        shown = history;
        const message = error instanceof Error ? error.message : String(error);
        const tokens = count(history);
        const none = { durationMs: performance.now() - began, unchangedPrefixTokens: 0 };
        yield {
          ...about,
          ...none,
          tokens,
          pressure: tokens / budget,
          error: { code: 'POLICY_FAILED', message },
        };
      }
    }
  }

  const lane: Lane = {
    name,
    format: 'openai-chat',
    calls: calls(),
    sums: () => ({ budget, compactions, compactor: { calls: 0, cost: 0, unpriced: 0 } }),
  };
  return { lane, opened: spillway };
}

/** What it returned, where that is a list of messages and came in time. */
async function within(
  ms: number,
  work: (signal: AbortSignal) => ReturnType<Rival>,
): Promise<readonly ChatMessage[]> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      late.abort();
      reject(new Error(`gave no answer within ${ms / 1_000} s`));
    }, ms);
  });
  try {
    const given: unknown = await Promise.race([work(late.signal), expired]);
    if (!Array.isArray(given) || given.some((one) => typeof one !== 'object' || one === null))
      throw new TypeError('returned no list of messages');
    return given as ChatMessage[];
  } finally {
    clearTimeout(timer);
  }
}

function sameFront(before: readonly ChatMessage[], after: readonly ChatMessage[]): readonly ChatMessage[] {
  const end = after.findIndex((message, i) => {
    const other = before[i];
    return other !== message && JSON.stringify(other) !== JSON.stringify(message);
  });
  return end < 0 ? after : after.slice(0, end);
}
