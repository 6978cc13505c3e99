import type { Notice, Parsed } from '../../spi/index.js';
import type { Message, Part, ReasoningPart, Role, ToolResultPart } from '../../transcript/index.js';
import { type OpenedList, type ParsedPiece, type PieceParser, readsLists } from '../conversation/reader.js';
import { besideMessages, messageIn, opaquePart } from '../conversation/reading.js';
import { type Report, reporter, SAID } from '../conversation/repairs.js';
import { notOfFormat } from '../faults.js';
import { inWords, type Fields, isFields, isSet, isText, jsonText, kindOf } from '../record.js';
import { type CallKind, callKindOf, resultKindOf } from './call-kinds.js';
import {
  type Carried,
  FORMAT,
  isKnownRole,
  isMessageItem,
  type Item,
  parseContent,
  parseOutput,
  pointerOf,
} from './wire.js';

const SHAPE = 'a list of input items, or an object with `input`: such a list, or a text';
const notThisFormat = notOfFormat('openai-responses', SHAPE, 'a body of the Responses API');

/** A request body or a bare list of items. Each message keeps the items it came from, untouched. */
export const { parse, createReader } = readsLists(open);

function open(input: unknown): OpenedList {
  const body: Fields = isFields(input) ? input : { input };
  const earlier = isText(body.previous_response_id) || isSet(body.conversation);
  return {
    ...openItems(listIn(body, input), { instructions: body.instructions, earlier }),
    beside: besideMessages(body),
  };
}

function listIn(body: Fields, input: unknown): readonly unknown[] {
  if (typeof body.input === 'string') return [body.input];
  if (Array.isArray(body.input)) return body.input;
  throw notThisFormat('the input', kindOf(input));
}

/** What the body says beside its items. */
interface BesideItems {
  readonly instructions?: unknown;
  /** Responses that are not in this list come before it. */
  readonly earlier?: boolean;
}

/**
 * Items as messages: what the model made in a row is one assistant message, which is one step with its calls; every
 * other item is a message of its own. Instructions come first, as a system message.
 */
export function parseItems(list: readonly unknown[], beside: BesideItems = {}): Parsed {
  return readsLists(() => openItems(list, beside)).parse(list);
}

function openItems(list: readonly unknown[], { instructions, earlier = false }: BesideItems): OpenedList {
  const isBareText = list.length === 1 && typeof list[0] === 'string';
  return {
    list,
    before: {
      messages:
        typeof instructions === 'string'
          ? [said('instructions', 'system', words(instructions), { instructions })]
          : [],
      notices: [],
    },
    beside: {},
    reads: `${earlier ? 'goes on' : 'begins'}, ${isBareText ? 'a text' : 'items'}`,
    endOf: (from) => {
      let to = from + 1;
      if (isModels(list[from])) while (to < list.length && isModels(list[to])) to++;
      return to;
    },
    start: () => new ItemParser(earlier),
    check: () => {
      if (list.length > 0 && !list.some(isKnown)) {
        throw notThisFormat('the items', `no known type or role in any of ${list.length}`);
      }
    },
  };
}

/** Which calls were made so far, and which of the newest step have no name that a result could call them by. */
class ItemParser implements PieceParser {
  readonly #calls = new Set<string>();
  /** A shell's output may name its call by the item's own id. */
  readonly #callIds = new Map<string, string>();
  #references: boolean;
  /** Calls of the newest step that have no id of their own: results without one answer them in this order. */
  #nameless: string[] = [];

  constructor(earlier: boolean) {
    this.#references = earlier;
  }

  parse(list: readonly unknown[], from: number, to: number): ParsedPiece {
    const id = `m${from}`;
    const first = list[from];
    if (typeof first === 'string' && list.length === 1) {
      const message = said(id, 'user', words(first), { text: first });
      return { messages: [{ ...message, origin: 'user' }], notices: [] };
    }
    if (!isFields(first)) throw notThisFormat(`item ${from}`, kindOf(first));
    const notices: Notice[] = [];
    if (isModels(first)) {
      const items = list.slice(from, to) as Item[];
      items.forEach((item) => this.#note(item));
      const report = reporter(id, notices);
      const parts = items.flatMap((item, index) => partsOfItem(item, index, id, report));
      const message = said(id, 'assistant', parts, { items });
      this.#close(message, items);
      return { messages: [message], notices };
    }
    const report = reporter(id, notices);
    return { messages: [this.#resultMessage(first, id) ?? spokenMessage(first, id, report)], notices };
  }

  recall(list: readonly unknown[], from: number, to: number): void {
    this.parse(list, from, to);
  }

  #note(item: Item): void {
    this.#references ||= item.type === 'item_reference';
    const kind = callKindOf(item);
    const callId = kind && item[kind.idField];
    if (!isText(callId)) return;
    this.#calls.add(callId);
    if (isText(item.id)) this.#callIds.set(item.id, callId);
  }

  #close({ parts }: Message, items: readonly Item[]): void {
    this.#nameless = parts.flatMap((part) =>
      part.type === 'tool-call' && !this.#calls.has(part.callId) && !isServerRun(part, items)
        ? [part.callId]
        : [],
    );
    this.#nameless.forEach((callId) => this.#calls.add(callId));
  }

