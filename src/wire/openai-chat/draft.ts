import type { Notice } from '../../spi/index.js';
import type { Message, Part, ToolCallPart, ViewMessage } from '../../transcript/index.js';
import { distinctIds } from '../conversation/distinct-ids.js';
import { drafted } from '../conversation/drafts.js';
import { unknownRole } from '../conversation/placeholders.js';
import { reporter, SAID, type Report } from '../conversation/repairs.js';
import type { Call, Draft } from '../conversation/results-behind-calls.js';
import { wellFormed } from '../conversation/well-formed.js';
import { isFields, jsonText, kindOf, listOf } from '../record.js';
import { adopted, isForeign } from './from-other-format.js';
import { isContentPart, writeContent } from './content-out.js';
import { plain, rebuild, writeResult } from './edited-messages.js';
import { isKnownRole, LEGACY_CALL, type WireMessage } from './wire.js';

export interface ChatCall extends Call {
  /** Made in the field `function_call`, and answered by a `function` message. */
  readonly legacy: boolean;
}

export interface ChatAnswer {
  readonly callId: string;
  readonly wire: WireMessage;
}

/** One view message on the wire, legal by itself; what depends on its neighbours is decided in `serialise.ts`. */
export interface ChatDraft extends Draft<ChatCall, ChatAnswer> {
  readonly message?: WireMessage;
}

const NONE: readonly never[] = [];

export const draftOf = drafted((shown: ViewMessage): ChatDraft => {
  const { id, role } = shown.message;
  const draft = encodable(makeDraft(shown), id);
  return { id, role, speaks: draft.message !== undefined, ...draft };
});

/** Halves of surrogate pairs cannot be sent at all. */
function encodable(draft: WireForm, at: string): WireForm {
  const message = draft.message && wellFormed(draft.message);
  const answers = draft.answers.map(({ callId, wire }) => ({ callId, wire: wellFormed(wire) }));
  if (message === draft.message && answers.every(({ wire }, i) => wire === draft.answers[i]!.wire))
    return draft;
  const notices = [...draft.notices];
  reporter(at, notices)('lone-surrogate', SAID.surrogates);
  return { ...draft, ...(message && { message }), answers, notices };
}

/** A draft without what its message says of it. */
type WireForm = Pick<ChatDraft, 'message' | 'calls' | 'answers' | 'notices'>;

function makeDraft(shown: ViewMessage): WireForm {
  const { message } = shown;
  if (isForeign(message)) return adoptedDraft(shown);
  const original = shown.made ? undefined : (shown.source ?? message).wire;
  const wire = isFields(original) ? original : undefined;
  const edited = wire === undefined || (shown.replaced?.size ?? 0) > 0;
  const results = message.parts.filter((part) => part.type === 'tool-result');
  if (results.length === 0 && message.role !== 'tool') return mended(message, wire, edited);

  const own = wire?.role === 'tool' || wire?.role === 'function' ? wire : undefined;
  const answers = results.map((part): ChatAnswer => {
    return { callId: part.callId, wire: own && !edited ? own : writeResult(part, own) };
  });
  const rest = message.parts.filter((part) => part.type !== 'tool-result');
  if (rest.length === 0) return resultsOnly(message.id, answers);
  // Another format's message that speaks and brings results at once: chat has one message for each.
  const role = message.role === 'tool' ? 'user' : message.role;
  return { ...mended({ ...message, role, parts: rest }, undefined, true), answers };
}

function adoptedDraft({ source: _, ...shown }: ViewMessage): WireForm {
  const { message, notices } = adopted(shown.message);
  const draft = makeDraft({ ...shown, message });
  return notices.length > 0 ? { ...draft, notices: [...notices, ...draft.notices] } : draft;
}

function resultsOnly(at: string, written: readonly ChatAnswer[]): WireForm {
  const answers = written.map(({ callId, wire }) => ({ callId, wire: withText(wire, false) }));
  const notices: Notice[] = [];
  if (answers.some(({ wire }, index) => wire !== written[index]!.wire))
    reporter(at, notices)('no-content', 'a result without content is sent with an empty one');
  return { calls: NONE, answers, notices };
}

