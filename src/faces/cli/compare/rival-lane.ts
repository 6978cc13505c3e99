import type { ChatHistory } from './chat-history.js';
import type { Lane, LaneCall } from './lane.js';
import type { ChatMessage, Rival } from './rival.js';

/** What takes longer is no candidate for a live agent. */
const MOST_MS = 60_000;

export interface RivalLimits {
  readonly patienceMs?: number;
  /** How long its last compaction took by a clock of its own, where it runs elsewhere. */
  readonly ownMs?: () => number;
}

/** A rival on one session, at the same budget and by the same count as Spillway. */
export function rivalLane(
  name: string,
  rival: Rival,
  history: ChatHistory,
  budget: number,
  { patienceMs = MOST_MS, ownMs }: RivalLimits = {},
): Lane {
  let compactions = 0;

  async function* calls(): AsyncGenerator<LaneCall> {
    // Its own, to write to.
    const own = structuredClone(history.messages);
    let shown: readonly ChatMessage[] = [];
    let before: readonly ChatMessage[] = [];
    let seen = 0;
    for (const { index, length } of history.calls) {
      const given = [...shown, ...own.slice(seen, length)];
      seen = length;
      const about = { index, run: 'rival', reason: '', stages: [] as string[] };
      const isOver = history.count(given) > budget;
      const began = performance.now();
      try {
        shown = isOver
          ? await within(patienceMs, (signal) => rival(given, budget, { count: history.count, signal }))
          : given;
        const durationMs = (isOver && ownMs?.()) || performance.now() - began;
        if (isOver) compactions += 1;
        const tokens = history.count(shown);
        yield {
          ...about,
          tokens,
          pressure: tokens / budget,
          durationMs,
          unchangedPrefixTokens: history.count(sameFront(before, shown)),
          prepared: { messages: [...shown], beside: {} },
        };
        before = shown;
      } catch (error) {
        shown = given;
        const message = error instanceof Error ? error.message : String(error);
        const tokens = history.count(given);
        yield {
          ...about,
          durationMs: performance.now() - began,
          unchangedPrefixTokens: 0,
          tokens,
          pressure: tokens / budget,
          error: { code: 'POLICY_FAILED', message },
        };
      }
    }
  }

  return {
    name,
    format: 'openai-chat',
    calls: calls(),
    sums: () => ({ budget, compactions, compactor: { calls: 0, cost: 0, unpriced: 0 } }),
  };
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
