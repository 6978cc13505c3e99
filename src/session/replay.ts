import { SpillwayError } from '../errors/index.js';
import type { Message } from '../transcript/index.js';
import type { Prepared } from './prepared.js';
import type { Session } from './session.js';

/** One call of the model, as the replay prepared it. */
export interface ReplayedCall {
  /** 0-based index of the assistant message this call produced. */
  readonly index: number;
  /** Tokens sent, or tokens of the session if the call could not fit. */
  readonly tokens: number;
  readonly pressure: number;
  readonly run: string;
  readonly reason: string;
  readonly stages: readonly string[];
  /** Time of `prepare`, in milliseconds. */
  readonly durationMs: number;
  /** Tokens at the front that are the same bytes as in the previous call. */
  readonly unchangedPrefixTokens: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly prepared?: Prepared;
}

/** Appends the messages one by one, as the live agent did, and calls `prepare` before every assistant message. */
export async function* replaySession(
  session: Session,
  messages: readonly Message[],
  timer: () => number = () => performance.now(),
): AsyncGenerator<ReplayedCall> {
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') yield await replayCall(session, index, timer);
    session.append(message);
  }
}

async function replayCall(session: Session, index: number, timer: () => number): Promise<ReplayedCall> {
  const started = timer();
  try {
    const prepared = await session.prepare();
    const { reading, run, unchangedPrefixTokens } = prepared;
    return {
      index,
      tokens: reading.tokens,
      pressure: reading.pressure,
      run: run.kind,
      reason: run.reason,
      stages: run.stages.filter((stage) => stage.edits > 0).map(({ stage }) => stage),
      durationMs: timer() - started,
      unchangedPrefixTokens,
      prepared,
    };
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    const { tokens, pressure } = session.reading;
    const { code, message } = error;
    const none = { run: 'unreachable', reason: message, stages: [], unchangedPrefixTokens: 0 };
    return { index, tokens, pressure, ...none, durationMs: timer() - started, error: { code, message } };
  }
}
