import type { LogMessage, Part, ToolCallPart, ToolResultPart } from '../transcript/index.js';
import type { Detail } from './detail.js';
import { attribute, escaped, middleCut } from './quote.js';
import { quoteCall } from './quote-call.js';
import { quoteResult } from './quote-result.js';

export interface QuoteRules {
  /** What is asked where a marker stands. */
  readonly question: string;
  /** Takes secrets out; before anything is cut, since half a secret looks like none. */
  readonly redact: (text: string) => string;
  /** The call that a result answers, where it is known. */
  readonly callOf: (result: ToolResultPart) => ToolCallPart | undefined;
  /** Whether a later result of the same piece shows the same. */
  readonly isRepeated: (result: ToolResultPart) => boolean;
}

/** One message as data, with who said it. Its own words cannot end the quotation. Reasoning is left out. */
export function quoteMessage(message: LogMessage, detail: Detail, rules: QuoteRules): string {
  const lines = message.parts.flatMap((part) => quotePart(part, detail, rules));
  if (lines.length === 0) return '';
  return `<message id="${attribute(message.id)}" role="${message.role}" from="${speakerOf(message)}">\n${lines.join('\n')}\n</message>`;
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

/** How agents begin the user message in which they go on after a compaction of their own. */
const EARLIER_SUMMARY = /^\s*This session is being continued from a previous conversation/;

function speakerOf({ role, origin, parts }: LogMessage): string {
  if (role === 'tool') return 'tool';
  const first = parts.find(({ type }) => type === 'text');
  if (role === 'user' && first?.type === 'text' && EARLIER_SUMMARY.test(first.text)) return 'earlier-summary';
  return origin;
}
