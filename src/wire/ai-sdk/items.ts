import type { FilePart, Part, TextPart, ToolResultPart } from '../../transcript/index.js';
import { fileOfItem } from '../files/index.js';
import { isFields, jsonText, kindOf, listOf, type Fields } from '../record.js';
import { proofOf, sizeOf } from './wire.js';
import { opaquePart } from '../conversation/reading.js';
import { SAID, type Report } from '../conversation/repairs.js';

/** Content of a message as parts: a string, or a list of typed items. What is not understood stays whole, opaque. */
export function parseContent(content: unknown, at: string, report: Report): Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, wire: 'content' }];
  if (Array.isArray(content)) return content.map((item, index) => parseItem(item, index, at, report));
  report('unknown-content', `content is ${kindOf(content)}; kept as JSON text`);
  return [{ type: 'text', text: jsonText(content), wire: 'content' }];
}

function parseItem(item: unknown, wire: number, at: string, report: Report): Part {
  if (!isFields(item)) {
    report('unknown-part', SAID.unknownPart(wire, `${kindOf(item)}, not an object`));
    return opaque(kindOf(item), item, wire);
  }
  if (item.type === 'text' && typeof item.text === 'string') return { type: 'text', text: item.text, wire };
  if (item.type === 'reasoning' && typeof item.text === 'string') {
    const signature = proofOf(item);
    return { type: 'reasoning', text: item.text, ...(signature !== undefined && { signature }), wire };
  }
  if (item.type === 'tool-call') return parseCall(item, wire, at, report);
  if (item.type === 'tool-result') return parseResult(item, wire, report);
  const file = fileOfItem(item, wire);
  if (file) return file;
  const kind = typeof item.type === 'string' ? item.type : 'part without a type';
  if (!kind.startsWith('tool-approval-')) {
    report('unknown-part', SAID.unknownPart(wire, `of type ${kind}, which is not known`));
  }
  return opaque(kind, item, wire);
}

/** What a provider runs itself is its own: kept whole, with its result, or gone with its step. */
function parseCall(item: Fields, wire: number, at: string, report: Report): Part {
  if (item.providerExecuted === true) return opaque('provider-tool-call', item, wire);
  const given = typeof item.toolCallId === 'string' && item.toolCallId !== '' ? item.toolCallId : undefined;
  const callId = given ?? `call_${at}_${wire}`;
  if (!given) report('missing-call-id', SAID.noCallId(wire, callId));
  const name = typeof item.toolName === 'string' ? item.toolName : 'unknown';
  return { type: 'tool-call', callId, name, arguments: argumentsOf(item.input), wire };
}

/** The input as JSON text; a string is what a model wrote that was no JSON. */
export function argumentsOf(input: unknown): string {
  if (input === undefined) return '{}';
  return typeof input === 'string' ? input : jsonText(input);
}

function parseResult(item: Fields, wire: number, report: Report): ToolResultPart {
  const output = isFields(item.output) ? item.output : undefined;
  if (!output)
    report('unknown-content', `the output of a result is ${kindOf(item.output)}; kept as JSON text`);
  const isError =
    output !== undefined && (String(output.type).startsWith('error-') || output.type === 'execution-denied');
  return {
    type: 'tool-result',
    callId: typeof item.toolCallId === 'string' ? item.toolCallId : `result_${wire}`,
    ...(typeof item.toolName === 'string' && { name: item.toolName }),
    content: output ? parseOutput(output, wire) : [{ type: 'text', text: jsonText(item.output) }],
    ...(isError && { isError }),
    wire,
  };
}

/** What a tool gave back, as words and files. */
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
  const file = isFields(inner) ? fileOfItem(inner, wire) : undefined;
  if (file) return file;
  const name = isFields(inner) && typeof inner.type === 'string' ? { name: inner.type } : {};
  return { type: 'file', mediaType: 'application/octet-stream', bytes: sizeOf(inner), ...name, wire };
}

function opaque(kind: string, item: unknown, wire: number): Part {
  return opaquePart(kind, item, wire, sizeOf(item));
}
