import type { Notice } from '../../spi/index.js';
import type { Message, Origin, Part, Role, ToolResultPart } from '../../transcript/index.js';
import { notOfFormat } from '../faults.js';
import { readsLists, type OpenedList, type ParsedPiece, type PieceParser } from '../conversation/reader.js';
import { besideMessages, originOf } from '../conversation/reading.js';
import { isFields, isText, jsonText, kindOf, listOf, type Fields } from '../record.js';
import { parseCalls } from './calls.js';
import { parseContent } from './content.js';
import { OpenCalls } from './open-calls.js';
import { FORMAT, isKnownRole, REASONING_DETAILS, REASONING_FIELDS, type WireMessage } from './wire.js';
import { reporter, SAID, type Report } from '../conversation/repairs.js';

const SHAPE = 'a list of chat messages, or an object with such a list as `messages`';
const notThisFormat = notOfFormat('openai-chat', SHAPE, 'a chat completions request body');

/** A request body or a bare list. Each message keeps the object it came from as `wire`, untouched. */
export const { parse, createReader } = readsLists(open);

function open(input: unknown): OpenedList {
  const body: Fields = isFields(input) ? input : { messages: input };
  if (!Array.isArray(body.messages)) throw notThisFormat('the input', kindOf(input));
  const list: readonly unknown[] = body.messages;
  return {
    list,
    beside: besideMessages(body),
    start: () => new ChatParser(),
    check: () => {
      if (list.length > 0 && !list.some((wire) => isFields(wire) && isKnownRole(wire.role))) {
        throw notThisFormat('the messages', `no known role in any of ${list.length}`);
      }
    },
  };
}

/** Ids that are taken, and the calls of the newest step. */
class ChatParser implements PieceParser {
  readonly #taken = new Set<string>();
  readonly #open = new OpenCalls();

  parse(list: readonly unknown[], index: number): ParsedPiece {
    const wire = list[index];
    if (!isFields(wire)) throw notThisFormat(`message ${index}`, kindOf(wire));
    const notices: Notice[] = [];
    const id = freeId(wire, index, this.#taken, notices);
    const report = reporter(id, notices);
    return { messages: [parseMessage(wire, id, this.#open, report)], notices };
  }

  recall(list: readonly unknown[], index: number, _: number, [message]: readonly Message[]): void {
    const { id, role, parts } = message!;
    this.#taken.add(id);
    if (role === 'assistant') this.#open.step(parseCalls(list[index] as WireMessage, id, () => undefined));
    for (const part of parts) if (part.type === 'tool-result') this.#open.answered(part.callId);
  }
}

function parseMessage(wire: WireMessage, id: string, open: OpenCalls, report: Report): Message {
  const name = typeof wire.name === 'string' ? { name: wire.name } : {};
  const made = (role: Role, origin: Origin, parts: readonly Part[]): Message => {
    return { id, wire, wireFormat: FORMAT, ...name, role, origin, parts };
  };
  switch (wire.role) {
    case 'system':
    case 'developer':
      return made('system', 'system', parseContent(wire.content, report));
    case 'user': {
      const parts = parseContent(wire.content, report);
      return made('user', originOf(parts), parts);
    }
    case 'assistant':
      return made('assistant', 'model', assistantParts(wire, id, open, report));
    case 'tool':
    case 'function':
      return made('tool', 'tool', [resultPart(wire, id, open, report)]);
    default:
      report('unknown-role', SAID.unknownRole(jsonText(wire.role) || 'missing'));
      return made('user', 'synthetic', parseContent(wire.content, report));
  }
}

/** Thinking, words, refusal, calls: the order in which the model made them. */
function assistantParts(wire: WireMessage, id: string, open: OpenCalls, report: Report): Part[] {
  const parts: Part[] = [];
  const proof = proofsIn(wire[REASONING_DETAILS]);
  const signed = proof === '' ? {} : { signature: proof };
  for (const field of REASONING_FIELDS) {
    const text = wire[field];
    // OpenRouter sends the same thinking under both names; counted once, written back under both.
    const known = parts.some((part) => part.type === 'reasoning' && part.text === text);
    if (typeof text === 'string' && text && !known)
      parts.push({ type: 'reasoning', text, ...signed, wire: field });
  }
  if (parts.length === 0 && proof !== '')
    parts.push({ type: 'reasoning', text: '', ...signed, wire: REASONING_DETAILS });
  parts.push(...parseContent(wire.content, report));
  if (typeof wire.refusal === 'string' && wire.refusal) {
    parts.push({ type: 'text', text: wire.refusal, wire: 'refusal' });
  }
  const calls = parseCalls(wire, id, report);
  open.step(calls);
  return [...parts, ...calls.map((call) => call.part)];
}

/** What the providers behind a router signed or sealed, one behind the other; '' where they did not. */
function proofsIn(details: unknown): string {
  return listOf(details)
    .flatMap((one) => (isFields(one) ? [one.signature, one.data].filter(isText) : []))
    .join('');
}

function resultPart(wire: WireMessage, id: string, open: OpenCalls, report: Report): ToolResultPart {
  const name = typeof wire.name === 'string' ? wire.name : undefined;
  const content = parseContent(wire.content, report);
  const named = name === undefined ? {} : { name };
  if (isText(wire.tool_call_id)) {
    open.answered(wire.tool_call_id);
    return { type: 'tool-result', callId: wire.tool_call_id, ...named, content };
  }
  const callId = open.next(name);
  if (wire.role === 'tool') {
    report(
      'missing-result-id',
      callId ? `a result without an id; by order it answers ${callId}` : 'a result without an id',
    );
  }
  return { type: 'tool-result', callId: callId ?? `result_${id}`, ...named, content };
}

/** The message's own id, else its position. Both are the same in a longer list. */
function freeId(wire: WireMessage, index: number, taken: Set<string>, notices: Notice[]): string {
  let id = isText(wire.id) ? wire.id : `m${index}`;
  if (taken.has(id)) {
    const found = id;
    for (id = `m${index}`; taken.has(id);) id += '+';
    notices.push({
      at: id,
      kind: 'duplicate-id',
      what: `message ${index} repeats the id ${found}; it is called ${id}`,
    });
  }
  taken.add(id);
  return id;
}
