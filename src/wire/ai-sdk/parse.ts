import type { Notice } from '../../spi/index.js';
import type { Message, Part } from '../../transcript/index.js';
import { notOfFormat } from '../faults.js';
import { readsLists, type OpenedList, type ParsedPiece, type PieceParser } from '../conversation/reader.js';
import { freeId, opaquePart, originOf } from '../conversation/reading.js';
import { isFields, jsonText, kindOf, listOf, type Fields } from '../record.js';
import type { Take } from '../conversation/taken-in.js';
import { reporter, SAID, type Report } from '../conversation/repairs.js';
import { parseContent } from './items.js';
import { FORMAT, ROLES, sizeOf, type WireMessage } from './wire.js';

const SHAPE = 'a list of ModelMessages, or an object with such a list as `messages` or `prompt`';
const notThisFormat = notOfFormat('ai-sdk', SHAPE, 'ModelMessages');

/** Options of `generateText`, parameters of a model's call, or a bare list. Messages keep the object they came from. */
export const { parse, createReader } = readsLists(open);

function open(input: unknown, take: Take): OpenedList {
  const body: Fields = isFields(input) ? input : { messages: input };
  const list = Array.isArray(body.messages) ? body.messages : body.prompt;
  if (!Array.isArray(list)) throw notThisFormat('the input', kindOf(input));
  const system = systemMessages(take(body.system, 'system'));
  const tools = toolsIn(body.tools);
  const model = isFields(body.model) ? body.model.modelId : body.model;
  return {
    list,
    before: { messages: system, notices: [] },
    beside: { ...(tools.length > 0 && { tools }), ...(typeof model === 'string' && { model }) },
    start: () => new ModelMessageParser(system),
    check: () => {
      if (list.length > 0 && !list.some((wire) => isFields(wire) && ROLES.has(wire.role))) {
        throw notThisFormat('the messages', `no known role in any of ${list.length}`);
      }
    },
  };
}

class ModelMessageParser implements PieceParser {
  readonly #taken: Set<string>;

  constructor(system: readonly Message[]) {
    this.#taken = new Set(system.map(({ id }) => id));
  }

  parse(list: readonly unknown[], index: number): ParsedPiece {
    const wire = list[index];
    if (!isFields(wire)) throw notThisFormat(`message ${index}`, kindOf(wire));
    // What the page holds, not what a model is asked: read on, it would say nothing at all.
    if (wire.content === undefined && Array.isArray(wire.parts))
      throw notThisFormat(
        `message ${index}`,
        'a UIMessage; convertToModelMessages makes ModelMessages of them',
      );
    const id = freeId(wire.id, index, this.#taken);
    const notices: Notice[] = [];
    return {
      messages: [parseMessage(wire, id, reporter(id, notices))],
      notices,
    };
  }

  recall(_: readonly unknown[], __: number, ___: number, [message]: readonly Message[]): void {
    this.#taken.add(message!.id);
  }
}

/** The field `system`: a text, a message, or a list of messages. */
function systemMessages(system: unknown): Message[] {
  if (system === undefined || system === null) return [];
  const list: readonly unknown[] = Array.isArray(system) ? system : [system];
  return list.map((one, at) => {
    const said = isFields(one) ? one.content : one;
    const text = typeof said === 'string' ? said : jsonText(said);
    const wire = { system: at === 0 ? system : undefined, at };
    const parts: Part[] = text === '' ? [] : [{ type: 'text', text }];
    return { id: `system${at}`, role: 'system', origin: 'system', parts, wire, wireFormat: FORMAT };
  });
}

function parseMessage(wire: WireMessage, id: string, report: Report): Message {
  const about = { id, wire, wireFormat: FORMAT };
  const parts = parseContent(wire.content, id, report);
  switch (wire.role) {
    case 'system':
      return { ...about, role: 'system', origin: 'system', parts };
    case 'assistant':
      return { ...about, role: 'assistant', origin: 'model', parts: ownResults(parts, wire) };
    case 'tool':
      return { ...about, role: 'tool', origin: 'tool', parts };
    case 'user':
      return { ...about, role: 'user', origin: originOf(parts), parts };
    default:
      report('unknown-role', SAID.unknownRole(jsonText(wire.role) || 'missing'));
      return { ...about, role: 'user', origin: 'synthetic', parts };
  }
}

/** A result inside the assistant's message is the provider's own, unless it answers a call of ours that stands there. */
function ownResults(parts: readonly Part[], wire: WireMessage): Part[] {
  const ours = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])));
  return parts.map((part) => {
    if (part.type !== 'tool-result' || ours.has(part.callId)) return part;
    const bytes = sizeOf(listOf(wire.content)[part.wire as number]);
    return opaquePart('provider-tool-result', undefined, part.wire, bytes);
  });
}

/** A list as a model gets it, or tools by name as callers of `generateText` pass them. */
function toolsIn(tools: unknown): readonly unknown[] {
  if (Array.isArray(tools)) return tools;
  if (!isFields(tools)) return [];
  return Object.entries(tools).map(([name, tool]) => {
    if (!isFields(tool)) return { name };
    const schema = isFields(tool.inputSchema) ? tool.inputSchema.jsonSchema : undefined;
    return { name, description: tool.description, ...(isFields(schema) && { inputSchema: schema }) };
  });
}
