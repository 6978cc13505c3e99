import {
  isToolCall,
  isToolResult,
  type Message,
  type Part,
  type ToolCallPart,
} from '../../transcript/index.js';
import { createDrafter } from '../conversation/drafts.js';
import { callsIn } from '../conversation/ids.js';
import { TURN_BREAK, NO_RESULT, unknownRole } from '../conversation/placeholders.js';
import { REPAIRS, type Report } from '../conversation/repairs.js';
import { resultsAfterCalls, type Call, type Draft } from '../conversation/results-after-calls.js';
import { overlay, isFields, itemAt, jsonText, kindOf, listOf, withFields } from '../record.js';
import { FORMAT, isKnownRole, type WireMessage } from './wire.js';
import { adapted, isContentPart, newMessage, rebuild, writeContent, writeResult } from './write-message.js';

/** Sent before instructions of a conversation that began without any. Models read it: plain, labelled, and final. */
export const MIDWAY = '[instructions given at this point]';

interface ChatAnswer {
  readonly callId: string;
  readonly wire: WireMessage;
}

/** One view message on the wire, legal on its own; the layout below decides what depends on its neighbours. */
interface ChatDraft extends Draft<ChatAnswer> {
  readonly message?: WireMessage;
}

type WrittenMessage = Pick<ChatDraft, 'message' | 'calls' | 'hasContent'>;

const draftOf = createDrafter<ChatDraft>((shown, report) => {
  const { wireFormat } = shown.message;
  const isForeign = wireFormat !== undefined && wireFormat !== FORMAT;
  const message = isForeign ? adapted(shown.message, report) : shown.message;
  const original = shown.made || isForeign ? undefined : (shown.source ?? message).wire;
  const wire = isFields(original) ? original : undefined;
  const isEdited = wire === undefined || (shown.replaced?.size ?? 0) > 0;
  const results = message.parts.filter(isToolResult);
  if (results.length === 0 && message.role !== 'tool')
    return { ...draftMessage(message, wire, isEdited, report), answers: [] };

  const own = wire?.role === 'tool' ? wire : undefined;
  const written = results.map((part) => (own && !isEdited ? own : writeResult(part, own)));
  const rest = message.parts.filter((part) => !isToolResult(part));
  const answers = written.map((one, at) => ({
    callId: results[at]!.callId,
    wire: rest.length > 0 ? one : withText(one, false),
  }));
  if (rest.length === 0) {
    if (answers.some((answer, at) => answer.wire !== written[at]))
      report('no-content', 'a result without content is sent with an empty one');
    return { calls: [], answers, hasContent: false };
  }
  // A message of another format may contain words and results; chat needs separate messages for these.
  const role = message.role === 'tool' ? 'user' : message.role;
  return { ...draftMessage({ ...message, role, parts: rest }, undefined, true, report), answers };
});

/** Repairs what every provider refuses, each repair with a notice; the same object if nothing is wrong. */
function draftMessage(
  message: Message,
  wire: WireMessage | undefined,
  isEdited: boolean,
  report: Report,
): WrittenMessage {
  const calls = callsIn(message, report, wire === undefined);
  const made = message.parts.filter(isToolCall);
  const isRenamed = calls.some(
    ({ wireId, tool }, at) => wireId !== made[at]!.callId || tool !== made[at]!.name,
  );
  const named = isRenamed ? withNames(message, calls) : message;
  let out = writeMessage(named, wire, isEdited || isRenamed, report);
  if (!isKnownRole(out.role)) {
    report('unknown-role', `role ${jsonText(out.role) || 'missing'} is sent as a labelled user message`);
    out = { role: 'user', content: labelled(unknownRole(out.role), message, wire) };
  }
  if (Array.isArray(out.tool_calls) && out.tool_calls.length === 0) {
    out = withFields(out, { tool_calls: undefined });
    if (!isEdited) report('no-calls', 'an empty list of calls is left out');
  }
  const filled = withText(out, calls.length > 0);
  if (filled !== out && !isEdited) report('no-content', `content ${kindOf(out.content)} is sent as text`);
  return { message: filled, calls, hasContent: true };
}

function writeMessage(
  message: Message,
  wire: WireMessage | undefined,
  isEdited: boolean,
  report: Report,
): WireMessage {
  if (!wire) return newMessage(message);
  if (isEdited) return rebuild(message.parts, wire);
  if (message.parts.every((part) => !isToolCall(part) || isOnWire(part, wire))) return wire;
  report('call-mended', 'a call had no id, or arguments that are no text');
  return rebuild(message.parts, wire);
}

/** Adds empty content, which may be missing only if the message has calls, a refusal or spoken audio. */
function withText(wire: WireMessage, calls: boolean): WireMessage {
  const { content } = wire;
  if (typeof content === 'string' || listOf(content).length > 0) return wire;
  const isMissing = content === undefined || content === null;
  const mayOmitContent = calls || Boolean(wire.refusal) || isFields(wire.audio);
  if (isMissing && wire.role === 'assistant' && mayOmitContent) return wire;
  return { ...wire, content: isMissing || Array.isArray(content) ? '' : jsonText(content) };
}

function withNames(message: Message, calls: readonly Call[]): Message {
  let index = 0;
  const renamed = (part: Part): Part => {
    if (!isToolCall(part)) return part;
    const { wireId: callId, tool: name } = calls[index++]!;
    return { ...part, callId, name };
  };
  return { ...message, parts: message.parts.map(renamed) };
}

/** Whether the wire has the same id and arguments of a call; false if either was missing. */
function isOnWire(part: ToolCallPart, wire: WireMessage): boolean {
  const call = itemAt(wire.tool_calls, part.wire);
  if (call?.id !== part.callId) return false;
  if (isFields(call.custom)) return call.custom.input === part.arguments;
  return isFields(call.function) && call.function.arguments === part.arguments;
}

/** The content of a message of an unknown role, or the whole message if it has no content. */
function labelled(label: string, message: Message, wire: WireMessage | undefined): unknown {
  const content = message.parts.filter(isContentPart);
  const parts = content.length > 0 ? content : [{ type: 'text' as const, text: jsonText(wire) }];
  return writeContent([{ type: 'text', text: label }, ...parts], wire?.content);
}

export const serialise = resultsAfterCalls<ChatDraft>({
  draft: draftOf,
  writeAnswers: (pairs, _, report) =>
    pairs.map(([{ wire }, call]) => {
      const sent = overlay(wire, { tool_call_id: call.wireId });
      if (sent !== wire) report('result-mended', `sent in the form of its call ${call.wireId}`);
      return sent;
    }),
  writeMissing: (calls) =>
    calls.map(({ wireId }) => ({ role: 'tool', tool_call_id: wireId, content: NO_RESULT })),
  writeUnmatched: (label, { wire }) => ({ role: 'user', content: withLabel(label, wire.content) }),
  turnBreak: { role: 'user', content: TURN_BREAK },
  writeOther: ({ role, message }, view, report) => {
    // Servers want instructions first, and accept later ones only after instructions at the start.
    if (role !== 'system' || view[0]!.message.role === 'system') return message;
    report('midway-instructions', REPAIRS.midway);
    return { role: 'user', content: withLabel(MIDWAY, message?.content) };
  },
});

function withLabel(label: string, content: unknown): unknown {
  if (content === '') return label;
  return typeof content === 'string'
    ? `${label}\n${content}`
    : [{ type: 'text', text: label }, ...listOf(content)];
}
