import type { FilePart, Part, TextPart, ToolResultPart } from '../../transcript/index.js';
import { isFields, isText, jsonText, type Fields } from '../record.js';
import { opaquePart } from '../conversation/reading.js';
import { fieldOf, type PartField, type WirePart } from './wire.js';

/** Gives ids to calls that have none, and pairs results without one: the wire pairs by name and order. */
export interface Pairing {
  callId(part: Fields, index: number): string;
  resultId(response: Fields, index: number): string;
}

const field = (part: Fields, name: PartField): unknown => fieldOf(part, name);

/** One part of a turn; what is not known stays whole, as an opaque part. */
export function parsePart(part: WirePart, index: number, pairing: Pairing): Part {
  const call = field(part, 'functionCall');
  if (isFields(call)) {
    return {
      type: 'tool-call',
      callId: pairing.callId(call, index),
      name: isText(call.name) ? call.name : 'unknown',
      arguments: jsonText(call.args ?? {}),
      wire: index,
    };
  }
  const response = field(part, 'functionResponse');
  if (isFields(response)) return resultPart(response, index, pairing.resultId(response, index));
  const file = fileIn(part);
  if (file) return { ...file, wire: index };
  if (typeof part.text === 'string') {
    const signature = field(part, 'thoughtSignature');
    if (part.thought !== true) return { type: 'text', text: part.text, wire: index };
    return { type: 'reasoning', text: part.text, ...(isText(signature) ? { signature } : {}), wire: index };
  }
  const kind = Object.keys(part).find((key) => !key.startsWith('thought')) ?? 'part';
  return opaquePart(kind, part, index);
}

/**
 * Parts of a turn in which words and files beside a response belong to it. That is how the output of a tool travels that
 * has several parts: a response that says no more than that it went well, and the text of a file beside it. What anyone
 * may have written who wrote that file is not the user's word.
 */
export function resultsWhole(parts: readonly Part[]): readonly Part[] {
  const first = parts.findIndex(({ type }) => type === 'tool-result');
  if (first < 0) return parts;
  const whole: Part[] = [];
  let early: (TextPart | FilePart)[] = [];
  for (const part of parts) {
    const last = whole.findLastIndex(({ type }) => type === 'tool-result');
    const result = whole[last];
    if (part.type === 'tool-result') {
      whole.push({ ...part, content: [...early, ...part.content] });
      early = [];
    } else if (part.type !== 'text' && part.type !== 'file') whole.push(part);
    else if (result?.type === 'tool-result') whole[last] = { ...result, content: [...result.content, part] };
    else early.push(part);
  }
  return whole;
}

/** Takes a part that was parsed before into the pairing, as `parsePart` does. */
export function pairPart(part: WirePart, index: number, pairing: Pairing): void {
  const call = field(part, 'functionCall');
  if (isFields(call)) return void pairing.callId(call, index);
  const response = field(part, 'functionResponse');
  if (isFields(response)) pairing.resultId(response, index);
}

function resultPart(response: Fields, index: number, callId: string): ToolResultPart {
  const files = fieldOf(response, 'parts');
  const pictures = (Array.isArray(files) ? files : []).flatMap((part: unknown, at): FilePart[] => {
    const file = isFields(part) && fileIn(part);
    return file ? [{ ...file, wire: [index, at] }] : [];
  });
  const words = wordsOf(response.response);
  const text: TextPart[] = words === '' ? [] : [{ type: 'text', text: words, wire: index }];
  return {
    type: 'tool-result',
    callId,
    ...(isText(response.name) ? { name: response.name } : {}),
    content: [...text, ...pictures],
    ...(isFields(response.response) && response.response.error !== undefined ? { isError: true } : {}),
    wire: index,
  };
}

/** The output where a response holds nothing else, otherwise the whole of it as JSON. */
function wordsOf(response: unknown): string {
  if (isFields(response) && Object.keys(response).length === 1 && typeof response.output === 'string') {
    return response.output;
  }
  return response === undefined ? '' : jsonText(response);
}

/** Pictures and files: inline bytes, or an address. */
function fileIn(part: Fields): FilePart | undefined {
  const inline = fieldOf(part, 'inlineData');
  const linked = fieldOf(part, 'fileData');
  const source = isFields(inline) ? inline : isFields(linked) ? linked : undefined;
  if (!source) return undefined;
  const type = fieldOf(source, 'mimeType');
  const data = isFields(inline) ? source.data : fieldOf(source, 'fileUri');
  const name = fieldOf(source, 'displayName');
  return {
    type: 'file',
    mediaType: isText(type) ? type : 'application/octet-stream',
    bytes: typeof data === 'string' ? data.length : 0,
    ...(isText(name) ? { name } : {}),
  };
}
