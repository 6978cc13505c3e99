import type { Notice } from '../../spi/index.js';
import type { Message, Part, ToolCallPart } from '../../transcript/index.js';
import { notOfFormat } from '../faults.js';
import { readsLists, type OpenedList, type ParsedPiece, type PieceParser } from '../conversation/reader.js';
import { besideMessages, freeId, opaquePart, originOf } from '../conversation/reading.js';
import { isFields, jsonText, kindOf, listOf, type Fields } from '../record.js';
import { parseContent, parseResultContent } from './blocks.js';
import { copyOfMessage, FORMAT, isTwin, LEGACY_CALL, see, type Seen } from './wire.js';
import { reporter, SAID, type Report } from '../conversation/repairs.js';

const SHAPE = 'a list of LangChain messages, or an object with such a list as `messages`';
const notThisFormat = notOfFormat('langchain', SHAPE, 'LangChain messages');
const TYPES: ReadonlySet<string> = new Set(['human', 'ai', 'system', 'tool', 'function']);

/** State or input with `messages`, or a bare list. Messages keep the object they came from. */
export const { parse, createReader } = readsLists(open);

function open(input: unknown): OpenedList {
  const body: Fields = isFields(input) ? input : { messages: input };
  if (!Array.isArray(body.messages)) throw notThisFormat('the input', kindOf(input));
  const list: readonly unknown[] = body.messages;
  return {
    list,
    beside: besideMessages(body),
    instance: copyOfMessage,
    start: () => new LangChainParser(),
    check: () => {
      if (list.length > 0 && !list.some((wire) => isFields(wire) && TYPES.has(see(wire).type))) {
        throw notThisFormat('the messages', `no known type in any of ${list.length}`);
      }
    },
  };
}

class LangChainParser implements PieceParser {
  readonly #taken = new Set<string>();
  /** The `function_call` of the newest answer: it has no id, and a function message answers it by its place. */
  #legacy: string | undefined;

  parse(list: readonly unknown[], index: number): ParsedPiece {
    const wire = list[index];
    if (!isFields(wire)) throw notThisFormat(`message ${index}`, kindOf(wire));
    const seen = see(wire);
    const id = freeId(seen.fields.id, index, this.#taken);
    const notices: Notice[] = [];
    const report = reporter(id, notices);
    const message = parseMessage(wire, seen, id, this.#legacy, report);
    this.#see(message);
    return { messages: [message], notices };
  }

  recall(_: readonly unknown[], __: number, ___: number, [message]: readonly Message[]): void {
    this.#taken.add(message!.id);
    this.#see(message!);
  }

  #see({ role, parts }: Message): void {
    const call = parts.find((part) => part.type === 'tool-call' && part.wire === LEGACY_CALL);
    if (role === 'assistant') this.#legacy = call?.type === 'tool-call' ? call.callId : undefined;
    if (parts.some((part) => part.type === 'tool-result' && part.callId === this.#legacy))
      this.#legacy = undefined;
  }
}

function parseMessage(
  wire: Fields,
  { type, fields }: Seen,
  id: string,
  legacy: string | undefined,
  report: Report,
): Message {
  const name =
    typeof fields.name === 'string' && type !== 'tool' && type !== 'function' ? { name: fields.name } : {};
  const about = { id, wire, wireFormat: FORMAT, ...name };
  switch (type) {
    case 'system':
      return { ...about, role: 'system', origin: 'system', parts: parseContent(fields.content, report) };
    case 'ai':
      return { ...about, role: 'assistant', origin: 'model', parts: assistantParts(fields, id, report) };
    case 'tool':
      return { ...about, role: 'tool', origin: 'tool', parts: [resultPart(fields, id, undefined, report)] };
    case 'function':
      return { ...about, role: 'tool', origin: 'tool', parts: [resultPart(fields, id, legacy, report)] };
    case 'human': {
      const parts = parseContent(fields.content, report);
      return { ...about, role: 'user', origin: originOf(parts), parts };
    }
    default:
      report('unknown-role', `type ${type || 'missing'} is not known; read as a program's words`);
      return { ...about, role: 'user', origin: 'synthetic', parts: parseContent(fields.content, report) };
  }
}

function assistantParts(fields: Fields, id: string, report: Report): Part[] {
  const { reasoning_content: thinking } = isFields(fields.additional_kwargs) ? fields.additional_kwargs : {};
  const thought: Part[] =
    typeof thinking === 'string' && thinking !== ''
      ? [{ type: 'reasoning', text: thinking, wire: 'reasoning_content' }]
      : [];
  const calls = callsOf(fields, id, report);
  const known = new Set(calls.map(({ callId }) => callId));
  const invalid = listOf(fields.invalid_tool_calls).filter(
    (call) => !isFields(call) || !known.has(String(call.id)),
  );
  const broken = invalid.map((call) => opaquePart('invalid_tool_call', call, 'invalid'));
  return [...thought, ...parseContent(fields.content, report), ...calls, ...broken];
}

/** Calls as LangChain parsed them; where it has none, as the provider wrote them, in the answer or in its content. */
function callsOf(fields: Fields, id: string, report: Report): ToolCallPart[] {
  const parsed = listOf(fields.tool_calls).map((call, wire) => {
    const { id: own, name, args } = isFields(call) ? call : {};
    return callPart(own, name, args, id, wire, report);
  });
  const { tool_calls: raw, function_call: legacy } = isFields(fields.additional_kwargs)
    ? fields.additional_kwargs
    : {};
  if (parsed.length === 0) {
    listOf(raw).forEach((call, wire) => {
      const { id: own, function: named } = isFields(call) ? call : {};
      const { name, arguments: args } = isFields(named) ? named : {};
      parsed.push(callPart(own, name, args, id, wire, report));
    });
    if (parsed.length === 0 && isFields(legacy)) {
      const part = callPart(`call_${id}`, legacy.name, legacy.arguments, id, 0, report);
      parsed.push({ ...part, wire: LEGACY_CALL });
    }
  }
  const known = new Set(parsed.map(({ callId }) => callId));
  for (const block of listOf(fields.content)) {
    if (!isTwin(block) || typeof block.id !== 'string' || block.id === '' || known.has(block.id)) continue;
    report(
      'unlisted-call',
      `call ${block.id} stands in the content alone; sent among the message's calls too`,
    );
    known.add(block.id);
    parsed.push(callPart(block.id, block.name, block.input ?? block.args, id, -1, report));
  }
  return parsed;
}

function callPart(
  own: unknown,
  name: unknown,
  args: unknown,
  id: string,
  wire: number,
  report: Report,
): ToolCallPart {
  const given = typeof own === 'string' && own !== '' ? own : undefined;
  const callId = given ?? `call_${id}_${wire}`;
  if (!given) report('missing-call-id', SAID.noCallId(wire, callId));
  return {
    type: 'tool-call',
    callId,
    name: typeof name === 'string' ? name : 'unknown',
    arguments: typeof args === 'string' ? args : jsonText(args ?? {}),
    wire,
  };
}

function resultPart(fields: Fields, id: string, legacy: string | undefined, report: Report): Part {
  const { tool_call_id: answered, name, status } = fields;
  return {
    type: 'tool-result',
    callId: typeof answered === 'string' && answered !== '' ? answered : (legacy ?? `result_${id}`),
    ...(typeof name === 'string' && { name }),
    content: parseResultContent(fields.content, report),
    ...(status === 'error' && { isError: true }),
  };
}
