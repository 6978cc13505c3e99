import type {
  FilePart,
  FilePlace,
  Message,
  OpaquePart,
  Part,
  Role,
  TextPart,
  ToolResultPart,
} from '../../transcript/index.js';
import { listParser } from '../conversation/reader.js';
import { callIdOf, logMessage, opaquePart } from '../conversation/reading.js';
import { type Report, REPAIRS } from '../conversation/repairs.js';
import { programOf } from '../conversation/server-calls.js';
import { fileAt, isAddress, type Way } from '../files.js';
import { entryOf, asText, type Fields, isFields, isText, jsonText, kindOf, listOf } from '../record.js';
import { callerOf, FORMAT, signatureOf, ROLES, sizeOf, type WireMessage } from './wire.js';

/** Options of `generateText`, parameters of a model call, or a bare list. Messages keep the object they came from. */
export const parser = listParser({
  format: FORMAT,
  allowed: 'a list of ModelMessages, or an object with such a list as `messages` or `prompt`',
  pass: 'ModelMessages',
  field: 'messages',
  open: (body, take) => {
    const tools = toolsIn(body.tools);
    const model = isFields(body.model) ? body.model.modelId : body.model;
    return {
      list: Array.isArray(body.messages) ? body.messages : body.prompt,
      leading: systemMessages(take(body.system, 'system')),
      otherFields: { ...(tools.length > 0 && { tools }), ...(typeof model === 'string' && { model }) },
    };
  },
  idOf: ({ id }) => id,
  // A UIMessage is what a page shows, not what a model is asked; parsed here, it would be empty.
  foreign: ({ content, parts }) =>
    content === undefined && Array.isArray(parts)
      ? 'a UIMessage; convertToModelMessages makes ModelMessages of them'
      : undefined,
  isKnown: ({ role }) => ROLES.has(role),
  messagesOf: ([wire], { id, report }) => [parseMessage(wire, id, report)],
});

/** The field `system`: a text, a message, or a list of messages. */
function systemMessages(system: unknown): Message[] {
  if (system === undefined || system === null) return [];
  const list: readonly unknown[] = Array.isArray(system) ? system : [system];
  return list.map((one, at) => {
    const content = isFields(one) ? one.content : one;
    const text = typeof content === 'string' ? content : jsonText(content);
    const wire = { system: at === 0 ? system : undefined, at };
    const parts: Part[] = text === '' ? [] : [{ type: 'text', text }];
    return logMessage('system', { id: `system${at}`, wire, wireFormat: FORMAT }, parts);
  });
}

function parseMessage(wire: WireMessage, id: string, report: Report): Message {
  const role = ROLES.has(wire.role) ? (wire.role as Role) : undefined;
  const parts = parseContent(wire.content, id, report);
  if (!role) report('unknown-role', REPAIRS.unknownRole(jsonText(wire.role) || 'missing'));
  const own = role === 'assistant' ? markProviderResults(parts, wire) : parts;
  return logMessage(role, { id, wire, wireFormat: FORMAT }, own);
}

/** A result inside the assistant's message is the provider's, unless it answers a client call in the same message. */
function markProviderResults(parts: readonly Part[], wire: WireMessage): Part[] {
  const clientCalls = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])));
  return parts.map((part) => {
    if (part.type !== 'tool-result' || clientCalls.has(part.callId)) return part;
    const at = part.wire as number;
    const bytes = sizeOf(listOf(wire.content)[at]);
    const own = opaquePart('provider-tool-result', undefined, at, ['content', at], bytes);
    return { ...own, answers: part.callId };
  });
}

/** A list as a model gets it, or tools by name as callers of `generateText` pass them. */
function toolsIn(tools: unknown): readonly unknown[] {
  if (Array.isArray(tools)) return tools;
  if (!isFields(tools)) return [];
  return Object.entries(tools).map(([name, tool]) => {
    if (!isFields(tool)) return { name };
    const schema = isFields(tool.inputSchema) ? tool.inputSchema.jsonSchema : undefined;
    return { name, description: tool.description, ...(isFields(schema) && { inputSchema: schema }) };
  });
}

/** A message's content as parts: a string, or a list of typed items. Unknown items are kept whole, as opaque parts. */
function parseContent(content: unknown, at: string, report: Report): Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, wire: 'content' }];
  if (Array.isArray(content)) return content.map((item, index) => parseItem(item, index, at, report));
  report('unknown-content', `content is ${kindOf(content)}; kept as JSON text`);
  return [{ type: 'text', text: jsonText(content), wire: 'content' }];
}

