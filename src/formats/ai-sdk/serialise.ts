import type { Serialised, WireMemory } from '../../spi/index.js';
import type { Message, Part, Role, ViewMessage } from '../../transcript/index.js';
import { alignedParts, createDrafter, ownWire } from '../conversation/drafts.js';
import { callsIn } from '../conversation/ids.js';
import type { DraftedAnswer } from '../conversation/pairing.js';
import { TURN_BREAK, NO_RESULT, EMPTY_TURN } from '../conversation/placeholders.js';
import { textOf } from '../conversation/reading.js';
import { type Report, REPAIRS } from '../conversation/repairs.js';
import { type Call, type Draft, resultsAfterCalls } from '../conversation/results-after-calls.js';
import { asText, overlay, type Fields, isFields, jsonText, listOf, originalIfSame } from '../record.js';
import { resultAsItems, writeItem, writeResult } from './write-item.js';
import { approvalKey, FORMAT, isSystemField, ROLES, type WireMessage } from './wire.js';

/** An answer of a tool message: the item to send, and its words for use if no call waits for it. */
interface AiSdkAnswer extends DraftedAnswer {
  readonly item: Fields;
  /** Whether the call supplies the tool's name: the answer came in another format, or has no name. */
  readonly isNamedByCall?: boolean;
  readonly userItems: readonly Fields[];
}

/** One view message, legal on its own; the same object if nothing was edited and nothing is wrong. */
interface AiSdkDraft extends Draft<AiSdkAnswer> {
  readonly message?: WireMessage;
  /** The message that its answers came in, whose other fields are kept; without its content if that was edited. */
  readonly frame?: WireMessage;
}

const draftOf = createDrafter<AiSdkDraft>((shown, report) => {
  const { message } = shown;
  const own = ownWire(shown, FORMAT);
  const wire = isSystemField(own) ? undefined : own;
  const written = writeParts(shown, wire, report);
  const role = roleOf(message, wire, written, report);
  const sent = role === 'tool' ? undefined : writeMessage(shown, wire, written, role, report);
  const { items, calls, answers, isChanged } = written;
  return {
    hasContent: sent !== undefined,
    ...(sent && { message: sent }),
    calls,
    answers,
    ...(wire?.role === 'tool' && {
      frame: isChanged || items.length > 0 ? { ...wire, content: [] } : wire,
    }),
  };
});

interface Written {
  readonly items: readonly Fields[];
  readonly answers: readonly AiSdkAnswer[];
  readonly calls: readonly Call[];
  /** Whether anything differs from the message that came in. */
  readonly isChanged: boolean;
}

function writeParts(shown: ViewMessage, wire: WireMessage | undefined, report: Report): Written {
  const { message } = shown;
  const content = listOf(wire?.content);
  const made = callsIn(message, report, wire === undefined);
  const items: Fields[] = [];
  const answers: AiSdkAnswer[] = [];
  const calls: Call[] = [];
  let isChanged = wire === undefined || (shown.replaced?.size ?? 0) > 0;
  for (const { source, shown: parts } of alignedParts(shown)) {
    const from = wire && typeof source.wire === 'number' ? content[source.wire] : undefined;
    for (const part of parts) {
      const answer = answerOf(part, from, message, report);
      if (answer) {
        answers.push(answer);
        isChanged ||= answer.item !== from;
        continue;
      }
      const own = part.type === 'tool-call' ? made.shift()! : undefined;
      const placed = own ? { ...part, callId: own.wireId, name: own.tool } : part;
      if (own) calls.push(own);
      const item = writeItem(placed, from, message, report);
      if (item && item.type === 'tool-approval-request') {
        const key = approvalKey(item.approvalId);
        calls.push({ callId: key, wireId: key, tool: 'approval', isOptional: true });
      }
      isChanged ||= item !== from && typeof wire?.content !== 'string';
      if (item) items.push(item);
    }
  }
  return { items, answers, calls, isChanged };
}

/** An answer that belongs after its call: a result, or a response to a request for approval. */
function answerOf(part: Part, from: unknown, message: Message, report: Report): AiSdkAnswer | undefined {
  if (part.type === 'tool-result') {
    const item = writeResult(part, from, message, report);
    const isNamedByCall = !isFields(from) || item.toolName === 'unknown';
    return { callId: part.callId, item, isNamedByCall, userItems: resultAsItems(part, message) };
  }
  if (part.type === 'opaque' && isFields(from) && from.type === 'tool-approval-response') {
    return { callId: approvalKey(from.approvalId), item: from, userItems: [], needsCall: true };
  }
  return undefined;
}

function roleOf(message: Message, wire: WireMessage | undefined, { items }: Written, report: Report): Role {
  if (wire && !ROLES.has(wire.role)) {
    report('unknown-role', `role ${jsonText(wire.role) || 'missing'} is sent as a user message`);
    return 'user';
  }
  if (message.role !== 'tool' || items.length === 0) return message.role;
  if (wire)
    report('unknown-part', `${items.length} parts of a tool message are no results; sent as a user message`);
  return 'user';
}

