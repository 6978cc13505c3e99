import { recallTool } from '../../../session/index.js';
import type { ViewMessage } from '../../../transcript/index.js';
import { isFields, listOf, numberIn, type Fields } from '../../../formats/index.js';

/** A call of the recall tool, as the model wrote it. */
export interface RecallCall {
  readonly id: string;
  /** JSON text, or the parsed value. */
  readonly arguments: unknown;
}

/** The parts of a model's answer that the recall loop needs. */
export interface RecallStep {
  readonly calls: readonly RecallCall[];
  /** The step for the log, which the client never sees: without what the client's own answer holds. */
  readonly logged: readonly unknown[];
  /** The complete step in its order, with the provider's own calls: a further request within the call holds it. */
  readonly complete: readonly unknown[];
  /** True if the answer also has calls for the client to run. They end the loop. */
  readonly hasOthers: boolean;
  /** True if a limit or a filter ended the answer. Its recalls may be incomplete and are not answered. */
  readonly isCut: boolean;
}

/** Messages that replace `count` messages of a request, from index `at`. */
export interface Restored {
  readonly at: number;
  readonly count: number;
  readonly messages: readonly unknown[];
}

/** A piece of text. Servers send null or nothing for an empty piece. */
export const textIn = (piece: unknown): string => (typeof piece === 'string' ? piece : '');

export const NO_STEP: RecallStep = { calls: [], logged: [], complete: [], hasOthers: false, isCut: false };

/** The recall tool on one wire. */
export interface RecallWire {
  /** The body's field that holds messages. */
  readonly field: 'messages' | 'input';
  /** The tool as it appears in a request's `tools`. */
  readonly tool: Fields;
  /** Whether a request can have the tool. Not called for a request with a tool of that name. */
  allowsTool(body: Fields, tools: readonly unknown[]): boolean;
  step(answer: Fields): RecallStep;
  /** Finds a logged step in a request, and returns the complete step for that place. */
  restored(messages: readonly unknown[], step: RecallStep): Restored | undefined;
  /** The answers to these calls, as messages of the wire. */
  results(calls: readonly RecallCall[], texts: readonly string[]): readonly unknown[];
  /** Fields that forbid all tool calls, for a last request whose only tool is the recall tool. */
  readonly noTools: Fields;
  /** All answers as the client sees them: one answer, with the text and the usage of all. */
  visible(answers: readonly Fields[]): Fields;
  stream(): RecallStream;
}

/** The events of all answers of one call, as one stream without the tool. */
export interface RecallStream {
  /** The events that the client sees now. */
  take(event: Fields): Iterable<Fields>;
  /** Ends an answer. An answer that broke off or failed has no recalls. */
  endAnswer(): RecallStep;
  /** Begins another answer: the end of the previous answer is not the end of the call. */
  beginAnswer(): void;
  /** The events that were held back until no further answer was due. */
  finish(): Iterable<Fields>;
}

/** Comparisons of the parts of an answer. */
export interface PartMatcher {
  isThought(part: Fields): boolean;
  /** Whether a part of a request equals this part of an answer. */
  isSame(part: Fields, own: Fields): boolean;
}

/**
 * Finds the last occurrence of a step in a list of items, and returns the complete step for that place: with its
 * thoughts, or without them if the logged thoughts are gone, because a compaction invalidated their signatures.
 */
export function restoredRun(
  items: readonly unknown[],
  { logged, complete }: Pick<RecallStep, 'logged' | 'complete'>,
  { isThought, isSame }: PartMatcher,
): Restored | undefined {
  const withoutThoughts = (all: readonly unknown[]): readonly unknown[] =>
    all.filter((item) => !isFields(item) || !isThought(item));
  for (const [run, messages] of [
    [logged, complete],
    [withoutThoughts(logged), withoutThoughts(complete)],
  ] as const)
    for (let at = items.length - run.length; at >= 0 && run.length > 0; at--) {
      const isMatch = run.every((own, place) => {
        const item = items[at + place];
        return isFields(item) && isFields(own) && isSame(item, own);
      });
      if (isMatch) return { at, count: run.length, messages };
    }
  return undefined;
}

