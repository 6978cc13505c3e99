import {
  type FilePart,
  type Message,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  writeJson,
} from '../../transcript/index.js';
import { reportedFileNote } from '../conversation/placeholders.js';
import { type Report, REPAIRS } from '../conversation/repairs.js';
import { sourceOf, type FileSource } from '../files.js';
import { textOf } from '../conversation/reading.js';
import {
  argumentsIn,
  argumentsObject,
  overlay,
  type Fields,
  fieldsOf,
  innerOf,
  isFields,
  listOf,
  originalIfSame,
} from '../record.js';
import { argumentsOf } from './parse.js';
import { hasItemId } from './wire.js';

/**
 * One part as an item of a message's content: the very object it came from (`from`) if the content is the same.
 * Undefined if the format has no place for it. Results and answers are not written here.
 */
export function writeItem(part: Part, from: unknown, message: Message, report: Report): Fields | undefined {
  switch (part.type) {
    case 'text':
      return isFields(from) && from.type === 'text' && from.text === part.text
        ? from
        : { type: 'text', text: part.text };
    case 'reasoning':
      if (isFields(from) && from.type === 'reasoning' && from.text === part.text) return from;
      // Signed thinking is valid only for the provider that signed it.
      return part.signature === undefined || isFields(from)
        ? { type: 'reasoning', text: part.text }
        : undefined;
    case 'file':
      return isFields(from) ? from : writeFile(part, message, report);
    case 'tool-call':
      return writeCall(part, isFields(from) ? from : undefined, report);
    case 'opaque': {
      if (isFields(from)) return from;
      report('foreign-part', REPAIRS.foreignPart(part.kind, part.bytes));
      return undefined;
    }
    default:
      return undefined;
  }
}

function writeFile(part: FilePart, message: Message, report: Report): Fields {
  const source = sourceOf(message, part);
  const item = source && partOfFile(source, part);
  return item ?? { type: 'text', text: reportedFileNote(part, report) };
}

function writeCall(part: ToolCallPart, from: Fields | undefined, report: Report): Fields {
  const { callId, name } = part;
  const same = from && from.toolCallId === callId && argumentsOf(from.input) === part.arguments;
  const input = same ? from.input : argumentsIn(part.arguments);
  // The input of a custom tool of OpenAI's is a text.
  const isText = typeof input === 'string' && hasItemId(from ?? {});
  const legal = isText ? input : argumentsObject(input, name, report);
  return overlay(from ?? {}, { type: 'tool-call', toolCallId: callId, toolName: name, input: legal });
}

/** One result as an item of a tool message. */
export function writeResult(part: ToolResultPart, from: unknown, message: Message, report: Report): Fields {
  const frame = fieldsOf(from);
  const output = writeOutput(part, isFields(frame.output) ? frame.output : undefined, message, report);
  const toolName = frame.toolName ?? part.name ?? 'unknown';
  return overlay(frame, { type: 'tool-result', toolCallId: part.callId, toolName, output });
}

function writeOutput(
  part: ToolResultPart,
  from: Fields | undefined,
  message: Message,
  report: Report,
): Fields {
  const { content } = part;
  const items = content.map((inner) => writeInner(inner, from, message, report));
  if (from?.type === 'content') return overlay(from, { value: originalIfSame(items, from.value) });
  const hasFile = content.some(({ type }) => type === 'file');
  const text = textOf(content);
  if (from && !hasFile) {
    if (hasSameText(from, text)) return from;
    const value = from.type === 'json' && isFields(from.value) ? withText(from.value, text) : undefined;
    if (value) return { ...from, value };
    const { value: _, reason: __, ...frame } = from;
    return { ...frame, type: part.isError ? 'error-text' : 'text', value: text };
  }
  if (hasFile) return { type: 'content', value: items };
  return { type: part.isError ? 'error-text' : 'text', value: text };
}

/**
 * The output of an OpenAI tool (`local_shell` and `apply_patch` a text, `shell` a list) with other words in the place
 * that its schema has for them: any other shape would be sent as a function's result. Undefined for other tools.
 */
function withText(value: Fields, text: string): Fields | undefined {
  const { output, status, ...others } = value;
  if (Object.keys(others).length > 0) return undefined;
  const { stdout, outcome } = fieldsOf(listOf(output).at(-1));
  if (typeof stdout === 'string') return { ...value, output: [{ stdout: text, stderr: '', outcome }] };
  const isPatch = status === 'completed' || status === 'failed';
  return typeof output === 'string' || isPatch ? { ...value, output: text } : undefined;
}

function hasSameText({ type, value, reason }: Fields, text: string): boolean {
  if (type === 'execution-denied') return text === (typeof reason === 'string' ? reason : 'denied');
  return text === (typeof value === 'string' ? value : writeJson(value));
}

function writeInner(
  inner: TextPart | FilePart,
  from: Fields | undefined,
  message: Message,
  report: Report,
): unknown {
  const source = innerOf(from?.value, inner.wire);
  if (inner.type === 'text') {
    return isFields(source) && source.text === inner.text ? source : { type: 'text', text: inner.text };
  }
  if (isFields(source)) return source;
  const bytes = sourceOf(message, inner);
  const item = bytes && innerOfFile(bytes, inner);
  return item ?? { type: 'text', text: reportedFileNote(inner, report) };
}

/** The content of a result as parts of a user message. Files that cannot be sent were reported with the result. */
export function resultAsItems(part: ToolResultPart, message: Message): Fields[] {
  return part.content.map((inner): Fields => {
    return inner.type === 'text'
      ? { type: 'text', text: inner.text }
      : writeFile(inner, message, () => undefined);
  });
}

/** A file of another format as a part of a message; undefined if only the provider that received the upload has it. */
function partOfFile(source: FileSource, { name }: FilePart): Fields | undefined {
  if (source.kind === 'id') return undefined;
  const { mediaType } = source;
  const data = source.kind === 'url' ? addressOf(source.url) : source.data;
  if (data === undefined) return undefined;
  return { type: 'file', data, mediaType, ...(name !== undefined && { filename: name }) };
}

/** As `partOfFile`, for the content of a result. */
function innerOfFile(source: FileSource, { name }: FilePart): Fields | undefined {
  if (source.kind === 'id') return undefined;
  const { mediaType } = source;
  const isImage = mediaType.startsWith('image/');
  if (source.kind === 'url') {
    if (!addressOf(source.url)) return undefined;
    return isImage
      ? { type: 'image-url', url: source.url }
      : { type: 'file-url', url: source.url, mediaType };
  }
  const filename = name === undefined ? {} : { filename: name };
  return isImage
    ? { type: 'image-data', data: source.data, mediaType }
    : { type: 'file-data', data: source.data, mediaType, ...filename };
}

const addressOf = (url: string): URL | undefined => (URL.canParse(url) ? new URL(url) : undefined);
