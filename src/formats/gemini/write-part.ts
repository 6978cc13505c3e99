import type { Part, ToolCallPart, ToolResultPart } from '../../transcript/index.js';
import { fileNote } from '../conversation/placeholders.js';
import { type Report, REPAIRS } from '../conversation/repairs.js';
import {
  argumentsIn,
  argumentsObject,
  overlay,
  type Fields,
  innerOf,
  isFields,
  isSet,
  isText,
  jsonText,
} from '../record.js';
import { fieldOf, keyOf, type WirePart } from './wire.js';

/**
 * An edited part, written over the part it came from. A call keeps its signature: the server asks for one on every step
 * of the current turn and does not compare it with the arguments. Edited words lose it, because it signs the old words.
 */
export function writePart(part: Part, own: WirePart, report: Report): WirePart {
  switch (part.type) {
    case 'tool-call': {
      const key = keyOf(own, 'functionCall');
      const call = isFields(own[key]) ? own[key] : { name: part.name };
      return { ...own, [key]: { ...call, args: argsOf(part, report) } };
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
      return { text: fileNote(part) };
    case 'opaque':
    case 'marker':
      return own;
  }
}

export function argsOf({ name, arguments: json }: ToolCallPart, report: Report): Fields {
  return argumentsObject(argumentsIn(json), name, report);
}

function writeResponse({ content, isError }: ToolResultPart, own: Fields): Fields {
  const before = isFields(own.response) ? own.response : {};
  const words = content.flatMap((part) => {
    if (part.type === 'text') return [part.text];
    return Array.isArray(part.wire) ? [] : [fileNote(part)];
  });
  const key = isError && typeof before.output !== 'string' ? 'error' : 'output';
  const files = fieldOf(own, 'parts');
  if (!Array.isArray(files)) return { ...own, response: { [key]: words.join('\n') } };
  const { parts: _, ...rest } = own;
  const kept = content.flatMap(({ type, wire }) => (type === 'file' ? (innerOf(files, wire) ?? []) : []));
  return {
    ...rest,
    response: { [key]: words.join('\n') },
    ...(kept.length > 0 ? { parts: kept } : {}),
  };
}

/** Gemini's rule for names of functions. */
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

export function legalName(name: string): string {
  if (NAME.test(name)) return name;
  const plain = name.replace(/[^a-zA-Z0-9_.:-]+/g, '_').slice(0, 63);
  return /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
}

/** The fields with a part's content; a part may have only one of these. */
const CONTENT_FIELDS = ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'] as const;

/** Repairs what the provider refuses in one part, each repair with a notice; the same object if nothing is wrong. */
export function repairPart(part: WirePart, report: Report): readonly WirePart[] {
  const said = CONTENT_FIELDS.filter((name) => fieldOf(part, name) !== undefined);
  if (said.length > 1) {
    report('two-in-a-part', `a part that says ${said.join(' and ')} is sent as ${said.length} parts`);
    const lead = said.includes('functionCall') ? 'functionCall' : said[0];
    return said.flatMap((name) => repairPart(onlyField(part, name, name === lead), report));
  }
  const [name] = said;
  if (name === 'functionCall' || name === 'functionResponse') {
    const body = fieldOf(part, name);
    if (isFields(body))
      return [name === 'functionCall' ? repairCall(part, body, report) : repairResponse(part, body, report)];
    report('not-an-object', `a ${name} that is no object is sent as text`);
    return [{ text: jsonText(body) }];
  }
  if (name === 'inlineData' || name === 'fileData') return [repairFile(part, name, report)];
  if (name === 'text' || hasOtherContent(part)) return [part];
  report('empty-text', 'a part that says nothing is not sent');
  return [];
}

/** One content field of a part that has several; the part's other fields go with the call, otherwise with the first. */
function onlyField(part: WirePart, kept: string, keepsOthers: boolean): WirePart {
  const others = CONTENT_FIELDS.filter((name) => name !== kept).map((name) => keyOf(part, name));
  if (!keepsOthers) return { [keyOf(part, kept)]: fieldOf(part, kept) };
  return Object.fromEntries(Object.entries(part).filter(([key]) => !others.includes(key)));
}

/** Whether a part has any other content: a lone signature or an unknown field. */
function hasOtherContent(part: WirePart): boolean {
  const known: readonly string[] = CONTENT_FIELDS.map((name) => keyOf(part, name));
  return Object.entries(part).some(([key, value]) => !known.includes(key) && isSet(value));
}

function repairCall(part: WirePart, call: Fields, report: Report): WirePart {
  const named = isText(call.name) ? call.name : 'unknown';
  const name = legalName(named);
  const { args } = call;
  if (name !== call.name) report('tool-name', REPAIRS.toolName(named, name));
  const legal = !isSet(args) ? { name } : { name, args: argumentsObject(args, name, report) };
  const sent = overlay(call, legal);
  return sent === call ? part : { ...part, [keyOf(part, 'functionCall')]: sent };
}

/** The response's name is not checked, because the step gives it the name of its call. */
function repairResponse(part: WirePart, own: Fields, report: Report): WirePart {
  const { response } = own;
  if (isFields(response)) return part;
  report('response-not-object', 'a response that is no object is sent under `output`');
  return { ...part, [keyOf(part, 'functionResponse')]: { ...own, response: { output: response ?? '' } } };
}

function repairFile(part: WirePart, field: 'inlineData' | 'fileData', report: Report): WirePart {
  const key = keyOf(part, field);
  const file: Fields = isFields(part[key]) ? part[key] : {};
  const type = fieldOf(file, 'mimeType');
  const source = field === 'inlineData' ? file.data : fieldOf(file, 'fileUri');
  if (!isText(source)) {
    report('file-named', 'a file that holds nothing is named instead');
    return { text: fileNote({ mediaType: isText(type) ? type : 'application/octet-stream', bytes: 0 }) };
  }
  if (isText(type) || field === 'fileData') return part;
  report('file-type', 'a file without a type is sent as application/octet-stream');
  return { ...part, [key]: { ...file, [keyOf(file, 'mimeType')]: 'application/octet-stream' } };
}
