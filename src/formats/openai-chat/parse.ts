import { isToolCall, type Message, type Part, type ToolCallPart } from '../../transcript/index.js';
import type { Notice } from '../../spi/index.js';
import { readsLists, type ParsedPiece, type PieceParser } from '../conversation/reader.js';
import { besideMessages, freeId, messageIn } from '../conversation/reading.js';
import { reporter, SAID, type Report } from '../conversation/repairs.js';
import { notOfFormat } from '../faults.js';
import { inWords, isFields, isText, jsonText, kindOf, listOf, type Fields } from '../record.js';
import {
  FORMAT,
  isKnownRole,
  parseContent,
  REASONING_DETAILS,
  REASONING_FIELDS,
  ROLES,
  type WireMessage,
} from './wire.js';

const SHAPE = 'a list of chat messages, or an object with such a list as `messages`';
const notThisFormat = notOfFormat(FORMAT, SHAPE, 'a chat completions request body');

/** A request body or a bare list. Each message keeps the object it came from as `wire`, untouched. */
export const { parse, createReader } = readsLists((input) => {
  const body: Fields = isFields(input) ? input : { messages: input };
  if (!Array.isArray(body.messages)) throw notThisFormat('the input', kindOf(input));
  const list: readonly unknown[] = body.messages;
  return {
    list,
    beside: besideMessages(body),
    start: () => new ChatParser(),
    check: () => {
      if (list.length > 0 && !list.some((wire) => isFields(wire) && isKnownRole(wire.role)))
        throw notThisFormat('the messages', `no known role in any of ${list.length}`);
    },
  };
});

/** Ids that are taken, and the calls of the newest step that wait. */
class ChatParser implements PieceParser {
  readonly #taken = new Set<string>();
  #waiting: ToolCallPart[] = [];

  parse(list: readonly unknown[], index: number): ParsedPiece {
    const wire = list[index];
    if (!isFields(wire)) throw notThisFormat(`message ${index}`, kindOf(wire));
    // `tools` took the place of `functions`, whose calls have no ids: by them no result could be told from another.
    if (wire.role === 'function' || isFields(wire.function_call))
      throw notThisFormat(`message ${index}`, 'a call of `functions`');
    const notices: Notice[] = [];
    const id = freeId(wire.id, index, this.#taken);
    const report = reporter(id, notices);
    const wanted = isText(wire.id) ? wire.id : `m${index}`;
    if (id !== wanted)
      report('duplicate-id', `message ${index} repeats the id ${wanted}; it is called ${id}`);
    const message = messageOf(wire, id, (name) => this.#open(name), report);
    this.#see(message);
    return { messages: [message], notices };
  }

  recall(_: readonly unknown[], __: number, ___: number, [message]: readonly Message[]): void {
    this.#taken.add(message!.id);
    this.#see(message!);
  }

  #see({ role, parts }: Message): void {
    if (role === 'assistant') this.#waiting = parts.filter(isToolCall);
    for (const part of parts) {
      const at =
        part.type === 'tool-result' ? this.#waiting.findIndex(({ callId }) => callId === part.callId) : -1;
      if (at >= 0) this.#waiting.splice(at, 1);
    }
  }

  /**
   * The call that a result without an id answers: by name and order, the only thing order can say, so never across an
   * assistant message.
   */
  #open(name: string | undefined): string | undefined {
    return this.#waiting.find((call) => name === undefined || call.name === name)?.callId;
  }
}

/** The call of the newest step that a result answers which names none. */
type OpenCall = (name: string | undefined) => string | undefined;

function messageOf(wire: WireMessage, id: string, open: OpenCall, report: Report): Message {
  const name = typeof wire.name === 'string' ? { name: wire.name } : {};
  const about = { id, wire, wireFormat: FORMAT, ...name };
  const role = ROLES.get(wire.role);
  const content = parseContent(wire.content, report);
  if (!role) report('unknown-role', SAID.unknownRole(jsonText(wire.role) || 'missing'));
  if (role === 'tool') {
    const callId = callAnswered(wire, id, open, report);
    return messageIn(role, about, [{ type: 'tool-result', callId, ...name, content }]);
  }
  if (role !== 'assistant') return messageIn(role, about, content);
  const calls = callsIn(wire, id, report);
  return messageIn(role, about, [...thinkingIn(wire), ...content, ...refusalIn(wire), ...calls]);
}

function thinkingIn(wire: WireMessage): Part[] {
  // What the providers behind a router signed or sealed, one behind the other.
  const details = listOf(wire[REASONING_DETAILS]).filter(isFields);
  const proof = details.flatMap((one) => [one.signature, one.data].filter(isText)).join('');
  const signed = proof === '' ? {} : { signature: proof };
  // OpenRouter sends the same thinking under both names; counted once, written back under both.
  const fields = REASONING_FIELDS.filter(
    (field, at) =>
      isText(wire[field]) && !REASONING_FIELDS.slice(0, at).some((other) => wire[other] === wire[field]),
  );
  const parts = fields.map((field): Part => ({
    type: 'reasoning',
    text: inWords(wire[field]),
    ...signed,
    wire: field,
  }));
  if (parts.length > 0 || proof === '') return parts;
  return [{ type: 'reasoning', text: '', ...signed, wire: REASONING_DETAILS }];
}

const refusalIn = ({ refusal }: WireMessage): Part[] =>
  isText(refusal) ? [{ type: 'text', text: refusal, wire: 'refusal' }] : [];

/** The calls of an assistant message. Ids that are missing come from the message's position. */
function callsIn(wire: WireMessage, messageId: string, report: Report): ToolCallPart[] {
  return listOf(wire.tool_calls).map((call, index): ToolCallPart => {
    const { id, custom, function: called } = isFields(call) ? call : {};
    const callId = isText(id) ? id : `call_${messageId}_${index}`;
    if (!isText(id)) report('missing-call-id', SAID.noCallId(index, callId));
    const said = isFields(custom) ? saidIn(custom, 'input', report) : saidIn(called, 'arguments', report);
    return { type: 'tool-call', callId, ...said, wire: index };
  });
}

function saidIn(call: unknown, field: string, report: Report): Pick<ToolCallPart, 'name' | 'arguments'> {
  const { name: own, [field]: args } = isFields(call) ? call : ({} as Fields);
  const name = typeof own === 'string' ? own : 'unknown';
  if (typeof args === 'string') return { name, arguments: args };
  report('arguments-not-text', `the arguments of ${name} are ${kindOf(args)}; written as JSON text`);
  return { name, arguments: args === undefined ? '{}' : jsonText(args) };
}

function callAnswered(
  { name, tool_call_id: callId }: WireMessage,
  id: string,
  open: OpenCall,
  report: Report,
): string {
  if (isText(callId)) return callId;
  const found = open(typeof name === 'string' ? name : undefined);
  const answers = found === undefined ? '' : `; by order it answers ${found}`;
  report('missing-result-id', `a result without an id${answers}`);
  return found ?? `result_${id}`;
}
