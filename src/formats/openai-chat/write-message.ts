import {
  isToolCall,
  type FilePart,
  type Message,
  type Part,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../transcript/index.js';
import { fileNote, reportedFileNote } from '../conversation/placeholders.js';
import { REPAIRS, type Report } from '../conversation/repairs.js';
import { sourceOf, urlOf, wordsIn, type FileSource } from '../files.js';
import { overlay, fieldsOf, isFields, isText, itemAt, listOf, withFields, type Fields } from '../record.js';
import { REASONING_DETAILS, REASONING_FIELDS, textIn, type WireMessage } from './wire.js';

/** A message without another format's objects: files in chat's form; content without a place in chat is named. */
export function adapted(message: Message, report: Report): Message {
  const parts = message.parts.flatMap((part): Part[] => {
    const { wire: _, ...own } = part;
    if (part.type === 'opaque') {
      report('foreign-part', REPAIRS.foreignPart(part.kind, part.bytes));
      return [];
    }
    if (part.type === 'tool-result')
      return [
        { ...(own as typeof part), content: part.content.map((one) => resultText(message, one, report)) },
      ];
    if (part.type !== 'file') return [own as Part];
    // Only user messages may carry files.
    const source = message.role === 'assistant' ? undefined : sourceOf(message, part);
    const wire = source && filePart(source, part);
    return [wire ? { ...part, wire } : { type: 'text', text: reportedFileNote(part, report) }];
  });
  const { wire: _, ...own } = message;
  return { ...own, parts };
}

/** A part of a result as text, because chat results have only text: a text file becomes its own text. */
function resultText(message: Message, part: TextPart | FilePart, report: Report): TextPart {
  const text = part.type === 'text' ? part.text : wordsIn(message, part) || reportedFileNote(part, report);
  return { type: 'text', text };
}

/** A file of another format as chat's content part; undefined if chat has no place for it. */
function filePart(source: FileSource, { name }: FilePart): Fields | undefined {
  const { kind, mediaType } = source;
  const url = urlOf(source);
  if (url === undefined) return undefined;
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  if (kind !== 'base64') return undefined;
  if (/^audio\/(wav|mp3)$/.test(mediaType))
    return {
      type: 'input_audio',
      input_audio: { data: source.data, format: mediaType.slice('audio/'.length) },
    };
  return { type: 'file', file: { ...(name !== undefined && { filename: name }), file_data: url } };
}

/** A message that was in no chat request before: a summary, a notice, or a message from another format. */
export function newMessage({ role, name, parts }: Message): WireMessage {
  // Signed thinking is valid only for the provider that signed it.
  const sent = parts.filter((part) => part.type !== 'reasoning' || part.signature === undefined);
  return rebuild(sent, { role, ...(name !== undefined && { name }) });
}

/**
 * A message written from its parts over the object it came from: fields that no part represents, and the order of keys,
 * stay as they were. `writeResult` writes tool results.
 */
export function rebuild(parts: readonly Part[], wire: WireMessage): WireMessage {
  const calls = parts.filter(isToolCall);
  const content = parts.filter(isContentPart);
  const refusal = parts.find((part) => part.type === 'text' && part.wire === 'refusal') as
    TextPart | undefined;
  return withFields(wire, {
    content: content.length === 0 && wire.content === null ? null : writeContent(content, wire.content),
    ...('refusal' in wire && wire.refusal !== null && { refusal: refusal?.text }),
    ...writeReasoning(parts, wire),
    ...(('tool_calls' in wire || calls.length > 0) && {
      tool_calls: calls.length > 0 ? calls.map((call) => writeCall(call, wire)) : undefined,
    }),
  });
}

/** The tool message of one result; `wire` is the message that it came in. */
export function writeResult({ callId, content }: ToolResultPart, wire: WireMessage | undefined): WireMessage {
  if (wire) return { ...wire, content: writeContent(content, wire.content) };
  const bare = content.map(({ wire: _, ...part }) => part as TextPart | FilePart);
  return { role: 'tool', tool_call_id: callId, content: writeContent(bare, undefined) };
}

/** Whether a part belongs in a message's `content`; a refusal that came from its own field does not. */
export function isContentPart(part: Part): part is TextPart | FilePart {
  return (part.type === 'text' && part.wire !== 'refusal') || part.type === 'file';
}

/**
 * Parts as content: each unchanged part as the very object it came from; `original` is the content that the parts were
 * parsed from. A string stays a string unless the parts include a file.
 */
export function writeContent(
  parts: readonly (TextPart | FilePart)[],
  original: unknown,
): string | readonly unknown[] {
  const written = parts.map((part) => {
    const source: unknown = typeof part.wire === 'number' ? listOf(original)[part.wire] : part.wire;
    const isUnchanged =
      part.type === 'file' ? isFields(source) : source === part.text || isTextOf(source, part.text);
    return isUnchanged ? { source } : { text: part.type === 'text' ? part.text : fileNote(part) };
  });
  if (!Array.isArray(original) && written.every(({ text }) => text !== undefined))
    return written.map(({ text }) => text).join('\n');
  return written.map(({ source, text }) => (text === undefined ? source : { type: 'text', text }));
}

const isTextOf = (source: unknown, text: string): boolean =>
  isFields(source) && (textIn(source) ?? source.text) === text;

function writeReasoning(parts: readonly Part[], wire: WireMessage): Fields {
  const reasoning = parts.filter((part) => part.type === 'reasoning');
  const fields = REASONING_FIELDS.filter((field) => isText(wire[field]));
  const isUntouched =
    reasoning.length >= new Set(fields.map((field) => wire[field])).size &&
    reasoning.every(({ wire: at, text }) => at === REASONING_DETAILS || (isText(at) && wire[at] === text));
  if (isUntouched) return {};
  const [home = REASONING_FIELDS[0], ...others] = fields;
  const removed = Object.fromEntries([...others, REASONING_DETAILS].map((field) => [field, undefined]));
  return { ...removed, [home]: reasoning.length > 0 ? wordsOf(reasoning) : undefined };
}

function wordsOf(parts: readonly Part[]): string {
  return (parts as readonly ReasoningPart[]).map(({ text }) => text).join('\n');
}

/** One call: the object it came from if the call is the same, otherwise that object with the changes. */
function writeCall(part: ToolCallPart, wire: WireMessage | undefined): Fields {
  const source = itemAt(wire?.tool_calls, part.wire) ?? {};
  const { callId: id } = part;
  if (isFields(source.custom))
    return overlay(source, { id, type: 'custom', custom: overlay(source.custom, { input: part.arguments }) });
  const { name, arguments: args } = part;
  const called = overlay(fieldsOf(source.function), { name, arguments: args });
  return overlay(source, { id, type: 'function', function: called });
}
