import type { Notice } from '../../spi/index.js';
import type { Message, Part, ToolCallPart, ToolResultPart, ViewMessage } from '../../transcript/index.js';
import { isFields, jsonText, kindOf, listOf } from '../record.js';
import { adopted, isForeign } from './adopt.js';
import { isContentPart, writeContent } from './content-out.js';
import { distinctIds } from '../steps/index.js';
import { unknownRole } from './notes.js';
import { plain, rebuild, writeResult } from './rebuild.js';
import { isKnownRole, LEGACY_CALL, type WireMessage } from './wire.js';

/** A call as its step waits for it. */
export interface DraftCall {
  /** The id that results name. */
  readonly callId: string;
  /** The id on the wire: another one where two calls of the message shared theirs. */
  readonly wireId: string;
  readonly tool: string;
  readonly legacy: boolean;
}

export interface DraftResult {
  readonly part: ToolResultPart;
  readonly wire: WireMessage;
}

/** One view message on the wire, legal by itself; what depends on its neighbours is decided in `step.ts`. */
export interface Draft {
  /** Absent where there is nothing but results. */
  readonly message?: WireMessage;
  readonly calls: readonly DraftCall[];
  readonly results: readonly DraftResult[];
  readonly notices: readonly Notice[];
}

const NONE: readonly never[] = [];

/** By the view's message object: a view that is written again allocates only where it changed. */
const drafts = new WeakMap<Message, Draft>();

export function draftOf(shown: ViewMessage): Draft {
  const known = drafts.get(shown.message);
  if (known) return known;
  const draft = makeDraft(shown);
  drafts.set(shown.message, draft);
  return draft;
}

function makeDraft(shown: ViewMessage): Draft {
  const { message } = shown;
  if (isForeign(message)) return adoptedDraft(shown);
  const original = shown.made ? undefined : (shown.source ?? message).wire;
  const wire = isFields(original) ? original : undefined;
  const edited = wire === undefined || (shown.replaced?.size ?? 0) > 0;
  const results = message.parts.filter((part) => part.type === 'tool-result');
  if (results.length === 0 && message.role !== 'tool') return mended(message, wire, edited);

  const own = wire?.role === 'tool' || wire?.role === 'function' ? wire : undefined;
  const answers = results.map((part): DraftResult => {
    return { part, wire: own && !edited ? own : writeResult(part, own) };
  });
  const rest = message.parts.filter((part) => part.type !== 'tool-result');
  if (rest.length === 0) return resultsOnly(message.id, answers);
  // Another format's message that speaks and brings results at once: chat has one message for each.
  const role = message.role === 'tool' ? 'user' : message.role;
  return { ...mended({ ...message, role, parts: rest }, undefined, true), results: answers };
}

function adoptedDraft({ source: _, ...shown }: ViewMessage): Draft {
  const { message, notices } = adopted(shown.message);
  const draft = makeDraft({ ...shown, message });
  return notices.length > 0 ? { ...draft, notices: [...notices, ...draft.notices] } : draft;
}

function resultsOnly(at: string, written: readonly DraftResult[]): Draft {
  const results = written.map(({ part, wire }) => ({ part, wire: withText(wire, false) }));
  const filled = results.some((result, index) => result.wire !== written[index]!.wire);
  const what = 'a result without content is sent with an empty one';
  return { calls: NONE, results, notices: filled ? [{ at, kind: 'no-content', what }] : NONE };
}

/** Puts right what no provider takes, each with a notice; the same object where nothing is wrong. */
function mended(message: Message, wire: WireMessage | undefined, edited: boolean): Draft {
  const notices: Notice[] = [];
  const note: Note = (kind, what) => void notices.push({ at: message.id, kind, what });
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
  return { message: filled, calls, results: NONE, notices: notices.length > 0 ? notices : NONE };
}

type Note = (kind: string, what: string) => void;

function written(message: Message, wire: WireMessage | undefined, edited: boolean, note: Note): WireMessage {
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

function callsOf(parts: readonly Part[], ids: readonly string[]): readonly DraftCall[] {
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
