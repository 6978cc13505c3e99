import {
  isToolResult,
  type FilePart,
  type Message,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type ViewMessage,
} from '../../transcript/index.js';
import { alignedParts, createDrafter, reportThinking } from '../conversation/drafts.js';
import type { Drafted, DraftedAnswer, DraftedCall } from '../conversation/pairing.js';
import { fileNote, reportedFileNote } from '../conversation/placeholders.js';
import { textsIn } from '../conversation/reading.js';
import { REPAIRS, type Report } from '../conversation/repairs.js';
import { sourceOf, type FileSource } from '../files.js';
import { isFields, isSet, isText } from '../record.js';
import { type Carried, carriedBy, type Content, fieldOf, partsIn, type WirePart } from './wire.js';
import { argsOf, repairPart, legalName, writePart } from './write-part.js';

/** `id` only if the wire has one. */
export interface DraftCall extends DraftedCall {
  readonly wireName: string;
  readonly id?: string;
}

export interface DraftResult extends DraftedAnswer {
  /** Its words, for use if no call waits for it. */
  readonly texts: readonly string[];
  /** The whole part: `functionResponse` and the fields next to it. */
  readonly wire: WirePart;
  /** Files that have no place in a response; they follow in a user turn. */
  readonly media: readonly WirePart[];
}

/** The form of a single message on the wire. */
interface WireForm {
  /** The turn itself, if it can be sent as the very object that came in. */
  readonly untouched?: Content;
  /** All parts but results. */
  readonly parts: readonly WirePart[];
  /** The indices of these parts in the turn of the results in which they came. */
  readonly places?: readonly number[];
  readonly calls: readonly DraftCall[];
  readonly answers: readonly DraftResult[];
}

/** One view message on the wire; `serialise.ts` decides what depends on its neighbours. */
export interface Draft extends WireForm, Drafted<DraftCall, DraftResult> {
  /** Whether it replaces a span of the log. */
  readonly isReplacement: boolean;
}

export const draftOf = createDrafter<Draft>((shown, report, notices) => {
  const { message, made } = shown;
  const carried = carriedBy(shown);
  const { untouched, ...form } = carried
    ? ownForm(shown, carried, report)
    : { ...foreignForm(message, report), untouched: undefined };
  return {
    ...form,
    ...(untouched && notices.length === 0 && { untouched }),
    hasContent: form.parts.length > 0,
    isReplacement: made !== undefined,
  };
});

function ownForm(shown: ViewMessage, { content, system, places }: Carried, report: Report): WireForm {
  const isEdited = (shown.replaced?.size ?? 0) > 0;
  const original = partsIn(content ?? system);
  if (original.length === 0 && !isEdited)
    report('no-content', 'a turn without parts is sent with words for it');
  const written = alignedParts(shown).flatMap(({ source, shown: parts, replaced }) => {
    const own = original[typeof source.wire === 'number' ? source.wire : 0] ?? {};
    const repaired = (): readonly WirePart[] =>
      system === undefined ? repairPart(own, report) : [asTextPart(own, source, report)];
    const wires = replaced ? parts.map((part) => writePart(part, own, report)) : repaired();
    return wires.map((wire) => ({ wire, part: parts.find(({ type }) => type === typeOf(wire)) }));
  });
  const answers = written.flatMap(({ part, wire }): DraftResult[] =>
    part?.type === 'tool-result'
      ? [{ callId: part.callId, texts: textsIn(part.content), ...mergedResult(part, wire, original, report) }]
      : [],
  );
  const spoken = written.filter(({ wire }) => typeOf(wire) !== 'tool-result');
  const said = spoken.filter(({ wire }) => !isEmptyText(wire));
  if (said.length < spoken.length && !isEdited) report('empty-text', 'a text without words is not sent');
  const isWhole = !isEdited && isFields(content) && isRole(content.role) && areObjects(content.parts);
  return {
    parts: said.map(({ wire }) => wire),
    calls: said.flatMap(({ part, wire }) => (part?.type === 'tool-call' ? callIn(part, wire) : [])),
    answers,
    ...(places && { places }),
    ...(isWhole && { untouched: content }),
  };
}

/** The type of the log part that a wire part with a call or a response is written for. */
function typeOf(wire: WirePart): 'tool-result' | 'tool-call' | undefined {
  if (fieldOf(wire, 'functionResponse') !== undefined) return 'tool-result';
  return fieldOf(wire, 'functionCall') !== undefined ? 'tool-call' : undefined;
}

