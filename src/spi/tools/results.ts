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

/** A part of a log message with its present form in the view. */
export interface ShownPart<P extends Part = Part> {
  readonly source: LogMessage;
  /** Index in the source, as a replace names it. */
  readonly index: number;
  /** The part in the log. */
  readonly original: P;
  /** The part in the view, and its size. */
  readonly shown: Part | undefined;
  readonly tokens: number;
  readonly bytes: number;
  readonly mark: ReplaceMark | undefined;
  readonly handle: Handle;
}

/**
 * The parts of a message by their index in the log, also if an earlier replace put several parts in the place of one.
 * Remembered, because messages of a view never change and stay in it for many runs.
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

/** A tool result in view, with the facts that decide whether it may be edited. */
export interface ResultPart extends ShownPart<ToolResultPart> {
  readonly exchange: ViewExchange;
  readonly tool: string | undefined;
  /** The call that it answers, if its exchange has the call. */
  readonly call: ToolCallPart | undefined;
  /** Tokens of this tool result and all newer ones. */
  readonly newer: number;
}

/**
 * Every tool result in view, oldest first. Results in protected or unseen exchanges count as newer ones but are not
 * listed: no stage may edit them.
 */
export const resultsOf = (view: TranscriptView): readonly ResultPart[] => atOnce(readingResults(view));

/** Several stages use the same view if the stages between them changed nothing. */
const resultsByView = new WeakMap<TranscriptView, readonly ResultPart[]>();

/** The same in steps: a hundred thousand messages take half a second. */
export function* readingResults(view: TranscriptView): Steps<readonly ResultPart[]> {
  const before = resultsByView.get(view);
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
  resultsByView.set(view, results.reverse());
  return results;
}

/** Calls by id, from the log, because edited arguments have less content. */
const callsOf = remembered(({ messages }: ViewExchange): ReadonlyMap<string, ToolCallPart> => {
  const calls = messages.flatMap(({ message, source }) => (source ?? message).parts.filter(isToolCall));
  return new Map(calls.map((call) => [call.callId, call]));
});

/**
 * Whether a part already has a text from a compaction. Such a text never changes again, because a new one would break
 * the provider's cache for a few tokens. A fresh result that was cut to size is not settled yet.
 */
export function isSettled(part: ShownPart): boolean {
  if (!part.shown) return true;
  const text = textOf(part.shown);
  return part.mark ? !isCut(text) : isStub(text);
}
