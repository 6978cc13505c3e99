import { thrownText } from '../../../errors/index.js';
import { replaySession, type Message, type Prepared, type ReplayedCall } from '../../../index.js';
import { LATE, inTime } from '../../../session/plugins/index.js';
import type { Opened } from '../open.js';
import type { ChatMessage, Rival } from './rival.js';
import type { ChatHistory } from './subject.js';

/** One call of a replay, with the fields that the bench uses. */
export interface LaneCall extends Omit<ReplayedCall, 'prepared' | 'run' | 'reason' | 'stages' | 'pressure'> {
  readonly prepared?: Pick<Prepared, 'messages' | 'beside'>;
}

/** One policy on one session: a request for each model call, in order. */
export interface Lane {
  /** Wire format of its requests. */
  readonly format: string;
  readonly calls: AsyncGenerator<LaneCall>;
  compactions(): number;
  /** US dollars of the summaries that the policy requested; NaN if a price is unknown. */
  summaries(): number;
  /** Bytes that the policy holds for the session, if the policy runs in its own process. */
  readonly heapBytes?: () => number;
  close(): Promise<void>;
}

/** The lane of a Spillway profile. */
export const ownLane = (format: string, { session, close }: Opened, messages: readonly Message[]): Lane => ({
  format,
  calls: replaySession(session, messages),
  compactions: () => session.operator.history.length,
  summaries: () => {
    const { cost, unpriced } = session.operator.costs.compactor;
    return unpriced > 0 ? NaN : cost;
  },
  close,
});

/** A policy that takes longer is unusable for a live agent. */
const MAX_MS = 60_000;

export interface RivalLimits {
  readonly limitMs?: number;
  /** Time and memory of the last compaction, measured by the other process if the rival runs in one. */
  readonly work?: () => { readonly ms: number; readonly heapBytes: number };
}

/** The lane of a rival on one session, with the same budget and token count as Spillway. */
export function rivalLane(
  rival: Rival,
  history: ChatHistory,
  budget: number,
  { limitMs = MAX_MS, work }: RivalLimits = {},
): Lane {
  let compactions = 0;

  async function* calls(): AsyncGenerator<LaneCall> {
    // A copy, because the rival may change it.
    const own = structuredClone(history.messages);
    let current: readonly ChatMessage[] = [];
    let before: readonly ChatMessage[] = [];
    let seen = 0;
    for (const { index, length } of history.calls) {
      const given = [...current, ...own.slice(seen, length)];
      seen = length;
      const isOver = history.count(given) > budget;
      const began = performance.now();
      try {
        current = isOver
          ? await messagesOf(limitMs, (signal) => rival(given, budget, { count: history.count, signal }))
          : given;
        const durationMs = (isOver && work?.().ms) || performance.now() - began;
        if (isOver) compactions += 1;
        yield {
          index,
          tokens: history.count(current),
          durationMs,
          unchangedPrefixTokens: history.count(samePrefix(before, current)),
          prepared: { messages: [...current], beside: {} },
        };
        before = current;
      } catch (error) {
        current = given;
        const message = thrownText(error);
        yield {
          index,
          tokens: history.count(given),
          durationMs: performance.now() - began,
          unchangedPrefixTokens: 0,
          error: { code: 'POLICY_FAILED', message },
        };
      }
    }
  }

  return {
    format: 'openai-chat',
    calls: calls(),
    compactions: () => compactions,
    summaries: () => 0,
    ...(work && { heapBytes: () => work().heapBytes }),
    close: () => Promise.resolve(),
  };
}

/** The rival's result. Throws if it is no list of messages or is late. */
async function messagesOf(
  ms: number,
  work: (signal: AbortSignal) => ReturnType<Rival>,
): Promise<readonly ChatMessage[]> {
  const given: unknown = await inTime(ms, work);
  if (given === LATE) throw new Error(`gave no answer within ${ms / 1_000} s`);
  if (!Array.isArray(given) || given.some((one) => typeof one !== 'object' || one === null))
    throw new TypeError('returned no list of messages');
  return given as ChatMessage[];
}

function samePrefix(before: readonly ChatMessage[], after: readonly ChatMessage[]): readonly ChatMessage[] {
  const end = after.findIndex((message, i) => {
    const other = before[i];
    return other !== message && JSON.stringify(other) !== JSON.stringify(message);
  });
  return end < 0 ? after : after.slice(0, end);
}
