import type { Notice } from '../../spi/index.js';
import type { FilePart, Message, TextPart, ToolCallPart, ToolResultPart } from '../../transcript/index.js';
import { bytesOf, geminiFilePart } from '../files/index.js';
import { isFields } from '../record.js';
import { jsonIn } from '../conversation/arguments.js';
import { fileNote, MIDWAY_SYSTEM } from '../conversation/placeholders.js';
import type { DraftCall, DraftResult, WireForm } from './wire-form.js';
import { NO_SIGNATURE } from './placeholders.js';
import { takenName } from './repair-parts.js';
import { argsOf } from './edited-parts.js';
import type { WirePart } from './wire.js';
import { reporter, SAID, type Report } from '../conversation/repairs.js';

/**
 * A message that came in another format, or that Spillway made, from its parts alone. Thinking is not sent, and calls
 * carry Google's sign for "not signed": signatures do not travel.
 */
export function foreignDraft(message: Message): WireForm {
  const notices: Notice[] = [];
  const note = reporter(message.id, notices);
  const parts: WirePart[] = [];
  const calls: DraftCall[] = [];
  const answers: DraftResult[] = [];
  for (const part of message.parts) {
    if (part.type === 'text' && part.text !== '')
      parts.push({ text: named(part, message, parts.length === 0) });
    else if (part.type === 'file') parts.push(filePart(message, part));
    else if (part.type === 'tool-call') {
      const call = callOf(part, note);
      calls.push(call);
      parts.push(callPart(part, call.wireName, calls.length === 1, note));
    } else if (part.type === 'tool-result') answers.push(resultOf(message, part));
    else if (part.type === 'opaque') {
      note('foreign-part', SAID.foreignPart(part.kind, part.bytes));
    }
  }
  const unsigned = message.parts.some(
    (part) => part.type === 'reasoning' && part.signature === undefined && part.text,
  );
  if (unsigned) note('foreign-reasoning', SAID.foreignReasoning);
  return { parts, calls, answers, notices };
}

/** Turns carry no names: whoever speaks under one says it first. */
function named({ text }: TextPart, { name }: Message, first: boolean): string {
  return first && name !== undefined ? `${name}: ${text}` : text;
}

export function midwaySystem(parts: readonly WirePart[]): readonly WirePart[] {
  return [{ text: MIDWAY_SYSTEM }, ...parts];
}

function filePart(message: Message, part: FilePart): WirePart {
  const source = bytesOf(message, part);
  return (source && geminiFilePart(source)) ?? { text: fileNote(part.mediaType, part.bytes, part.name) };
}

function callOf({ callId, name }: ToolCallPart, note: Report): DraftCall {
  const wireName = takenName(name);
  if (wireName !== name) note('tool-name', SAID.toolName(name, wireName));
  return { callId, tool: name, wireName };
}

function callPart(
  { arguments: json, name }: ToolCallPart,
  wireName: string,
  first: boolean,
  note: Report,
): WirePart {
  const args = argsOf(json);
  if (json.trim() !== '' && !isFields(jsonIn(json))) {
    note('arguments-not-json', `the arguments of ${name} are no JSON object; sent as text under \`input\``);
  }
  return { functionCall: { name: wireName, args }, ...(first ? { thoughtSignature: NO_SIGNATURE } : {}) };
}

function resultOf(message: Message, part: ToolResultPart): DraftResult {
  const media: WirePart[] = [];
  const words = part.content.map((inner) => {
    if (inner.type === 'text') return inner.text;
    const file = filePart(message, inner);
    if (file.text === undefined) media.push(file);
    return fileNote(inner.mediaType, inner.bytes, inner.name);
  });
  const response = { [part.isError ? 'error' : 'output']: words.join('\n') };
  return {
    callId: part.callId,
    part,
    media,
    wire: { functionResponse: { name: part.name ?? '', response } },
  };
}
