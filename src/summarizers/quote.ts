import { actionOf, parseArguments, type Action } from '../text/facts/index.js';
import { headOf, looksFailed, outcomeOf, plainName, tailOf, type Speech } from '../text/reading/index.js';
import {
  isRecord,
  isToolCall,
  isToolResult,
  textOf,
  writeJson,
  type LogMessage,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from '../transcript/index.js';

/** Our own delimiters, and those with authority in chat templates, lose their brackets. */
const DELIMITER =
  /<(?=\/?(?:message|transcript|summary|record|todos|lines|in-view|newest|instruction|system|user|assistant|system-reminder)\b|\|)/gi;

/** The text without anything that passes for structure, in a request or in a transcript. */
export const escaped = (text: string): string => text.replace(DELIMITER, () => '‹');

/** A value that cannot end its attribute. */
const attribute = (text: string): string => text.replace(/[^\w.:/-]/g, '_');

/** The head's share of a cut text: the head shows what a text is, the tail how it ended. */
const HEAD_SHARE = 0.6;

/** The head's share of a program's output, whose end matters most; a file's beginning does. */
const RUN_HEAD_SHARE = 0.4;

/** The least that a cut must save in characters; otherwise its mark says more about the cut than about the text. */
const MIN_CUT = 60;

interface MiddleCut {
  /** The head's share of the text that stays. */
  readonly headShare?: number;
  /** Picks text of the middle that must stay. */
  readonly keep?: (middle: string) => string;
}

/** Head and tail with a mark in between, and the text of the middle that is picked to stay. */
export function middleCut(
  text: string,
  chars: number,
  { headShare = HEAD_SHARE, keep }: MiddleCut = {},
): string {
  if (text.length <= (chars > 0 ? chars + MIN_CUT : chars)) return text;
  const share = Math.ceil(Math.max(0, chars) * headShare);
  const head = headOf(text, share);
  const tail = tailOf(text, Math.max(0, chars) - share);
  const middle = text.slice(head.length, text.length - tail.length);
  const kept = keep?.(middle) ?? '';
  const cutChars = middle.length - kept.length;
  if (chars <= 0) return `[${cutChars} characters left out]${kept && `\n${kept}`}`;
  const picked = kept && `of them:\n${kept}\n[…] `;
  return `${head} [… ${cutChars} characters left out …] ${picked}${tail}`;
}

/** How much of each kind of text a summarizer is shown, in characters; longer text is cut visibly. */
export interface Detail {
  /** One tool result. */
  readonly resultChars: number;
  /** One text in a call's arguments: the new text of an edit, a command with its commit message, a plan. */
  readonly writtenChars: number;
  /** One text by the user or the agent. */
  readonly proseChars: number;
}

export interface QuoteRules {
  /** The question in place of a marker. */
  readonly question: string;
  /** Removes secrets, before anything is cut, because half a secret does not look like one. */
  readonly redact: (text: string) => string;
  /** The speakers in a user message, with their words. */
  readonly speechesOf: (message: LogMessage) => readonly Speech[];
  /** The call that a result answers, if known. */
  readonly callOf: (result: ToolResultPart) => ToolCallPart | undefined;
  /** Whether a later result of the same piece shows the same. */
  readonly isRepeated: (result: ToolResultPart) => boolean;
}

/** One message as data, with its author. Its own words cannot end the quotation. Reasoning is left out. */
export function quoteMessage(message: LogMessage, detail: Detail, rules: QuoteRules): string {
  const { id, role, origin, parts } = message;
  const element = (from: string, lines: readonly string[], label?: string): string[] => {
    if (lines.length === 0) return [];
    const named = label === undefined ? '' : ` label="${attribute(label)}"`;
    const open = `<message id="${attribute(id)}" role="${role}" from="${from}"${named}>`;
    return [`${open}\n${lines.join('\n')}\n</message>`];
  };
  const linesOf = (some: readonly Part[]): string[] => some.flatMap((part) => quotePart(part, detail, rules));
  if (role !== 'user' || parts.some(isToolResult))
    return element(role === 'tool' ? 'tool' : origin, linesOf(parts)).join('\n');
  const said = rules.speechesOf(message).flatMap(({ speaker, text, label }) => {
    const shown = middleCut(rules.redact(text), detail[SPEAKERS[speaker].limit]);
    return element(SPEAKERS[speaker].mark, [escaped(shown)], speaker === 'user' ? undefined : label);
  });
  return [...said, ...element(origin, linesOf(parts.filter(({ type }) => type !== 'text')))].join('\n');
}

interface SpeakerRule {
  /** The mark of this speaker in a request. */
  readonly mark: string;
  /** Text that can be requested again is cut like a result, written text like an argument, a user's words last. */
  readonly limit: keyof Detail;
}

const SPEAKERS: Readonly<Record<Speech['speaker'], SpeakerRule>> = {
  user: { mark: 'user', limit: 'proseChars' },
  summary: { mark: 'earlier-summary', limit: 'proseChars' },
  agent: { mark: 'other-agent', limit: 'writtenChars' },
  document: { mark: 'document', limit: 'writtenChars' },
  program: { mark: 'program', limit: 'resultChars' },
  instructions: { mark: 'instructions', limit: 'resultChars' },
  output: { mark: 'tool', limit: 'resultChars' },
};

function quotePart(part: Part, detail: Detail, rules: QuoteRules): string[] {
  const { question, redact } = rules;
  if (part.type === 'text')
    return part.text.trim() === '' ? [] : [escaped(middleCut(redact(part.text), detail.proseChars))];
  if (part.type === 'tool-call') return [quoteCall(part, redact, detail.writtenChars)];
  if (part.type === 'tool-result') return [quoteResult(part, detail.resultChars, rules)];
  if (part.type === 'file') return [`[file ${escaped(part.name ?? part.mediaType)}]`];
  return part.type === 'marker' && part.marker === 'compaction' ? [question] : [];
}

/** Longest arguments of a call that only reads: a path, a pattern, a command that only shows. In characters. */
const LOOK_CHARS = 400;

/** A command's share of the room of edits and plans: scripts that were tried and discarded are long. */
const COMMAND_SHARE = 1 / 3;

/** The replaced text of an edit only shows the place of the edit. In characters; and the parameters that contain it. */
const OLD_TEXT_CHARS = 300;
const OLD_TEXT = /(?:^|[._])(?:old|original|search|before)/i;

/** Deeper arguments are shown as JSON. */
const MAX_DEPTH = 4;

/**
 * A call with its arguments: text that it wrote, ran or planned up to `writtenChars` each; a call that only reads on
 * one line. Texts of several lines are shown as such, not as JSON.
 */
export function quoteCall(
  part: ToolCallPart,
  redact: (text: string) => string,
  writtenChars: number,
): string {
  const given = redact(part.arguments);
  const call = `calls ${escaped(plainName(part.name))} with`;
  if (given.length <= LOOK_CHARS && !given.includes('\\n')) return `${call} ${escaped(given)}`;
  const { fields, text } = parseArguments(given);
  const { kind } = actionOf(part);
  const isLook = kind === 'read' || kind === 'search';
  const commandChars = Math.max(LOOK_CHARS, Math.floor(COMMAND_SHARE * writtenChars));
  const maxChars = isLook ? Math.min(LOOK_CHARS, writtenChars) : kind === 'run' ? commandChars : writtenChars;
  if (text !== undefined) return `${call} ${escaped(middleCut(redact(text), maxChars))}`;
  const lines = [...textsIn(fields, '')].map(([name, value]) => {
    const isOld = kind === 'write' && OLD_TEXT.test(name);
    const shown = middleCut(redact(value), isOld ? Math.min(OLD_TEXT_CHARS, maxChars) : maxChars);
    return `  ${name}:${shown.includes('\n') ? '\n' : ' '}${shown}`;
  });
  return `${call}\n${escaped(middleCut(lines.join('\n'), 2 * maxChars))}`;
}

/** Every argument with its name, nested ones with their path: `edits[0].new_string`. */
function* textsIn(value: unknown, name: string, depth = 0): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [name, value];
  else if (Array.isArray(value) && value.every((inner) => typeof inner === 'string'))
    yield [name, value.join(' ')];
  else if (depth < MAX_DEPTH && Array.isArray(value))
    for (const [i, inner] of value.entries()) yield* textsIn(inner, `${name}[${i}]`, depth + 1);
  else if (depth < MAX_DEPTH && isRecord(value))
    for (const [key, inner] of Object.entries(value))
      yield* textsIn(inner, name === '' ? key : `${name}.${key}`, depth + 1);
  else yield [name, writeJson(value) ?? ''];
}

