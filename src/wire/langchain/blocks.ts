import type { FilePart, Part, ReasoningPart, TextPart } from '../../transcript/index.js';
import { fileOfBlocks } from '../files/index.js';
import { isFields, jsonText, kindOf, listOf, type Fields } from '../record.js';
import { isTwin } from './wire.js';
import { opaquePart } from '../conversation/reading.js';
import type { Report } from '../conversation/repairs.js';

/** Content of a message as parts: a string, or a list of blocks. What is not understood stays whole, opaque. */
export function parseContent(content: unknown, report: Report): Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content)) {
    return content.flatMap((block, index) => (isTwin(block) ? [] : [parseBlock(block, index, report)]));
  }
  report('unknown-content', `content is ${kindOf(content)}; kept as JSON text`);
  return [{ type: 'text', text: jsonText(content) }];
}

function parseBlock(block: unknown, wire: number, report: Report): Part {
  if (typeof block === 'string') return { type: 'text', text: block, wire };
  const text = textIn(block);
  if (text !== undefined) return { type: 'text', text, wire };
  const thought = isFields(block) ? reasoningIn(block, wire) : undefined;
  if (thought) return thought;
  const file = isFields(block) ? fileOfBlocks(block, wire) : undefined;
  if (file) return file;
  const kind = isFields(block) && typeof block.type === 'string' ? block.type : kindOf(block);
  if (!SERVER_BLOCK.test(kind))
    report('unknown-part', `block ${wire} of type ${kind} is not known; kept as it is`);
  return opaquePart(kind, block, wire);
}

/** What a provider ran itself, and what LangChain says is nobody's standard. */
const SERVER_BLOCK = /^server_tool|_tool_result$|^non_standard$/;

/** The words of a text block, in content and in results. */
export function textIn(block: unknown): string | undefined {
  return isFields(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : undefined;
}

/** Thinking under the names of three houses, with the provider's proof over it. */
function reasoningIn(block: Fields, wire: number): ReasoningPart | undefined {
  const said = { type: 'reasoning', wire } as const;
  if (block.type === 'thinking') return { ...said, text: words(block.thinking), ...proof(block.signature) };
  if (block.type === 'redacted_thinking') return { ...said, text: '', ...proof(block.data) };
  if (block.type !== 'reasoning') return undefined;
  const summary = listOf(block.summary).map((one) => (isFields(one) ? words(one.text) : ''));
  const text = typeof block.reasoning === 'string' ? block.reasoning : summary.join('\n');
  const extras = isFields(block.extras) ? block.extras.signature : undefined;
  return { ...said, text, ...proof(block.signature ?? block.encrypted_content ?? extras) };
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const proof = (value: unknown): { signature?: string } =>
  typeof value === 'string' ? { signature: value } : {};

/** Content of a result: words and files alone. */
export function parseResultContent(content: unknown, report: Report): (TextPart | FilePart)[] {
  return parseContent(content, report).map((part): TextPart | FilePart => {
    if (part.type === 'text' || part.type === 'file') return part;
    const bytes = part.type === 'opaque' ? part.bytes : 0;
    const name = part.type === 'opaque' ? part.kind : part.type;
    return { type: 'file', mediaType: 'application/octet-stream', bytes, name, wire: part.wire };
  });
}
