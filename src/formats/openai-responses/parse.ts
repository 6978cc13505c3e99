import type { Message, Part, ReasoningPart, Role, ToolResultPart } from '../../transcript/index.js';
import { type PieceContext, listParser } from '../conversation/reader.js';
import { toolsAndModel, callIdOf, logMessage, opaquePart } from '../conversation/reading.js';
import { type Report, REPAIRS } from '../conversation/repairs.js';
import { programOf, serverCallOf } from '../conversation/server-calls.js';
import { fileAt } from '../files.js';
import { asText, isFields, isSet, isText, jsonText } from '../record.js';
import { type CallKind, callKindOf, resultKindOf } from './call-kinds.js';
import {
  type Carried,
  FORMAT,
  isKnownRole,
  isMessageItem,
  isReference,
  type Item,
  parseContent,
  parseOutput,
} from './wire.js';

/**
 * A request body or a bare list of items. Consecutive items of the model are one assistant message, which is a step
 * with its calls; every other item is a message of its own. The instructions come first, as a system message. Each
 * message keeps its items unchanged.
 */
export const parser = listParser({
  format: FORMAT,
  allowed: 'a list of input items, or an object with `input`: such a list, or a text',
  pass: 'a body of the Responses API',
  field: 'input',
  open: (body) => {
    const { input, instructions, previous_response_id: previous, conversation } = body;
    return {
      list: typeof input === 'string' ? [{ role: 'user', content: input }] : input,
      leading: typeof instructions === 'string' ? [systemOf(instructions)] : [],
      otherFields: toolsAndModel(body),
      mode: isText(previous) || isSet(conversation) ? CONTINUES : 'begins',
    };
  },
  endOf: (list, from) => {
    let to = from + 1;
    if (isFromModel(list[from])) while (to < list.length && isFromModel(list[to])) to++;
    return to;
  },
  isKnown,
  messagesOf: (items, place) => {
    const { id, report } = place;
    const [first] = items;
    if (!isFromModel(first)) return [resultMessage(first, place) ?? clientMessage(first, id, report)];
    const parts = items.flatMap((item, index) => partsOfItem(item, index, id, report));
    return [itemMessage(id, 'assistant', parts, { items })];
  },
});

/** Earlier responses, which are not in the list, precede it. */
const CONTINUES = 'goes on';

function systemOf(instructions: string): Message {
  const parts: Part[] = instructions === '' ? [] : [{ type: 'text', text: instructions }];
  return itemMessage('instructions', 'system', parts, { instructions });
}

/** A result without an id answers the first waiting call; a shell's may name its call by the call item's own id. */
function resultMessage(item: Item, { id, past, mode }: PieceContext): Message | undefined {
  const kind = resultKindOf(item);
  if (!kind) return undefined;
  const found = namedCallId(item, kind) ?? past.waitingCalls[0]?.callId ?? `result_${id}`;
  const byItem = past.calls.has(found) ? undefined : itemsOf(past.head).find((one) => one.id === found);
  const callId = isText(byItem?.call_id) ? byItem.call_id : found;
  const part: ToolResultPart = {
    type: 'tool-result',
    callId,
    content: kind.readResult(item),
    wire: [0],
    ...(kind.hasFailed?.(item) ? { isError: true } : {}),
  };
  const isElsewhere = !past.calls.has(callId) && (mode === CONTINUES || past.messages.some(hasReference));
  return itemMessage(id, 'tool', [part], { items: [item], ...(isElsewhere ? { elsewhere: true } : {}) });
}

function itemsOf(message: Message | undefined): readonly Item[] {
  return (message?.wire as Carried | undefined)?.items ?? [];
}

const hasReference = (message: Message): boolean => itemsOf(message).some(isReference);

/** The id of the call that a result names. */
function namedCallId(item: Item, { resultIdFields }: CallKind): string | undefined {
  return resultIdFields.map((field) => item[field]).find(isText);
}

/** Whether an item is of this format. Chat's messages pass as untyped messages; its tool messages and calls do not. */
function isKnown(item: Item): boolean {
  if (!isMessageItem(item)) return typeof item.type === 'string' && item.type !== 'message';
  return isKnownRole(item.role) && item.tool_calls === undefined;
}

function isFromModel(item: unknown): item is Item {
  if (!isFields(item)) return false;
  if (isMessageItem(item)) return item.role === 'assistant';
  return !resultKindOf(item) && item.type !== 'compaction_trigger' && item.type !== 'additional_tools';
}

function itemMessage(id: string, role: Role | undefined, parts: readonly Part[], wire: Carried): Message {
  return logMessage(role, { id, wire, wireFormat: FORMAT }, parts);
}

/** An item from a person or a program: a message, added tools, or the order to compact. */
function clientMessage(item: Item, id: string, report: Report): Message {
  const { type, role } = item;
  const wire: Carried = { items: [item] };
  if (!isMessageItem(item)) {
    const part = opaquePart(asText(type), item, [0], ['items', 0]);
    return itemMessage(id, type === 'additional_tools' ? 'system' : undefined, [part], wire);
  }
  const parts = parseContent(item.content, 0, report);
  if (role === 'system' || role === 'developer') return itemMessage(id, 'system', parts, wire);
  if (role === 'user') return itemMessage(id, 'user', parts, wire);
  report('unknown-role', REPAIRS.unknownRole(asText(role ?? 'missing')));
  return itemMessage(id, undefined, parts, wire);
}

/** One item of the model, or of a tool on the server, as parts of its assistant message. */
function partsOfItem(item: Item, index: number, messageId: string, report: Report): Part[] {
  if (isMessageItem(item)) return parseContent(item.content, index, report);
  const kind = callKindOf(item);
  if (kind) {
    const callId = callIdOf(item[kind.idField], messageId, index, report);
    const { name, args } = kind.read(item);
    return [{ type: 'tool-call', callId, name, arguments: args, ...programOf(item.caller), wire: [index] }];
  }
  if (item.type === 'reasoning') return [reasoningPart(item, index)];
  if (item.type === 'mcp_call') return serverPair(item, index, messageId);
  if (item.type === 'image_generation_call' && isText(item.result)) {
    const mediaType = `image/${isText(item.output_format) ? item.output_format : 'png'}`;
    return [fileAt(item, ['items', index], ['bytes result'], { wire: [index], mediaType })];
  }
  const name = isText(item.type) ? item.type : 'item_reference';
  return [{ ...opaquePart(name, item, [index], ['items', index]), ...serverCallOf(item) }];
}

/** The readable part of the model's thinking; the sealed rest is its signature. */
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

/** A remote tool that the server ran: call and result are in one item. */
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
