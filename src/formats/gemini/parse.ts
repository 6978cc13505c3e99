import {
  type FilePart,
  type FilePlace,
  type Message,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../transcript/index.js';
import { type PieceContext, listParser, type Take } from '../conversation/reader.js';
import { toolsAndModel, logMessage, opaquePart } from '../conversation/reading.js';
import { type Report, REPAIRS } from '../conversation/repairs.js';
import { asText, type Fields, isFields, isSet, isText, jsonText } from '../record.js';
import {
  type Carried,
  type Content,
  fieldOf,
  FORMAT,
  fileIn,
  keyOf,
  type PartField,
  partsIn,
  type WirePart,
} from './wire.js';

/** A request body or a bare list of contents. Each message keeps the turn it came from, unchanged. */
export const parser = listParser({
  format: FORMAT,
  allowed: 'a list of contents, or an object with such a list as `contents`',
  pass: 'a generateContent request body',
  field: 'contents',
  open: (body, take) => ({
    list: contentsIn(body.contents),
    leading: systemMessage(body, take),
    otherFields: toolsAndModel(body),
  }),
  // An answer that was cut off before its first word has only a role.
  foreign: ({ role, parts, ...more }) =>
    Array.isArray(parts) || (isText(role) && !isSet(parts) && Object.keys(more).length === 0)
      ? undefined
      : 'an object without `parts`',
  messagesOf: ([content], place) => turnOf(content, place),
});

/** The list of turns: a body may have one turn without a list, and a text without a turn. */
function contentsIn(contents: unknown): unknown {
  const isTurn = typeof contents === 'string' || (isFields(contents) && Array.isArray(contents.parts));
  const list = isTurn ? [contents] : contents;
  if (!Array.isArray(list)) return list;
  return list.map((one: unknown) =>
    typeof one === 'string' ? { role: 'user', parts: [{ text: one }] } : one,
  );
}

function systemMessage(body: Fields, take: Take): Message[] {
  const field = keyOf(body, 'systemInstruction');
  const system = take(body[field], field);
  if (system === undefined || system === null) return [];
  const wire: Carried = { system, field };
  const parts = partsIn(system).map((part, index) =>
    parsePart(part, index, { id: 'system', calls: [] }, ['system', 'parts', index]),
  );
  return [logMessage('system', { id: 'system', wire, wireFormat: FORMAT }, parts)];
}

function turnOf(content: Content, { id, past, report }: PieceContext): Message[] {
  const { role = 'user' } = content;
  const waiting = { id, calls: role === 'model' ? [] : past.waitingCalls };
  const parts = partsIn(content);
  const places = role === 'user' ? userPartIndices(parts, report) : [];
  if (places.length === 0) return [messageOf({ content }, id, role, waiting, report)];
  const ofTools = { ...content, parts: parts.filter((_, at) => !places.includes(at)) };
  const ofUser = { ...content, parts: places.map((at) => parts[at]) };
  return [
    messageOf({ content: ofTools }, id, role, waiting, report),
    messageOf({ content: ofUser, places }, `${id}-1`, role, waiting, report),
  ];
}

function messageOf(wire: Carried, id: string, role: unknown, waiting: TurnCalls, report: Report): Message {
  const parsed = partsIn(wire.content).map((part, at) =>
    parsePart(part, at, waiting, ['content', 'parts', at]),
  );
  const parts = role === 'model' ? parsed : mergedIntoResults(parsed);
  for (const part of parts) {
    if (part.type === 'opaque' && !KNOWN.test(part.kind)) {
      report('unknown-part', `a part with ${part.kind} is not known; kept as it is`);
    }
  }
  const isTools = parts.some((part) => part.type === 'tool-result');
  if (!isTools && role !== 'model' && role !== 'user' && role !== 'function')
    report('unknown-role', REPAIRS.unknownRole(asText(role)));
  const ofUser = role === 'user' ? 'user' : undefined;
  const said = role === 'model' ? 'assistant' : isTools ? 'tool' : ofUser;
  return logMessage(said, { id, wire, wireFormat: FORMAT }, parts);
}

/** Parts that the model and its server-side tools make in addition to words and calls. */
const KNOWN = /^(?:executable_?code|code_?execution_?result|tool_?call|tool_?response)$/i;

/**
 * The waiting calls at the start of a turn, and the calls that the turn makes, with ids for calls without one. The wire
 * pairs by name and order: a response without an id answers the first waiting call of its name, otherwise the first.
 */
interface TurnCalls {
  /** The id of the turn's message, from which missing ids are made. */
  readonly id: string;
  readonly calls: ToolCallPart[];
}

function resultId({ id, name }: Fields, index: number, { id: messageId, calls }: TurnCalls): string {
  const at = isText(id)
    ? calls.findIndex(({ callId }) => callId === id)
    : Math.max(
        calls.findIndex((call) => call.name === name),
        0,
      );
  const [found] = at < 0 ? [] : calls.splice(at, 1);
  return found?.callId ?? (isText(id) ? id : `result_${messageId}_${index}`);
}

const field = (part: Fields, name: PartField): unknown => fieldOf(part, name);

/** One part of a turn; an unknown part is kept whole, as an opaque part. */
function parsePart(part: WirePart, index: number, waiting: TurnCalls, place: FilePlace['way']): Part {
  const call = field(part, 'functionCall');
  if (isFields(call)) {
    const { id, name } = call;
    const args = jsonText(call.args ?? {});
    const callId = isText(id) ? id : `call_${waiting.id}_${index}`;
    const tool = isText(name) ? name : 'unknown';
    const made: Part = { type: 'tool-call', callId, name: tool, arguments: args, wire: index };
    waiting.calls.push(made);
    return made;
  }
  const response = field(part, 'functionResponse');
  if (isFields(response)) {
    const within = [...place, keyOf(part, 'functionResponse'), 'parts'];
    return resultPart(response, index, resultId(response, index, waiting), within);
  }
  const file = fileIn(part, place, index);
  if (file) return file;
  if (typeof part.text === 'string') {
    const signature = field(part, 'thoughtSignature');
    if (part.thought !== true) return { type: 'text', text: part.text, wire: index };
    return { type: 'reasoning', text: part.text, ...(isText(signature) ? { signature } : {}), wire: index };
  }
  const kind = Object.keys(part).find((key) => !key.startsWith('thought') && isSet(part[key])) ?? 'part';
  return opaquePart(kind, part, index, place);
}

/** The only words in a response whose tool output follows it. */
const SUCCESS_WORDS = new Set(
  (
    'tool function call execution executed ran succeeded successful successfully success ok okay done complete ' +
    'completed finished went well output outputs result results content provided attached below see follows binary ' +
    'item items the is status true'
  ).split(' '),
);

/**
 * Indices of the user's words in a turn of responses: clients merge turns of one role. A tool's output with several
 * parts has the same shape: a response that reports only success, followed by the text of a file. The author of that
 * file must not speak as the user, so text after such a response is the tool's.
 */
function userPartIndices(parts: readonly WirePart[], report: Report): number[] {
  if (!parts.some((part) => isFields(field(part, 'functionResponse')))) return [];
  const found: number[] = [];
  let speaker: 'tool' | 'user' | undefined;
  for (const [at, part] of parts.entries()) {
    const response = field(part, 'functionResponse');
    if (isFields(response)) speaker = reportsOnlySuccess(wordsOf(response.response)) ? 'tool' : undefined;
    else if (isText(part.text) && part.thought !== true) {
      if (speaker === 'tool') report('words-of-tool', REPAIRS.wordsOfTool);
      else speaker = 'user';
    }
    if (speaker === 'user') found.push(at);
  }
  return found;
}

function reportsOnlySuccess(words: string): boolean {
  return (
    words.length < 100 &&
    words.split(/[^a-z]+/i).every((word) => word.length < 2 || SUCCESS_WORDS.has(word.toLowerCase()))
  );
}

/** The parts of a turn, with words and files after a response moved into that response's result. */
function mergedIntoResults(parts: readonly Part[]): readonly Part[] {
  const whole: Part[] = [];
  const early: (TextPart | FilePart)[] = [];
  for (const part of parts) {
    const last = whole.findLastIndex(({ type }) => type === 'tool-result');
    const result = whole[last];
    if (part.type === 'tool-result') whole.push({ ...part, content: [...early.splice(0), ...part.content] });
    else if (part.type !== 'text' && part.type !== 'file') whole.push(part);
    else if (result?.type === 'tool-result') whole[last] = { ...result, content: [...result.content, part] };
    else early.push(part);
  }
  return early.length > 0 ? parts : whole;
}

function resultPart(
  response: Fields,
  index: number,
  callId: string,
  place: FilePlace['way'],
): ToolResultPart {
  const files = fieldOf(response, 'parts');
  const pictures = (Array.isArray(files) ? files : []).flatMap((part: unknown, at): FilePart[] => {
    const file = isFields(part) && fileIn(part, [...place, at], [index, at]);
    return file ? [file] : [];
  });
  const words = wordsOf(response.response);
  const text: TextPart[] = words === '' ? [] : [{ type: 'text', text: words, wire: index }];
  return {
    type: 'tool-result',
    callId,
    ...(isText(response.name) ? { name: response.name } : {}),
    content: [...text, ...pictures],
    ...(isFields(response.response) && isSet(response.response.error) ? { isError: true } : {}),
    wire: index,
  };
}

/** The output if a response has nothing else, otherwise the whole response as JSON. */
function wordsOf(response: unknown): string {
  if (isFields(response) && Object.keys(response).length === 1 && typeof response.output === 'string') {
    return response.output;
  }
  return response === undefined ? '' : jsonText(response);
}