function parseItem(item: unknown, wire: number, at: string, report: Report): Part {
  if (!isFields(item)) {
    report('unknown-part', REPAIRS.unknownPart(wire, `${kindOf(item)}, not an object`));
    return opaque(kindOf(item), item, wire);
  }
  if (item.type === 'text' && typeof item.text === 'string') return { type: 'text', text: item.text, wire };
  if (item.type === 'reasoning' && typeof item.text === 'string') {
    const signature = signatureOf(item);
    return { type: 'reasoning', text: item.text, ...(signature !== undefined && { signature }), wire };
  }
  if (item.type === 'tool-call') return parseCall(item, wire, at, report);
  if (item.type === 'tool-result') return parseResult(item, wire, report);
  const file = fileOf(item, ['content', wire], wire);
  if (file) return file;
  const kind = typeof item.type === 'string' ? item.type : 'part without a type';
  if (kind !== 'custom' && !kind.startsWith('tool-approval-')) {
    report('unknown-part', REPAIRS.unknownPart(wire, `of type ${kind}, which is not known`));
  }
  return opaque(kind, item, wire);
}

/** A call. A call that the provider runs is opaque: kept whole with its result, or removed with its step. */
function parseCall(item: Fields, wire: number, at: string, report: Report): Part {
  const { toolCallId: given } = item;
  if (item.providerExecuted === true)
    return { ...opaque('provider-tool-call', item, wire), ...(isText(given) && { calls: given }) };
  const callId = callIdOf(given, at, wire, report);
  const name = typeof item.toolName === 'string' ? item.toolName : 'unknown';
  return {
    type: 'tool-call',
    callId,
    name,
    arguments: argumentsOf(item.input),
    ...programOf(callerOf(item)),
    wire,
  };
}

/** The input as JSON text; a string is model output that was no JSON. */
export function argumentsOf(input: unknown): string {
  if (input === undefined) return '{}';
  return typeof input === 'string' ? input : jsonText(input);
}

function parseResult(item: Fields, wire: number, report: Report): ToolResultPart {
  const output = isFields(item.output) ? item.output : undefined;
  if (!output)
    report('unknown-content', `the output of a result is ${kindOf(item.output)}; kept as JSON text`);
  const isError =
    output !== undefined && (asText(output.type).startsWith('error-') || output.type === 'execution-denied');
  return {
    type: 'tool-result',
    callId: typeof item.toolCallId === 'string' ? item.toolCallId : `result_${wire}`,
    ...(typeof item.toolName === 'string' && { name: item.toolName }),
    content: output ? parseOutput(output, wire) : [{ type: 'text', text: jsonText(item.output) }],
    ...(isError && { isError }),
    wire,
  };
}

/** The output of a tool, as words and files. */
function parseOutput({ type, value, reason }: Fields, at: number): (TextPart | FilePart)[] {
  if (type === 'execution-denied')
    return [{ type: 'text', text: typeof reason === 'string' ? reason : 'denied' }];
  if (type === 'content') return listOf(value).map((inner, index) => parseInner(inner, [at, index]));
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }];
  return [{ type: 'text', text: jsonText(value) }];
}

function parseInner(inner: unknown, wire: readonly [number, number]): TextPart | FilePart {
  if (isFields(inner) && inner.type === 'text' && typeof inner.text === 'string') {
    return { type: 'text', text: inner.text, wire };
  }
  const place = ['content', wire[0], 'output', 'value', wire[1]];
  const file = isFields(inner) ? fileOf(inner, place, wire) : undefined;
  if (file) return file;
  const name = isFields(inner) && typeof inner.type === 'string' ? { name: inner.type } : {};
  return { type: 'file', mediaType: 'application/octet-stream', bytes: sizeOf(inner), ...name, wire };
}

/** The field in which each type of item has its file: bytes, base64 or an address; or the id of an upload. */
const FILES: Readonly<Record<string, string>> = {
  image: 'image',
  file: 'data',
  'reasoning-file': 'data',
  media: 'data',
  'file-data': 'data',
  'image-data': 'data',
  'file-url': 'url',
  'image-url': 'url',
  'file-id': 'fileId',
  'image-file-id': 'fileId',
};

/** In version 7 the field within `data` tells the kind of content. */
const TAGGED: readonly Way[] = ['bytes data.data', 'address data.url', 'text data.text', 'id data.reference'];

/** The file of an `image` or `file` part, or of such an item in a result; undefined for any other item. */
function fileOf(item: Fields, place: FilePlace['way'], wire: unknown): FilePart | undefined {
  const name = entryOf(FILES, item.type);
  if (name === undefined) return undefined;
  const { [name]: held, mediaType } = item;
  const as = name === 'fileId' ? 'id' : isAddress(held) ? 'address' : 'bytes';
  return fileAt(item, place, [...TAGGED, `${as} ${name}`], {
    wire,
    // Version 7 allows the kind alone: `image`.
    mediaType: typeof mediaType === 'string' && !mediaType.includes('/') ? `${mediaType}/*` : mediaType,
    name: item.filename,
    ...(asText(item.type).startsWith('image') && { fallbackType: 'image/*' }),
  });
}

function opaque(kind: string, item: unknown, wire: number): OpaquePart {
  return opaquePart(kind, item, wire, ['content', wire], sizeOf(item));
}
