import type { Message, Part, ReasoningPart, ToolCallPart, ToolResultPart } from '../../transcript/index.js';
import { isFields, isText, listOf, type Fields } from '../record.js';
import { isContentPart, writeContent } from './content-out.js';
import { LEGACY_CALL, REASONING_DETAILS, REASONING_FIELDS, type WireMessage } from './wire.js';

/**
 * A message written from its parts over the object it came from: fields that no part speaks of, and the order of
 * keys, stay as they were. Tool results are not written here, see `writeResult`.
 */
export function rebuild(message: Message, wire: WireMessage): WireMessage {
  const written = spoken(message.parts, wire);
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(wire)) {
    const value = key in written ? written[key] : wire[key];
    if (value !== undefined) fields[key] = value;
  }
  for (const [key, value] of Object.entries(written)) {
    if (!(key in fields) && value !== undefined) fields[key] = value;
  }
  return fields;
}

/** A message that was in no chat request before: a summary, a notice, or one from another format. */
export function plain(message: Message, parts: readonly Part[]): WireMessage {
  const calls = parts.filter((part) => part.type === 'tool-call');
  // Signed thinking belongs to the provider that signed it and does not travel.
  const reasoning = parts.filter((part) => part.type === 'reasoning' && part.signature === undefined);
  return {
    role: message.role,
    ...(message.name === undefined ? {} : { name: message.name }),
    content: writeContent(parts.filter(isContentPart), undefined),
    ...(reasoning.length > 0 ? { reasoning_content: thinking(reasoning) } : {}),
    ...(calls.length > 0 ? { tool_calls: calls.map((call) => writeCall(call, undefined)) } : {}),
  };
}

/** The tool message of one result; `wire` is the message that it came in. */
export function writeResult(part: ToolResultPart, wire: WireMessage | undefined): WireMessage {
  if (wire) return { ...wire, content: writeContent(part.content, wire.content) };
  return {
    role: 'tool',
    tool_call_id: part.callId,
    content: writeContent(part.content.map(wordsOnly), undefined),
  };
}

/** Tool messages carry words only: a picture from another format is named, not sent. */
function wordsOnly(part: ToolResultPart['content'][number]): ToolResultPart['content'][number] {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { wire: _, ...named } = part;
  return named;
}

/** What the parts say, by field; undefined removes the field. */
function spoken(parts: readonly Part[], wire: WireMessage): Fields {
  const calls = parts.filter((part) => part.type === 'tool-call');
  const listed = calls.filter((call) => call.wire !== LEGACY_CALL);
  const legacy = calls.find((call) => call.wire === LEGACY_CALL);
  const content = parts.filter(isContentPart);
  const refusal = parts.find((part) => part.type === 'text' && part.wire === 'refusal');
  return {
    content: content.length === 0 && wire.content === null ? null : writeContent(content, wire.content),
    ...('refusal' in wire && wire.refusal !== null ? { refusal: refusal && textOfPart(refusal) } : {}),
    ...writeReasoning(parts, wire),
    ...('tool_calls' in wire || listed.length > 0
      ? { tool_calls: listed.length > 0 ? listed.map((call) => writeCall(call, wire)) : undefined }
      : {}),
    ...(LEGACY_CALL in wire ? { [LEGACY_CALL]: legacy && writeLegacy(legacy, wire[LEGACY_CALL]) } : {}),
  };
}

function textOfPart(part: Part): string {
  return part.type === 'text' ? part.text : '';
}

function writeReasoning(parts: readonly Part[], wire: WireMessage): Fields {
  const reasoning = parts.filter((part) => part.type === 'reasoning');
  const fields = REASONING_FIELDS.filter((field) => typeof wire[field] === 'string' && wire[field] !== '');
  const distinct = new Set(fields.map((field) => wire[field]));
  const untouched =
    reasoning.length >= distinct.size &&
    reasoning.every(
      ({ wire: field, text }) => field === REASONING_DETAILS || (isText(field) && wire[field] === text),
    );
  if (untouched) return {};
  const [home = REASONING_FIELDS[0], ...others] = fields;
  const gone = Object.fromEntries([...others, REASONING_DETAILS].map((field) => [field, undefined]));
  return { ...gone, [home]: reasoning.length > 0 ? thinking(reasoning) : undefined };
}

function thinking(parts: readonly Part[]): string {
  return (parts as readonly ReasoningPart[]).map((part) => part.text).join('\n');
}

/** One call: the object it came from where it still says the same, else that object with what changed. */
function writeCall(part: ToolCallPart, wire: WireMessage | undefined): Fields {
  const source = typeof part.wire === 'number' ? listOf(wire?.tool_calls)[part.wire] : undefined;
  if (isFields(source) && isFields(source.custom)) {
    const custom = changed(source.custom, { input: part.arguments });
    return changed(source, { id: part.callId, type: 'custom', custom });
  }
  const known = isFields(source) ? source : {};
  const named = isFields(known.function) ? known.function : {};
  const call = changed(named, { name: part.name, arguments: part.arguments });
  return changed(known, { id: part.callId, type: 'function', function: call });
}

function writeLegacy(part: ToolCallPart, source: unknown): Fields {
  return changed(isFields(source) ? source : {}, { name: part.name, arguments: part.arguments });
}

/** `fields` with these values: itself where nothing differs, key order kept. */
function changed(fields: Fields, values: Fields): Fields {
  return Object.entries(values).every(([key, value]) => fields[key] === value)
    ? fields
    : { ...fields, ...values };
}