/** The message without its answers; undefined if nothing else is left. */
function writeMessage(
  shown: ViewMessage,
  wire: WireMessage | undefined,
  { items, answers, calls, isChanged }: Written,
  role: Role,
  report: Report,
): WireMessage | undefined {
  if (role === 'system') return writeSystem(shown, wire, report);
  const end = items.findLastIndex((item) => item.type !== 'reasoning' && !isSilent(item));
  const fitting = items.filter(({ type }, at) => {
    const fits = role === 'assistant' || !ASSISTANT_ITEMS.has(type);
    const dangles = at > end && type === 'reasoning';
    if (!fits)
      report('foreign-part', `${asText(type)} has no place in a message of the user and is not sent`);
    else if (dangles) report('dangling-reasoning', REPAIRS.dangling);
    return fits && !dangles;
  });
  const speaks = fitting.some((item) => !isSilent(item) && item.text !== '');
  if (!speaks && calls.length === 0) {
    if (answers.length === 0 && wire) report('empty-text', REPAIRS.silent);
    return undefined;
  }
  const isOriginal = !isChanged && answers.length === 0 && fitting.length === items.length;
  if (isOriginal && wire?.role === role) return wire;
  const onlyText = fitting.length === 1 && typeof wire?.content === 'string' ? fitting[0]!.text : undefined;
  if (wire && onlyText === wire.content && wire.role === role) return wire;
  return { ...wire, role, content: fitting.filter((item) => !isSilent(item)) };
}

/** Version 7 of the SDK begins streamed answers of Anthropic with a part about the stream, which is not sent. */
const isSilent = ({ type, text, providerOptions, kind }: Fields): boolean =>
  (type === 'text' && text === '' && !providerOptions) || kind === 'anthropic.message_start';

/** Items that only the assistant may have; unknown items are sent as they came, for the SDK to judge. */
const ASSISTANT_ITEMS: ReadonlySet<unknown> = new Set([
  'reasoning',
  'reasoning-file',
  'custom',
  'tool-call',
  'tool-approval-request',
]);

function writeSystem(
  { message }: ViewMessage,
  wire: WireMessage | undefined,
  report: Report,
): WireMessage | undefined {
  const text = textOf(message.parts);
  if (text === '') {
    if (wire) report('empty-text', 'instructions that say nothing are left out');
    return undefined;
  }
  return wire && wire.content === text ? wire : { ...wire, role: 'system', content: text };
}

const writeRest = resultsAfterCalls<AiSdkDraft>({
  draft: draftOf,
  writeAnswers: (pairs, { frame = {} }) => {
    const content = pairs.map(([{ item, needsCall, isNamedByCall }, { wireId, tool }]) => {
      const named = isNamedByCall ? { toolName: tool } : {};
      return needsCall ? item : overlay(item, { toolCallId: wireId, ...named });
    });
    return [overlay(frame, { role: 'tool', content: originalIfSame(content, frame.content) })];
  },
  writeMissing: (calls) => {
    const output = { type: 'error-text', value: NO_RESULT };
    const content = calls.map(({ wireId, tool }) => {
      return { type: 'tool-result', toolCallId: wireId, toolName: tool, output };
    });
    return [{ role: 'tool', content }];
  },
  writeUnmatched: (label, { userItems }) => {
    const [first, ...rest] = userItems;
    const words = first?.type === 'text' ? `${label}\n${asText(first.text)}` : label;
    const content = [{ type: 'text', text: words }, ...(first?.type === 'text' || !first ? rest : userItems)];
    return { role: 'user', content };
  },
  turnBreak: { role: 'user', content: [{ type: 'text', text: TURN_BREAK }] },
  emptyView: { role: 'user', content: [{ type: 'text', text: EMPTY_TURN }] },
});

/** Instructions that came in the field `system` return there, as long as they are at the head. */
export function serialise(view: readonly ViewMessage[], memory?: WireMemory): Serialised {
  let count = 0;
  while (count < view.length && isSystemField(ownWire(view[count]!, FORMAT))) count++;
  const { messages, notices } = writeRest(count === 0 ? view : view.slice(count), memory);
  const beside = count === 0 ? {} : { beside: { system: systemOf(view.slice(0, count)) } };
  return { messages, ...beside, notices };
}

/** The field as it came if nothing in it was edited; otherwise its texts, as a text or a list as before. */
function systemOf(shown: readonly ViewMessage[]): unknown {
  const original = ownWire(shown[0]!, FORMAT)!.system;
  const count = Array.isArray(original) ? original.length : 1;
  if (original !== undefined && count === shown.length && shown.every(({ replaced }) => !replaced))
    return original;
  const texts = shown.map(({ message }) => textOf(message.parts));
  return texts.length === 1 && typeof original === 'string'
    ? texts[0]
    : texts.map((content) => ({ role: 'system', content }));
}