/** A tool's answer: head, tail, and the error lines of a failure; one line if a later result shows the same. */
function quoteResult(
  part: ToolResultPart,
  resultChars: number,
  { redact, callOf, isRepeated }: QuoteRules,
): string {
  const text = redact(textOf(part));
  const call = callOf(part);
  const kind: Action['kind'] = call ? actionOf(call).kind : 'other';
  const isRun = kind === 'run' || kind === 'other' || kind === 'write';
  const isError = part.isError === true;
  const failed = isError || (isRun && looksFailed(text));
  const heading = `${part.name ? escaped(plainName(part.name)) : 'tool'} ${isError ? 'failed' : 'returned'}: `;
  if (isRepeated(part)) {
    const outcome = kind === 'run' || failed ? ` It ended: ${outcomeOf(text, isError)}` : '';
    const line = `[${text.length} characters; a later result in this transcript shows the same.]`;
    return heading + escaped(line + outcome);
  }
  const cut = { ...(isRun && { headShare: RUN_HEAD_SHARE }), ...(failed && { keep: failingLines }) };
  return heading + escaped(middleCut(text, resultChars, cut));
}

/** Lines of a failure that stay even if there is little room. */
const FAILING_LINES = 6;
const LINE_CHARS = 200;

/** The text that is searched for such lines, at both ends of the cut. In characters. */
const MAX_SEARCH_CHARS = 32_000;