/** Like `restoredRun`, for a step that is one message with a list of parts, maybe merged with the message before. */
export function restoredParts(
  messages: readonly unknown[],
  { logged: [logged], complete: [complete] }: Pick<RecallStep, 'logged' | 'complete'>,
  matcher: PartMatcher,
): Restored | undefined {
  const step = { logged: contentOf(logged), complete: contentOf(complete) };
  for (let at = messages.length - 1; at >= 0; at--) {
    const parts = contentOf(messages[at]);
    const run = restoredRun(parts, step, matcher);
    if (!run) continue;
    const content = [...parts.slice(0, run.at), ...run.messages, ...parts.slice(run.at + run.count)];
    return { at, count: 1, messages: [{ ...(messages[at] as Fields), content }] };
  }
  return undefined;
}

const contentOf = (message: unknown): readonly unknown[] =>
  isFields(message) ? listOf(message.content) : [];

/** Like `restoredRun`, for a step that is one message with calls: returns it, changed. `isRecall` finds calls without id. */
export function restoredMessage(
  messages: readonly unknown[],
  { calls, complete: [whole] }: RecallStep,
  change: (message: Fields, whole: Fields) => Fields,
  isRecall?: (call: Fields) => boolean,
): Restored | undefined {
  const ids = new Set(calls.map(({ id }) => id));
  const isOne = (call: Fields) => ids.has(textIn(call.id)) || (ids.has('') && isRecall?.(call));
  const hasCall = (message: unknown): boolean =>
    isFields(message) && listOf(message.tool_calls).some((call) => isFields(call) && isOne(call));
  const at = messages.findLastIndex(hasCall);
  return at < 0 ? undefined : { at, count: 1, messages: [change(messages[at] as Fields, whole as Fields)] };
}

/** Whether anything of a session was compacted or recalled before. */
export const canRecall = (view: readonly ViewMessage[]): boolean =>
  view.some(({ source, replaced, message }) => !source || replaced || message.unknownToClient === true);

/** A request with the recall tool in it. */
export interface Offering<Request> {
  readonly offered: Request;
  /** The request that ends a recall loop: the client's own, or one that forbids tools if the client has none. */
  readonly last: Request;
}

/** Undefined if the tool is not offered. */
export function offerRecall<Request extends object>(
  wire: RecallWire,
  request: Request,
  maxRecalls: number,
): Offering<Request> | undefined {
  const fields = request as Fields;
  const tools = listOf(fields.tools);
  if (maxRecalls <= 0 || tools.some(isRecallTool) || !wire.allowsTool(fields, tools)) return undefined;
  // A prefill, or a turn that the provider paused, must be the last message, so no recall can follow it.
  const newest = listOf(fields[wire.field] ?? fields.prompt).at(-1);
  if (isFields(newest) && (newest.role === 'assistant' || newest.type === 'ai')) return undefined;
  const offered = { ...request, tools: [...tools, wire.tool] };
  return { offered, last: tools.length > 0 ? request : { ...offered, ...wire.noTools } };
}

function isRecallTool(tool: unknown): boolean {
  if (!isFields(tool)) return false;
  const { name } = [tool.function, tool.custom].find(isFields) ?? tool;
  return name === recallTool.name;
}

/** The texts of several answers as one text; the last content if a content is no text. */
export function joinedTexts(texts: readonly unknown[]): unknown {
  const filled = texts.filter((text) => text !== null && text !== undefined && text !== '');
  if (filled.length === 0 || !filled.every((text) => typeof text === 'string')) return texts.at(-1);
  const joiner = new TextJoiner();
  return filled.map((text, answer) => joiner.next(text, answer)).join('');
}

/** Separates the texts of consecutive answers as they are shown piece by piece. */
export class TextJoiner {
  #last = '';
  #answer = 0;

  next(text: string, answer: number): string {
    if (text === '') return text;
    const isSeparated = this.#last === '' || /\s$/.test(this.#last) || /^\s/.test(text);
    const gap = answer === this.#answer || isSeparated ? '' : '\n\n';
    this.#last = text;
    this.#answer = answer;
    return gap + text;
  }
}

/** Sums the figures of two reports, field by field. */
export function summed(one: unknown, other: unknown): unknown {
  const [a, b] = [numberIn(one), numberIn(other)];
  if (a !== undefined && b !== undefined) return a + b;
  if (!isFields(one) || !isFields(other)) return other ?? one;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, summed(one[name], other[name])]));
}
