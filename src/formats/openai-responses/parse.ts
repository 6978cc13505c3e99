import type { Notice, Parsed } from '../../spi/index.js';
import type { Message, Part, ToolResultPart } from '../../transcript/index.js';
import { notOfFormat } from '../faults.js';
import { isProgramWritten } from '../origin.js';
import { isFields, isText, kindOf, type Fields } from '../record.js';
import { callKindOf, resultKindOf } from './calls.js';
import { opaque, parseContent, type Report } from './content.js';
import { partsOfItem } from './model-items.js';
import { FORMAT, isMessageItem, pointerOf, type Carried, type Item } from './wire.js';

const SHAPE = 'a list of input items, or an object with `input`: such a list, or a text';
const notThisFormat = notOfFormat('openai-responses', SHAPE, 'a body of the Responses API');

/** A request body or a bare list of items. Each message keeps the items it came from, untouched. */
export function parse(input: unknown): Parsed {
  const body: Fields = isFields(input) ? input : { input };
  const earlier = isText(body.previous_response_id) || isSet(body.conversation);
  const { messages, notices } = parseItems(listIn(body, input), { instructions: body.instructions, earlier });
  return {
    messages,
    notices,
    ...(Array.isArray(body.tools) ? { tools: body.tools } : {}),
    ...(typeof body.model === 'string' ? { model: body.model } : {}),
  };
}

function listIn(body: Fields, input: unknown): readonly unknown[] {
  if (typeof body.input === 'string') return [body.input];
  if (Array.isArray(body.input)) return body.input;
  throw notThisFormat('the input', kindOf(input));
}

/** What the body says beside its items. */
export interface BesideItems {
  readonly instructions?: unknown;
  /** Responses that are not in this list come before it. */
  readonly earlier?: boolean;
}

/**
 * Items as messages: what the model made in a row is one assistant message, which is one step with its calls; every
 * other item is a message of its own. Instructions come first, as a system message.
 */
export function parseItems(
  list: readonly unknown[],
  { instructions, earlier = false }: BesideItems = {},
): Pick<Parsed, 'messages' | 'notices'> {
  const notices: Notice[] = [];
  const messages: Message[] = typeof instructions === 'string' ? [instructionsMessage(instructions)] : [];
  const calls = new Set<string>();
  /** A shell's output may name its call by the item's own id. */
  const callIds = new Map<string, string>();
  let step: Item[] = [];
  let stepAt = 0;
  let references = earlier;
  /** Calls of the newest step that have no id of their own: results without one answer them in this order. */
  let nameless: string[] = [];

  const closeStep = (): void => {
    if (step.length === 0) return;
    const message = assistantMessage(step, `m${stepAt}`, notices);
    messages.push(message);
    nameless = message.parts.flatMap((part) =>
      part.type === 'tool-call' && !calls.has(part.callId) && !isServerRun(part, step) ? [part.callId] : [],
    );
    nameless.forEach((callId) => calls.add(callId));
    step = [];
  };
  list.forEach((value, index) => {
    const id = `m${index}`;
    const report: Report = (kind, what) => void notices.push({ at: id, kind, what });
    if (typeof value === 'string' && list.length === 1) {
      messages.push(textMessage(value, id));
      return;
    }
    if (!isFields(value)) throw notThisFormat(`item ${index}`, kindOf(value));
    const item: Item = value;
    const kind = callKindOf(item);
    if (kind && isText(item[kind.idField])) calls.add(noteCall(item, item[kind.idField] as string, callIds));
    references ||= item.type === 'item_reference';
    if (isModels(item)) {
      if (step.length === 0) stepAt = index;
      step.push(item);
      return;
    }
    closeStep();
    const known = { calls, callIds, nameless, references };
    messages.push(resultMessage(item, id, known) ?? spokenMessage(item, id, report));
  });
  closeStep();
  if (list.length > 0 && !list.some(isKnown)) {
    throw notThisFormat('the items', `no known type or role in any of ${list.length}`);
  }
  return { messages, notices };
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);