/** A result as it is sent if its turn is not: words next to its response go into it, files after it. */
function mergedResult(
  part: ToolResultPart,
  wire: WirePart,
  original: readonly WirePart[],
  report: Report,
): Pick<DraftResult, 'wire' | 'media'> {
  const media: WirePart[] = [];
  let words = false;
  for (const { type, wire: at } of part.content) {
    if (typeof at !== 'number' || at === part.wire) continue;
    const [own] = repairPart(original[at] ?? {}, report);
    if (type === 'file' && own) media.push(own);
    if (type !== 'text') continue;
    words = true;
    if (own && isEmptyText(own)) report('empty-text', 'a text without words is not sent');
  }
  return { media, wire: words ? writePart(part, wire, report) : wire };
}

/** Whether a turn's parts are all objects; parts of another type are written anew. */
function areObjects(parts: unknown): boolean {
  return Array.isArray(parts) && parts.length > 0 && parts.every(isFields);
}

/** A part of a system prompt, which carries only words. */
function asTextPart(own: WirePart, source: Part, report: Report): WirePart {
  if (typeof own.text === 'string' || source.type !== 'file') return own;
  report('file-named', 'a file has no place in the system prompt; it is named instead');
  return { text: fileNote(source) };
}

const isRole = (role: unknown): boolean => role === 'user' || role === 'model' || role === 'function';

function callIn(part: ToolCallPart, wire: WirePart): DraftCall {
  const call = fieldOf(wire, 'functionCall');
  const own = isFields(call) ? call : {};
  return {
    callId: part.callId,
    tool: part.name,
    wireName: isText(own.name) ? own.name : part.name,
    ...(isText(own.id) ? { id: own.id } : {}),
  };
}

/** Whether a part is an empty text without a signature, which is refused. */
function isEmptyText(wire: WirePart): boolean {
  return wire.text === '' && Object.values(wire).filter(isSet).length === 1;
}

/**
 * A message that came in another format, or that Spillway made, from its parts alone. Thinking is not sent, and calls
 * carry Google's mark for "not signed", because signatures are valid only for their provider.
 */
function foreignForm(message: Message, report: Report): WireForm {
  const parts: WirePart[] = [];
  const calls: DraftCall[] = [];
  for (const part of message.parts) {
    if (part.type === 'text' && part.text !== '')
      parts.push({ text: prefixed(part, message, parts.length === 0) });
    if (part.type === 'file') parts.push(filePart(message, part, report));
    if (part.type === 'opaque') report('foreign-part', REPAIRS.foreignPart(part.kind, part.bytes));
    if (part.type !== 'tool-call') continue;
    const call = callOf(part, report);
    calls.push(call);
    parts.push(callPart(part, call.wireName, calls.length === 1, report));
  }
  reportThinking(message.parts, report);
  const answers = message.parts.filter(isToolResult).map((part) => resultOf(message, part, report));
  return { parts, calls, answers };
}

/** Turns have no names: the speaker's name precedes the first text. */
function prefixed({ text }: TextPart, { name }: Message, first: boolean): string {
  return first && name !== undefined ? `${name}: ${text}` : text;
}

function filePart(message: Message, part: FilePart, report: Report): WirePart {
  const source = sourceOf(message, part);
  return (source && partOfFile(source)) ?? { text: reportedFileNote(part, report) };
}

function callOf({ callId, name }: ToolCallPart, report: Report): DraftCall {
  const wireName = legalName(name);
  if (wireName !== name) report('tool-name', REPAIRS.toolName(name, wireName));
  return { callId, tool: name, wireName };
}

/**
 * Google's own mark for "this call has no signature of yours": newer models refuse a call without a signature in the
 * current turn. The mark is on calls of another provider's model, on the first of each step, as a signature would be.
 */
const NO_SIGNATURE = 'skip_thought_signature_validator';

function callPart(part: ToolCallPart, wireName: string, first: boolean, report: Report): WirePart {
  const functionCall = { name: wireName, args: argsOf(part, report) };
  return { functionCall, ...(first ? { thoughtSignature: NO_SIGNATURE } : {}) };
}

function resultOf(message: Message, part: ToolResultPart, report: Report): DraftResult {
  const media: WirePart[] = [];
  const words = part.content.map((inner) => {
    if (inner.type === 'text') return inner.text;
    const file = filePart(message, inner, report);
    if (file.text === undefined) media.push(file);
    return fileNote(inner);
  });
  const response = { [part.isError ? 'error' : 'output']: words.join('\n') };
  return {
    callId: part.callId,
    texts: textsIn(part.content),
    media,
    wire: { functionResponse: { name: part.name ?? '', response } },
  };
}

/** A file of another format as a Gemini part; undefined if Gemini has no place for it. */
function partOfFile(source: FileSource): WirePart | undefined {
  const isKnownType = !source.mediaType.includes('*');
  if (source.kind === 'base64' && isKnownType) {
    return { inlineData: { mimeType: source.mediaType, data: source.data } };
  }
  if (source.kind !== 'url') return undefined;
  return { fileData: { fileUri: source.url, ...(isKnownType ? { mimeType: source.mediaType } : {}) } };
}
