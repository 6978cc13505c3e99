import type { Part, ToolResultPart } from '../../transcript/index.js';
import { isFields, type Fields } from '../record.js';
import { jsonIn } from '../conversation/arguments.js';
import { fileNote } from '../conversation/placeholders.js';
import { fieldOf, keyOf, type WirePart } from './wire.js';

/**
 * A part that was edited, over the one it came from. A call keeps its signature: the server asks for it on every step of
 * the current turn and does not compare it with the arguments. Words that were signed lose it: it proves other words.
 */
export function writePart(part: Part, own: WirePart): WirePart {
  switch (part.type) {
    case 'tool-call': {
      const key = keyOf(own, 'functionCall');
      const call = own[key];
      return {
        ...own,
        [key]: { ...(isFields(call) ? call : { name: part.name }), args: argsOf(part.arguments) },
      };
    }
    case 'tool-result': {
      const key = keyOf(own, 'functionResponse');
      return { ...own, [key]: writeResponse(part, isFields(own[key]) ? own[key] : {}) };
    }
    case 'reasoning':
      return { text: part.text, thought: true };
    case 'text':
      return { text: part.text };
    case 'file':
      return { text: fileNote(part.mediaType, part.bytes, part.name) };
    case 'opaque':
    case 'marker':
      return own;
  }
}

/** Arguments are an object here; what is no object goes under one key. */
export function argsOf(json: string): Fields {
  const value = jsonIn(json);
  if (isFields(value)) return value;
  return json.trim() === '' ? {} : { input: value ?? json };
}

function writeResponse({ content, isError }: ToolResultPart, own: Fields): Fields {
  const before = isFields(own.response) ? own.response : {};
  const words = content.flatMap((part) => {
    if (part.type === 'text') return [part.text];
    return Array.isArray(part.wire) ? [] : [fileNote(part.mediaType, part.bytes, part.name)];
  });
  const key = isError && typeof before.output !== 'string' ? 'error' : 'output';
  const files = fieldOf(own, 'parts');
  if (!Array.isArray(files)) return { ...own, response: { [key]: words.join('\n') } };
  const { parts: _, ...rest } = own;
  const kept = content.flatMap((part): unknown[] => {
    const at =
      part.type === 'file' && Array.isArray(part.wire) ? (part.wire as readonly number[])[1] : undefined;
    return at === undefined ? [] : [(files as readonly unknown[])[at]];
  });
  return {
    ...rest,
    response: { [key]: words.join('\n') },
    ...(kept.length > 0 ? { parts: kept } : {}),
  };
}
