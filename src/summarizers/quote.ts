import { plainName } from '../outline/index.js';
import { textOf, type LogMessage, type Part, type ToolCallPart } from '../transcript/index.js';

/** Longest call arguments that a summarizer is shown, in characters: a path or a command, not a file's content. */
const ARGUMENT_CHARS = 400;

export interface QuoteRules {
  /** Longest tool result, in characters. */
  readonly resultChars: number;
  /** What is asked where a marker stands. */
  readonly question: string;
  /** Takes secrets out; before anything is cut, since half a secret looks like none. */
  readonly redact: (text: string) => string;
}

/** One message as data, with who said it. Its own words cannot end the quotation. Reasoning is left out. */
export function quoteMessage(message: LogMessage, rules: QuoteRules): string {
  const lines = message.parts.flatMap((part) => quotePart(part, rules));
  if (lines.length === 0) return '';
  const trust = message.role === 'tool' ? 'tool' : message.origin;
  return `<message id="${attribute(message.id)}" role="${message.role}" from="${trust}">\n${lines.join('\n')}\n</message>`;
}

function quotePart(part: Part, { resultChars, question, redact }: QuoteRules): string[] {
  if (part.type === 'text') return part.text.trim() === '' ? [] : [escaped(redact(part.text))];
  if (part.type === 'tool-call') return [quoteCall(part, redact)];
  if (part.type === 'tool-result') {
    const said = part.isError === true ? 'failed' : 'returned';
    return [
      `${part.name ? plainName(part.name) : 'tool'} ${said}: ${escaped(middleCut(redact(textOf(part)), resultChars))}`,
    ];
  }
  if (part.type === 'file') return [`[file ${escaped(part.name ?? part.mediaType)}]`];
  if (part.type === 'marker') return [question];
  return [];
}

export function quoteCall(
  { name, arguments: given }: ToolCallPart,
  redact: (text: string) => string,
): string {
  return `calls ${plainName(name)} with ${escaped(middleCut(redact(given), ARGUMENT_CHARS))}`;
}

/** Our own delimiters, and those that chat templates give authority to, lose their brackets. */
const DELIMITER =
  /<(?=\/?(?:message|transcript|summary|record|todos|lines|instruction|system|user|assistant|system-reminder)\b|\|)/gi;

/** Text that cannot pass for structure, neither in a request nor in a transcript. */
export function escaped(text: string): string {
  return text.replace(DELIMITER, () => '‹');
}

const attribute = (text: string): string => text.replace(/[^\w.:/-]/g, '_');

/** Head and tail with a mark between: what a result is stands at its head, how it ended at its tail. */
export function middleCut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  if (chars <= 0) return `[${text.length} characters left out]`;
  const head = Math.ceil(chars * 0.6);
  const tail = chars - head;
  const gone = text.length - chars;
  return `${text.slice(0, head)} [… ${gone} characters left out …] ${tail > 0 ? text.slice(-tail) : ''}`;
}
