import {
  isToolResult,
  type FilePart,
  type Message,
  type TextPart,
  type ToolResultPart,
} from '../../transcript/index.js';
import { reportThinking, wellFormed } from '../conversation/drafts.js';
import { legalId, toolName } from '../conversation/ids.js';
import { reportedFileNote } from '../conversation/placeholders.js';
import { textsIn } from '../conversation/reading.js';
import { REPAIRS, type Report } from '../conversation/repairs.js';
import { sourceOf, type FileSource, urlOf } from '../files.js';
import type { Fields } from '../record.js';
import { anyCall } from './call-kinds.js';
import type { DraftCall, DraftResult, WireForm } from './draft.js';
import { type Item, wordsOf } from './wire.js';

/** Ids of other formats. Ids of this format never change, because their server made them (some have 450 characters). */
const FOREIGN_ID = /^[^]{1,64}$/;

/**
 * A message that came in another format, or that Spillway made, from its parts alone: words, files, calls, results.
 * Thinking is not sent, because this provider reads only thinking that it sealed itself.
 */
export function foreignForm(message: Message, report: Report): WireForm {
  const items: Item[] = [];
  const calls: DraftCall[] = [];
  let pending: (TextPart | FilePart)[] = [];
  const flush = (): void => {
    items.push(...contentItem(message, pending, items.length === 0, report));
    pending = [];
  };
  for (const part of message.parts) {
    if (part.type === 'text' || part.type === 'file') pending.push(part);
    if (part.type === 'opaque') report('foreign-part', REPAIRS.foreignPart(part.kind, part.bytes));
    if (part.type !== 'tool-call') continue;
    flush();
    const wireId = wellFormed(legalId(part.callId, FOREIGN_ID));
    const name = toolName(part.name, report);
    items.push({ type: 'function_call', call_id: wireId, name, arguments: part.arguments });
    calls.push({ callId: part.callId, wireId, tool: part.name, kind: anyCall });
  }
  flush();
  reportThinking(message.parts, report);
  const answers = message.parts.filter(isToolResult).map((part) => resultOf(message, part, report));
  if (items.length === 0 && answers.length === 0 && message.role !== 'assistant')
    items.push({ role: roleOf(message), content: '' });
  return { items, calls, answers };
}

/** Words and files as one message; none if there are no words and files. Only user messages carry files. */
function contentItem(
  message: Message,
  parts: readonly (TextPart | FilePart)[],
  first: boolean,
  report: Report,
): Item[] {
  const name = first && message.name !== undefined ? `${message.name}: ` : '';
  const role = roleOf(message);
  const files = role === 'user' && parts.some((part) => part.type === 'file');
  if (files) {
    const content = parts.map((part, i) =>
      contentEntry(message, i === 0 ? prefixed(part, name) : part, report),
    );
    return [{ role, content }];
  }
  const text = parts.map(wordsOf).join('\n');
  return text === '' ? [] : [{ role, content: `${name}${text}` }];
}

function prefixed(part: TextPart | FilePart, name: string): TextPart | FilePart {
  return part.type === 'text' ? { ...part, text: `${name}${part.text}` } : part;
}

/** The role on the wire. Words next to results in another format's tool message are sent as the user's. */
const roleOf = ({ role }: Message): string => (role === 'tool' ? 'user' : role);

function contentEntry(message: Message, part: TextPart | FilePart, report: Report): Fields {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const source = sourceOf(message, part);
  const file = source && entryOfFile(source, part, message.wireFormat);
  return file ?? { type: 'input_text', text: reportedFileNote(part, report) };
}

/** A file of another format as an entry of a content list; undefined if this format has no place for it. */
function entryOfFile(
  source: FileSource,
  { name }: FilePart,
  wireFormat: string | undefined,
): Fields | undefined {
  const isImage = source.mediaType.startsWith('image/');
  if (source.kind === 'id') {
    // Only the provider that received an upload knows its id.
    if (wireFormat !== undefined && !wireFormat.startsWith('openai-')) return undefined;
    return isImage
      ? { type: 'input_image', detail: 'auto', file_id: source.id }
      : { type: 'input_file', file_id: source.id };
  }
  const url = urlOf(source);
  if (isImage) return { type: 'input_image', detail: 'auto', image_url: url };
  if (/^(audio|video)\//.test(source.mediaType)) return undefined;
  if (source.kind === 'url') return { type: 'input_file', file_url: url };
  return { type: 'input_file', filename: name ?? 'file', file_data: url };
}

function resultOf(message: Message, part: ToolResultPart, report: Report): DraftResult {
  const plain = part.content.every((inner) => inner.type === 'text');
  const output = plain
    ? part.content.map(wordsOf).join('\n')
    : part.content.map((inner) => contentEntry(message, inner, report));
  return {
    callId: part.callId,
    texts: textsIn(part.content),
    kind: anyCall,
    item: { type: 'function_call_output', call_id: part.callId, output },
  };
}
