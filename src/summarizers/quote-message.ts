import type { Speech } from '../reading/index.js';
import {
  isToolResult,
  type LogMessage,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from '../transcript/index.js';
import type { Detail } from './detail.js';
import { attribute, escaped, middleCut } from './quote.js';
import { quoteCall } from './quote-call.js';
import { quoteResult } from './quote-result.js';

export interface QuoteRules {
  /** What is asked where a marker stands. */
  readonly question: string;
  /** Takes secrets out; before anything is cut, since half a secret looks like none. */
  readonly redact: (text: string) => string;
  /** Who says what in a message of the user. */
  readonly speechesOf: (message: LogMessage) => readonly Speech[];
  /** The call that a result answers, where it is known. */
  readonly callOf: (result: ToolResultPart) => ToolCallPart | undefined;
  /** Whether a later result of the same piece shows the same. */
  readonly isRepeated: (result: ToolResultPart) => boolean;
}

/** One message as data, with who said it. Its own words cannot end the quotation. Reasoning is left out. */
export function quoteMessage(message: LogMessage, detail: Detail, rules: QuoteRules): string {
  const { role, origin, parts } = message;
  if (role !== 'user' || parts.some(isToolResult))
    return element(message, role === 'tool' ? 'tool' : origin, linesOf(parts, detail, rules));
  const said = rules.speechesOf(message).map(({ speaker, text, label }) => {
    const shown = middleCut(rules.redact(text), mostChars(speaker, detail));
    return element(message, MARKS[speaker], [escaped(shown)], speaker === 'user' ? undefined : label);
  });
  const beside = parts.filter(({ type }) => type !== 'text');
  return [...said, element(message, origin, linesOf(beside, detail, rules))]
    .filter((text) => text !== '')
    .join('\n');
}

/** How a request marks who speaks in a message of the user. */
const MARKS: Readonly<Record<Speech['speaker'], string>> = {
  user: 'user',
  program: 'program',
  instructions: 'instructions',
  summary: 'earlier-summary',
  agent: 'other-agent',
  document: 'document',
  output: 'tool',
};

/** What can be loaded or asked for again leaves like a result, what somebody wrote like an argument, what was said last. */
function mostChars(speaker: Speech['speaker'], detail: Detail): number {
  if (speaker === 'user' || speaker === 'summary') return detail.proseChars;
  return speaker === 'document' || speaker === 'agent' ? detail.writtenChars : detail.resultChars;
}

function element({ id, role }: LogMessage, from: string, lines: readonly string[], label?: string): string {
  if (lines.length === 0) return '';
  const named = label === undefined ? '' : ` label="${attribute(label)}"`;
  return `<message id="${attribute(id)}" role="${role}" from="${from}"${named}>\n${lines.join('\n')}\n</message>`;
}

function linesOf(parts: readonly Part[], detail: Detail, rules: QuoteRules): string[] {
  return parts.flatMap((part) => quotePart(part, detail, rules));
}

function quotePart(part: Part, detail: Detail, rules: QuoteRules): string[] {
  const { question, redact, callOf, isRepeated } = rules;
  if (part.type === 'text')
    return part.text.trim() === '' ? [] : [escaped(middleCut(redact(part.text), detail.proseChars))];
  if (part.type === 'tool-call') return [quoteCall(part, redact, detail.writtenChars)];
  if (part.type === 'tool-result') {
    const place = { call: callOf(part), isRepeated: isRepeated(part) };
    return [quoteResult(part, place, detail.resultChars, redact)];
  }
  if (part.type === 'file') return [`[file ${escaped(part.name ?? part.mediaType)}]`];
  if (part.type === 'marker') return [question];
  return [];
}
