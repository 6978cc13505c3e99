import { isCut, isStub } from '../../text/digest/index.js';
import type { TranscriptView, ViewExchange } from '../view.js';
import { remembered } from './remembered.js';
import {
  atOnce,
  isToolCall,
  isToolResult,
  partHandle,
  textOf,
  type Handle,
  type LogMessage,
  type Part,
  type ReplaceMark,
  type Steps,
  type ToolCallPart,
  type ToolResultPart,
  type ViewMessage,
} from '../../transcript/index.js';

/** A part of a log message as the view shows it now. */
export interface ShownPart<P extends Part = Part> {
  readonly source: LogMessage;
  /** Index in the source: what a replace names. */
  readonly index: number;
  /** As it stands in the log. */
  readonly original: P;
  /** What is shown, and its size. */
  readonly shown: Part | undefined;
  readonly tokens: number;
  readonly bytes: number;
  readonly mark: ReplaceMark | undefined;
  readonly handle: Handle;
}

/**
 * The parts of a message by their index in the log, however many parts an earlier replace has put there. Messages of a
 * view never change, and the same ones stand in it for many runs.
 */
export const shownParts = remembered((message: ViewMessage): readonly ShownPart[] => {
  const { source, replaced } = message;
  if (!source) return [];
  let at = 0;
  return source.parts.map((original, index): ShownPart => {
    const mark = replaced?.get(index);
    const length = mark?.length ?? 1;
    let [tokens, bytes] = [0, 0];
    for (const size of message.size.parts.slice(at, at + length)) {
      tokens += size.tokens;
      bytes += size.bytes;
    }
    const shown = message.message.parts[at];
    at += length;
    return { source, index, original, shown, tokens, bytes, mark, handle: partHandle(source.id, index) };
  });
});

/** A tool result in view, with what decides whether it may be touched. */
export interface ResultPart extends ShownPart<ToolResultPart> {
  readonly exchange: ViewExchange;
  readonly tool: string | undefined;
  /** What it answers, where that stands in its exchange. */
  readonly call: ToolCallPart | undefined;
  /** Tokens of tool results newer than this one, and of this one. */
  readonly newer: number;
}

/**
 * Every tool result in view, oldest first. Results in protected or unseen exchanges are counted as newer ones but not
 * listed: no stage may touch them.
 */
export const resultsOf = (view: TranscriptView): readonly ResultPart[] => atOnce(readingResults(view));

/** Several stages ask for the same view, where the ones between have changed nothing. */
const known = new WeakMap<TranscriptView, readonly ResultPart[]>();

/** The same in steps: a hundred thousand messages are read in half a second. */
export function* readingResults(view: TranscriptView): Steps<readonly ResultPart[]> {
  const before = known.get(view);
  if (before) return before;
  const results: ResultPart[] = [];
  let newer = 0;
  for (const exchange of view.exchanges.toReversed()) {
    yield;
    if (exchange.kind === 'replacement') continue;
    const untouchable = exchange.protection !== undefined || exchange.unseen;
    const holders = exchange.messages.filter(({ source }) => source?.parts.some(isToolResult));
    for (const part of holders.flatMap(shownParts).toReversed()) {
      const { original, tokens } = part;
      if (original.type !== 'tool-result') continue;
      newer += tokens;
      if (untouchable) continue;
      const call = callsOf(exchange).get(original.callId);
      const tool = original.name ?? call?.name;
      results.push({ ...part, original, exchange, tool, call, newer });
    }
  }
  known.set(view, results.reverse());
  return results;
}

/** By their ids, as the log has them: what an edit left of a call's arguments says less. */
const callsOf = remembered(({ messages }: ViewExchange): ReadonlyMap<string, ToolCallPart> => {
  const calls = messages.flatMap(({ message, source }) => (source ?? message).parts.filter(isToolCall));
  return new Map(calls.map((call) => [call.callId, call]));
});

/**
 * Whether a part already carries text that a compaction gave it: it stays the same ever after, or the provider's cache
 * would be lost for a few tokens more. A result cut to size when it was fresh is not settled yet.
 */
export function isSettled(part: ShownPart): boolean {
  if (!part.shown) return true;
  const text = textOf(part.shown);
  return part.mark ? !isCut(text) : isStub(text);
}
