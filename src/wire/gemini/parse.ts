import type { Notice } from '../../spi/index.js';
import type { Message } from '../../transcript/index.js';
import { notOfFormat } from '../faults.js';
import { readsLists, type OpenedList, type ParsedPiece, type PieceParser } from '../conversation/reader.js';
import { besideMessages, originOf } from '../conversation/reading.js';
import { isFields, isText, kindOf, type Fields } from '../record.js';
import { pairPart, parsePart, resultsWhole, type Pairing } from './parts.js';
import { FORMAT, partsIn, type Carried, type Content } from './wire.js';
import type { Take } from '../conversation/taken-in.js';
import { reporter, SAID } from '../conversation/repairs.js';

const SHAPE = 'a list of contents, or an object with such a list as `contents`';
const notThisFormat = notOfFormat('gemini', SHAPE, 'a generateContent request body');

/** A request body or a bare list of contents. Each message keeps the turn it came from, untouched. */
export const { parse, createReader } = readsLists(open);

function open(input: unknown, take: Take): OpenedList {
  const body: Fields = isFields(input) ? input : { contents: input };
  const { contents } = body;
  const list: readonly unknown[] | undefined = Array.isArray(contents)
    ? contents
    : typeof contents === 'string' || (isFields(contents) && Array.isArray(contents.parts))
      ? [contents]
      : undefined;
  if (!list) throw notThisFormat('the input', kindOf(input));
  return {
    list,
    before: { messages: systemMessage(body, take), notices: [] },
    beside: besideMessages(body),
    start: () => new ContentParser(),
  };
}

/** Calls of the newest turn of the model, which responses answer. */
class ContentParser implements PieceParser {
  readonly #waiting = new WaitingCalls();

  parse(list: readonly unknown[], index: number): ParsedPiece {
    const notices: Notice[] = [];
    return { messages: [parseContent(list[index], index, this.#waiting, notices)], notices };
  }

  recall(list: readonly unknown[], index: number, _: number, [message]: readonly Message[]): void {
    const pairing = this.#waiting.pairing(message!.id, message!.role === 'assistant');
    partsIn(list[index]).forEach((part, at) => pairPart(part, at, pairing));
  }
}

function systemMessage(body: Fields, take: Take): Message[] {
  const field = body.systemInstruction === undefined ? 'system_instruction' : 'systemInstruction';
  const system = take(body[field], field);
  if (system === undefined || system === null) return [];
  const wire: Carried = { system, field };
  const parts = partsIn(system).map((part, index) => parsePart(part, index, NO_PAIRS));
  return [{ id: 'system', role: 'system', origin: 'system', parts, wireFormat: FORMAT, wire }];
}

const NO_PAIRS: Pairing = {
  callId: (_, index) => `system_${index}`,
  resultId: (_, index) => `system_${index}`,
};

function parseContent(value: unknown, index: number, waiting: WaitingCalls, notices: Notice[]): Message {
  const id = `m${index}`;
  if (typeof value !== 'string' && !(isFields(value) && Array.isArray(value.parts))) {
    throw notThisFormat(`content ${index}`, isFields(value) ? 'an object without `parts`' : kindOf(value));
  }
  const content: Content | string = value;
  const role = typeof content === 'string' ? 'user' : (content.role ?? 'user');
  const isModel = role === 'model';
  const report = reporter(id, notices);
  const pairing = waiting.pairing(id, isModel);
  const parsed = partsIn(content).map((part, at) => parsePart(part, at, pairing));
  const parts = isModel ? parsed : resultsWhole(parsed);
  for (const part of parts) {
    if (part.type === 'opaque' && !KNOWN.has(part.kind)) {
      report('unknown-part', `a part with ${part.kind} is not known; kept as it is`);
    }
  }
  const wire: Carried = { content };
  const about = { id, parts, wireFormat: FORMAT, wire };
  if (isModel) return { ...about, role: 'assistant', origin: 'model' };
  if (parts.some((part) => part.type === 'tool-result')) return { ...about, role: 'tool', origin: 'tool' };
  const isKnownRole = role === 'user' || role === 'function';
  if (!isKnownRole) report('unknown-role', SAID.unknownRole(String(role)));
  return { ...about, role: 'user', origin: role === 'user' ? originOf(parts) : 'synthetic' };
}

/** What the model and its server-side tools make beside words and calls. */
const KNOWN: ReadonlySet<string> = new Set([
  'executableCode',
  'executable_code',
  'codeExecutionResult',
  'code_execution_result',
  'toolCall',
  'tool_call',
  'toolResponse',
  'tool_response',
]);

interface WaitingCall {
  readonly callId: string;
  readonly name: unknown;
  answered: boolean;
}

/** The calls of the newest model turn: a response without an id answers the first that waits, of its name first. */
class WaitingCalls {
  #calls: WaitingCall[] = [];

  pairing(messageId: string, isModel: boolean): Pairing {
    if (isModel) this.#calls = [];
    return {
      callId: (call, index) => {
        const callId = isText(call.id) ? call.id : `call_${messageId}_${index}`;
        this.#calls.push({ callId, name: call.name, answered: false });
        return callId;
      },
      resultId: (response, index) =>
        this.#take(response)?.callId ?? ownOr(response, `result_${messageId}_${index}`),
    };
  }

  #take(response: Fields): WaitingCall | undefined {
    const open = this.#calls.filter(({ answered }) => !answered);
    const found = isText(response.id)
      ? open.find(({ callId }) => callId === response.id)
      : (open.find(({ name }) => name === response.name) ?? open[0]);
    if (found) found.answered = true;
    return found;
  }
}

function ownOr(response: Fields, otherwise: string): string {
  return isText(response.id) ? response.id : otherwise;
}