/** The first lines that name a failure, each cut to a line's length. */
function failingLines(middle: string): string {
  const isShort = middle.length <= 2 * MAX_SEARCH_CHARS;
  const ends = isShort ? middle : `${middle.slice(0, MAX_SEARCH_CHARS)}\n${middle.slice(-MAX_SEARCH_CHARS)}`;
  const lines = new Set<string>();
  for (const line of ends.split('\n')) {
    if (looksFailed(line)) lines.add(headOf(line.trim(), LINE_CHARS));
    if (lines.size === FAILING_LINES) break;
  }
  return [...lines].join('\n');
}

/** A shorter result is repeated, because a line in its place would save nothing. In characters. */
const MIN_COPY = 500;

const NO_ACTION = { key: '', kind: 'other' } as const;

/** The call that each result answers: the nearest earlier call with its id, because ids may recur. */
export function callsByResult(messages: readonly LogMessage[]): Map<ToolResultPart, ToolCallPart> {
  const open = new Map<string, ToolCallPart>();
  const calls = new Map<ToolResultPart, ToolCallPart>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    const call = isToolResult(part) ? open.get(part.callId) : undefined;
    if (isToolCall(part)) open.set(part.callId, part);
    else if (isToolResult(part) && call) calls.set(part, call);
  }
  return calls;
}

/** The share of an earlier answer's lines that a later answer must contain to replace it. */
const SAME_SHARE = 0.8;

/** Whether a later answer replaces an earlier one: a tool may report the state of something only once. */
function replaces(later: string, earlier: string): boolean {
  const held = new Set(later.split('\n'));
  const lines = earlier.split('\n');
  return lines.filter((line) => held.has(line)).length >= SAME_SHARE * lines.length;
}

/** Results that a later one repeats: the answer to the same read or command line, or the same text. */
export function repeatedResults(
  messages: readonly LogMessage[],
  calls: ReadonlyMap<ToolResultPart, ToolCallPart>,
): Set<ToolResultPart> {
  const repeated = new Set<ToolResultPart>();
  const answers = new Map<string, string>();
  const texts = new Set<string>();
  for (const part of messages.flatMap(({ parts }) => parts.filter(isToolResult)).toReversed()) {
    const text = textOf(part);
    if (text.length < MIN_COPY) continue;
    const call = calls.get(part);
    const { key, kind } = call ? actionOf(call) : NO_ACTION;
    const later = answers.get(key);
    // The newest answer to a read or a command is the valid one.
    const isQuery = kind === 'read' || key.startsWith('run:');
    if (texts.has(text) || (later !== undefined && (isQuery || replaces(later, text)))) repeated.add(part);
    texts.add(text);
    // A failed call does not repeat an earlier answer.
    if (key !== '' && part.isError !== true) answers.set(key, text);
  }
  return repeated;
}
