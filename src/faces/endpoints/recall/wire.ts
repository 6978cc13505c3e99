import { recallTool } from '../../../session/index.js';
import type { ViewMessage } from '../../../transcript/index.js';
import { isFields, listOf, numberIn, type Fields } from '../../../formats/index.js';

/** A call of the recall tool, as the model wrote it. */
export interface RecallCall {
  readonly id: string;
  /** JSON text or what it says. */
  readonly arguments: unknown;
}

/** What one answer of the model holds for the loop. */
export interface RecallStep {
  readonly calls: readonly RecallCall[];
  /** The step as it goes into the log, which the client never sees: without what the client's own answer holds. */
  readonly said: readonly unknown[];
  /** The same with all that the model said and its provider did, in its order: what a further request within the call holds. */
  readonly whole: readonly unknown[];
  /** Calls stand beside that are for the client to run: they end the loop. */
  readonly hasOthers: boolean;
  /** A limit or a filter ended the answer: what it asks for may not be all, and is not answered. */
  readonly isCut: boolean;
}

/** Messages of a request in whose place others stand. */
export interface Restored {
  readonly at: number;
  readonly count: number;
  readonly messages: readonly unknown[];
}

/** A piece of a text; servers tell of none by null, or not at all. */
export const textIn = (piece: unknown): string => (typeof piece === 'string' ? piece : '');

export const NO_STEP: RecallStep = { calls: [], said: [], whole: [], hasOthers: false, isCut: false };

/** One wire, as far as the recall tool goes. */
export interface RecallWire {
  /** The body's field that holds messages. */
  readonly field: 'messages' | 'input';
  /** The tool, as a request has it among its others. */
  readonly tool: Fields;
  /** Whether a request can have it; one with a tool of that name never does. */
  takes(body: Fields, tools: readonly unknown[]): boolean;
  step(answer: Fields): RecallStep;
  /** Where in a request a step stands as the log has it, with the whole of it for that place. */
  restored(messages: readonly unknown[], step: RecallStep): Restored | undefined;
  /** What answers these calls, as messages of the wire. */
  results(calls: readonly RecallCall[], texts: readonly string[]): readonly unknown[];
  /** What keeps the model from calling any tool: of a last request whose only tool would be this one. */
  readonly noTools: Fields;
  /** All answers as the client sees them: as one, with the words and the usage of all. */
  visible(answers: readonly Fields[]): Fields;
  stream(): RecallStream;
}

/** The events of all answers of one call, as one stream without the tool. */
export interface RecallStream {
  /** What of an event the client sees now. */
  take(event: Fields): Iterable<Fields>;
  /** The answer has ended. One that broke off, or that failed, asks for nothing. */
  endAnswer(): RecallStep;
  /** Another answer begins: how the last one ended is not how the call ends. */
  goOn(): void;
  /** What was held back until it was known that no further answer comes. */
  finish(): Iterable<Fields>;
}

/** How the parts of an answer are told apart. */
export interface Likeness {
  isThought(part: Fields): boolean;
  /** Whether a part of a request is this one of an answer. */
  isSame(part: Fields, own: Fields): boolean;
}

/**
 * Where a step stands last in a list of items, with the whole of it for that place: with its thoughts, or without them
 * where a compaction in between broke what they vouch for.
 */
export function restoredRun(
  items: readonly unknown[],
  { said, whole }: Pick<RecallStep, 'said' | 'whole'>,
  { isThought, isSame }: Likeness,
): Restored | undefined {
  const bare = (all: readonly unknown[]): readonly unknown[] =>
    all.filter((item) => !isFields(item) || !isThought(item));
  for (const [run, messages] of [
    [said, whole],
    [bare(said), bare(whole)],
  ] as const)
    for (let at = items.length - run.length; at >= 0 && run.length > 0; at--) {
      const isThere = run.every((own, place) => {
        const item = items[at + place];
        return isFields(item) && isFields(own) && isSame(item, own);
      });
      if (isThere) return { at, count: run.length, messages };
    }
  return undefined;
}