  #resultMessage(item: Item, id: string): Message | undefined {
    const kind = resultKindOf(item);
    if (!kind) return undefined;
    const found = namedIn(item, kind) ?? this.#nameless.shift() ?? `result_${id}`;
    const callId = this.#calls.has(found) ? found : (this.#callIds.get(found) ?? found);
    const part: ToolResultPart = {
      type: 'tool-result',
      callId,
      content: kind.readResult(item),
      wire: [0],
      ...(kind.failed?.(item) ? { isError: true } : {}),
    };
    const isElsewhere = this.#references && !this.#calls.has(callId);
    const wire: Carried = { items: [item], ...(isElsewhere ? { elsewhere: true } : {}) };
    return said(id, 'tool', [part], wire);
  }
}

/** The call that a result names itself. */
function namedIn(item: Item, { resultIdFields }: CallKind): string | undefined {
  return resultIdFields.map((field) => item[field]).find(isText);
}

/** Chat's own shapes would pass for messages without a type; its tool messages and calls do not. */
function isKnown(item: unknown): boolean {
  if (!isFields(item)) return typeof item === 'string';
  if (!isMessageItem(item)) return typeof item.type === 'string' && item.type !== 'message';
  return isKnownRole(item.role) && item.tool_calls === undefined;
}

function isModels(item: unknown): item is Item {
  if (!isFields(item)) return false;
  if (isMessageItem(item)) return item.role === 'assistant';
  return !resultKindOf(item) && item.type !== 'compaction_trigger' && item.type !== 'additional_tools';
}

function isServerRun({ wire }: Part, items: readonly Item[]): boolean {
  const item = items[pointerOf(wire)?.[0] ?? -1];
  return item !== undefined && !callKindOf(item);
}

function said(id: string, role: Role | undefined, parts: readonly Part[], wire: Carried): Message {
  return messageIn(role, { id, wire, wireFormat: FORMAT }, parts);
}

const words = (text: string): Part[] => (text === '' ? [] : [{ type: 'text', text }]);

/** What a person or a program said: messages, tools that were added, the order to compact. */
function spokenMessage(item: Item, id: string, report: Report): Message {
  const { type, role } = item;
  const wire: Carried = { items: [item] };
  if (!isMessageItem(item)) {
    const part = opaquePart(inWords(type), item, [0]);
    return said(id, type === 'additional_tools' ? 'system' : undefined, [part], wire);
  }
  const parts = parseContent(item.content, 0, report);
  if (role === 'system' || role === 'developer') return said(id, 'system', parts, wire);
  if (role === 'user') return said(id, 'user', parts, wire);
  report('unknown-role', SAID.unknownRole(inWords(role ?? 'missing')));
  return said(id, undefined, parts, wire);
}

/** One item that the model (or a tool on the server) made, as parts of its assistant message. */
function partsOfItem(item: Item, index: number, messageId: string, report: Report): Part[] {
  if (isMessageItem(item)) return parseContent(item.content, index, report);
  const kind = callKindOf(item);
  if (kind) {
    const own = item[kind.idField];
    const callId = isText(own) ? own : `call_${messageId}_${index}`;
    if (!isText(own)) report('missing-call-id', SAID.noCallId(index, callId));
    const { name, args } = kind.read(item);
    return [{ type: 'tool-call', callId, name, arguments: args, wire: [index] }];
  }
  if (item.type === 'reasoning') return [reasoningPart(item, index)];
  if (item.type === 'mcp_call') return serverPair(item, index, messageId);
  const name = isText(item.type) ? item.type : 'item_reference';
  return [opaquePart(name, item, [index])];
}

/** What the model let us read of its thinking; the sealed rest is its signature. */
function reasoningPart(item: Item, index: number): ReasoningPart {
  const words = [item.summary, item.content].flatMap((list) =>
    Array.isArray(list)
      ? list.map((entry: unknown) => (isFields(entry) && typeof entry.text === 'string' ? entry.text : ''))
      : [],
  );
  const signature = isText(item.encrypted_content) ? { signature: item.encrypted_content } : {};
  const text = words.filter((word) => word !== '').join('\n');
  return { type: 'reasoning', text, ...signature, wire: [index] };
}

/** A remote tool that the server ran: call and result stand in one item. */
function serverPair(item: Item, index: number, messageId: string): Part[] {
  const callId = isText(item.id) ? item.id : `call_${messageId}_${index}`;
  const name = isText(item.name) ? item.name : 'mcp';
  const args = typeof item.arguments === 'string' ? item.arguments : jsonText(item.arguments ?? {});
  const failed = isText(item.error);
  const output = failed ? item.error : item.output;
  return [
    { type: 'tool-call', callId, name, arguments: args, wire: [index] },
    {
      type: 'tool-result',
      callId,
      content: parseOutput(output, index),
      wire: [index],
      ...(failed ? { isError: true } : {}),
    },
  ];
}