/** Puts right what no provider takes, each with a notice; the same object where nothing is wrong. */
function mended(message: Message, wire: WireMessage | undefined, edited: boolean): WireForm {
  const notices: Notice[] = [];
  const note = reporter(message.id, notices);
  const parts = message.parts.filter((part) => part.type === 'tool-call');
  const ids = distinctIds(parts, note);
  const calls = callsOf(parts, ids);

  let out = written(withIds(message, ids), wire, edited || ids.length > 0, note);
  if (!isKnownRole(out.role)) {
    note('unknown-role', `role ${jsonText(out.role) || 'missing'} is sent as a labelled user message`);
    out = { role: 'user', content: labelled(unknownRole(out.role), message, wire) };
  }
  if (Array.isArray(out.tool_calls) && out.tool_calls.length === 0) {
    const { tool_calls: _, ...without } = out;
    if (!edited) note('no-calls', 'an empty list of calls is left out');
    out = without;
  }
  const filled = withText(out, calls.length > 0);
  if (filled !== out && !edited) note('no-content', `content ${kindOf(out.content)} is sent as text`);
  return { message: filled, calls, answers: NONE, notices: notices.length > 0 ? notices : NONE };
}

function written(
  message: Message,
  wire: WireMessage | undefined,
  edited: boolean,
  note: Report,
): WireMessage {
  if (!wire) return plain(message, message.parts);
  if (edited) return rebuild(message, wire);
  if (message.parts.every((part) => part.type !== 'tool-call' || sameOnWire(part, wire))) return wire;
  note('call-mended', 'a call had no id, or arguments that are no text');
  return rebuild(message, wire);
}

/** Content may be absent only where something else speaks: calls, a refusal, a spoken answer. */
function withText(wire: WireMessage, calls: boolean): WireMessage {
  const { content } = wire;
  if (typeof content === 'string' || listOf(content).length > 0) return wire;
  const speaks = calls || Boolean(wire.refusal) || isFields(wire.audio);
  if ((content === undefined || content === null) && wire.role === 'assistant' && speaks) return wire;
  const empty = content === undefined || content === null || Array.isArray(content);
  return { ...wire, content: empty ? '' : jsonText(content) };
}

function callsOf(parts: readonly Part[], ids: readonly string[]): readonly ChatCall[] {
  const calls = parts.filter((part) => part.type === 'tool-call');
  if (calls.length === 0) return NONE;
  return calls.map(({ callId, name, wire }, index) => {
    return { callId, wireId: ids[index] ?? callId, tool: name, legacy: wire === LEGACY_CALL };
  });
}

function withIds(message: Message, ids: readonly string[]): Message {
  if (ids.length === 0) return message;
  let index = 0;
  const renamed = (part: Part) => (part.type === 'tool-call' ? { ...part, callId: ids[index++]! } : part);
  return { ...message, parts: message.parts.map(renamed) };
}

/** Whether the wire already says id and arguments of a call as we do; it does not where either was missing. */
function sameOnWire(part: ToolCallPart, wire: WireMessage): boolean {
  const call =
    typeof part.wire === 'number' ? listOf(wire.tool_calls)[part.wire] : { function: wire[LEGACY_CALL] };
  if (!isFields(call)) return false;
  if (typeof part.wire === 'number' && call.id !== part.callId) return false;
  if (isFields(call.custom)) return call.custom.input === part.arguments;
  return isFields(call.function) && call.function.arguments === part.arguments;
}

/** All that a message of an unknown role says, or the whole of it where it has no content. */
function labelled(label: string, message: Message, wire: WireMessage | undefined): unknown {
  const content = message.parts.filter(isContentPart);
  const parts = content.length > 0 ? content : [{ type: 'text' as const, text: jsonText(wire) }];
  return writeContent([{ type: 'text', text: label }, ...parts], wire?.content);
}
