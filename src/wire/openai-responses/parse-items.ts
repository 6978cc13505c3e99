import type { Part, ReasoningPart } from '../../transcript/index.js';
import { isFields, isText, jsonText } from '../record.js';
import { callKindOf } from './call-kinds.js';
import { parseContent, parseOutput } from './content.js';
import { opaquePart } from '../conversation/reading.js';
import { SAID, type Report } from '../conversation/repairs.js';
import { isMessageItem, type Item } from './wire.js';

/** One item that the model (or a tool on the server) made, as parts of its assistant message. */
export function partsOfItem(item: Item, index: number, messageId: string, report: Report): Part[] {
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