/** The same where a step is one message, whose parts stand in a list: it may have been merged with what stood before it. */
export function restoredParts(
  messages: readonly unknown[],
  { said: [said], whole: [whole] }: Pick<RecallStep, 'said' | 'whole'>,
  is: Likeness,
): Restored | undefined {
  const step = { said: contentOf(said), whole: contentOf(whole) };
  for (let at = messages.length - 1; at >= 0; at--) {
    const parts = contentOf(messages[at]);
    const run = restoredRun(parts, step, is);
    if (!run) continue;
    const content = [...parts.slice(0, run.at), ...run.messages, ...parts.slice(run.at + run.count)];
    return { at, count: 1, messages: [{ ...(messages[at] as Fields), content }] };
  }
  return undefined;
}

const contentOf = (message: unknown): readonly unknown[] =>
  isFields(message) ? listOf(message.content) : [];

/** The same where a step is one message beside whose words its calls stand: that message, changed into the whole of it. */
export function restoredMessage(
  messages: readonly unknown[],
  { calls, whole: [whole] }: RecallStep,
  change: (message: Fields, whole: Fields) => Fields,
): Restored | undefined {
  const ids = new Set(calls.map(({ id }) => id));
  const isOf = (message: unknown): boolean =>
    isFields(message) &&
    listOf(message.tool_calls).some((call) => isFields(call) && ids.has(String(call.id)));
  const at = messages.findLastIndex(isOf);
  return at < 0 ? undefined : { at, count: 1, messages: [change(messages[at] as Fields, whole as Fields)] };
}

/** Whether anything of a session was compacted, or recalled before. */
export const canRecall = (view: readonly ViewMessage[]): boolean =>
  view.some(({ source, replaced, message }) => !source || replaced || message.unknownToClient === true);

/** A request with the recall tool in it. */
export interface Offering<Request> {
  readonly offered: Request;
  /** The request that ends a loop of recalls: as the client made it, or with no tool to call where it has none. */
  readonly last: Request;
}

/** Undefined where the tool is not offered. */
export function offering<Request extends object>(
  wire: RecallWire,
  given: Request,
  most: number,
): Offering<Request> | undefined {
  const fields = given as Fields;
  const tools = listOf(fields.tools);
  if (most <= 0 || tools.some(isNamedSo) || !wire.takes(fields, tools)) return undefined;
  // Words in the model's mouth, and a turn that its provider paused, have to come last: no recall can stand behind them.
  const newest = listOf(fields[wire.field] ?? fields.prompt).at(-1);
  if (isFields(newest) && (newest.role === 'assistant' || newest.type === 'ai')) return undefined;
  const offered = { ...given, tools: [...tools, wire.tool] };
  return { offered, last: tools.length > 0 ? given : { ...offered, ...wire.noTools } };
}

function isNamedSo(tool: unknown): boolean {
  if (!isFields(tool)) return false;
  const { name } = [tool.function, tool.custom].find(isFields) ?? tool;
  return name === recallTool.name;
}

/** Words of several answers as one text; what the last one holds where they are no text. */
export function joinedWords(texts: readonly unknown[]): unknown {
  const said = texts.filter((text) => text !== null && text !== undefined && text !== '');
  if (said.length === 0 || !said.every((text) => typeof text === 'string')) return texts.at(-1);
  const words = new ShownWords();
  return said.map((text, answer) => words.take(text, answer)).join('');
}

/** Words of several answers as they are shown piece by piece: those of one stand apart from those of the one before. */
export class ShownWords {
  #last = '';
  #answer = 0;

  take(words: string, answer: number): string {
    if (words === '') return words;
    const isApart = this.#last === '' || /\s$/.test(this.#last) || /^\s/.test(words);
    const gap = answer === this.#answer || isApart ? '' : '\n\n';
    this.#last = words;
    this.#answer = answer;
    return gap + words;
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