/** Chat's own shapes would pass for messages without a type; its tool messages and calls do not. */
function isKnown(item: unknown): boolean {
  if (!isFields(item)) return typeof item === 'string';
  if (!isMessageItem(item)) return typeof item.type === 'string' && item.type !== 'message';
  return ROLES.has(item.role) && item.tool_calls === undefined;
}

function isModels(item: Item): boolean {
  if (isMessageItem(item)) return item.role === 'assistant';
  return !resultKindOf(item) && item.type !== 'compaction_trigger' && item.type !== 'additional_tools';
}

function noteCall(item: Item, callId: string, callIds: Map<string, string>): string {
  if (isText(item.id)) callIds.set(item.id, callId);
  return callId;
}

function isServerRun({ wire }: Part, items: readonly Item[]): boolean {
  const item = items[pointerOf(wire)?.[0] ?? -1];
  return item !== undefined && !callKindOf(item);
}

function instructionsMessage(instructions: string): Message {
  const parts: Part[] = instructions === '' ? [] : [{ type: 'text', text: instructions }];
  const wire: Carried = { instructions };
  return { id: 'instructions', role: 'system', origin: 'system', parts, wireFormat: FORMAT, wire };
}

function textMessage(text: string, id: string): Message {
  const wire: Carried = { text };
  const parts: Part[] = text === '' ? [] : [{ type: 'text', text }];
  return { id, role: 'user', origin: 'user', parts, wireFormat: FORMAT, wire };
}

function assistantMessage(items: readonly Item[], id: string, notices: Notice[]): Message {
  const report: Report = (kind, what) => void notices.push({ at: id, kind, what });
  const parts = items.flatMap((item, index) => partsOfItem(item, index, id, report));
  const wire: Carried = { items };
  return { id, role: 'assistant', origin: 'model', parts, wireFormat: FORMAT, wire };
}

interface Known {
  readonly calls: ReadonlySet<string>;
  readonly callIds: ReadonlyMap<string, string>;
  readonly nameless: string[];
  readonly references: boolean;
}

function resultMessage(
  item: Item,
  id: string,
  { calls, callIds, nameless, references }: Known,
): Message | undefined {
  const kind = resultKindOf(item);
  if (!kind) return undefined;
  const own = kind.resultIdFields.map((field) => item[field]).find(isText);
  const found = own ?? nameless.shift() ?? `result_${id}`;
  const callId = calls.has(found) ? found : (callIds.get(found) ?? found);
  const part: ToolResultPart = {
    type: 'tool-result',
    callId,
    content: kind.readResult(item),
    wire: [0],
    ...(kind.failed?.(item) ? { isError: true } : {}),
  };
  const wire: Carried = { items: [item], ...(references && !calls.has(callId) ? { elsewhere: true } : {}) };
  return { id, role: 'tool', origin: 'tool', parts: [part], wireFormat: FORMAT, wire };
}

/** What a person or a program said: messages, tools that were added, the order to compact. */
function spokenMessage(item: Item, id: string, report: Report): Message {
  const wire: Carried = { items: [item] };
  const about = { id, wireFormat: FORMAT, wire };
  if (!isMessageItem(item)) {
    const part = opaque(String(item.type), item, [0]);
    const isTools = item.type === 'additional_tools';
    return isTools
      ? { ...about, role: 'system', origin: 'system', parts: [part] }
      : { ...about, role: 'user', origin: 'synthetic', parts: [part] };
  }
  const parts = parseContent(item.content, 0, report);
  if (item.role === 'system' || item.role === 'developer') {
    return { ...about, role: 'system', origin: 'system', parts };
  }
  if (item.role !== 'user') {
    report('unknown-role', `role ${String(item.role ?? 'missing')} is not known; read as a program's words`);
    return { ...about, role: 'user', origin: 'synthetic', parts };
  }
  const machine =
    parts.length > 0 && parts.every((part) => part.type === 'text' && isProgramWritten(part.text));
  return { ...about, role: 'user', origin: machine ? 'synthetic' : 'user', parts };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
