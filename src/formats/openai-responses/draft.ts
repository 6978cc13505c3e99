import type { Notice } from '../../spi/index.js';
import type { Message, Part, ToolResultPart, ViewMessage } from '../../transcript/index.js';
import { type Aligned, alignedParts, drafted, wellFormed } from '../conversation/drafts.js';
import type { Drafted, DraftedAnswer, DraftedCall } from '../conversation/pairing.js';
import { unknownRole } from '../conversation/placeholders.js';
import { type Report, reporter, SAID } from '../conversation/repairs.js';
import { isText, jsonText } from '../record.js';
import { type CallKind, callKindOf, resultKindOf } from './call-kinds.js';
import { foreignDraft } from './from-other-format.js';
import {
  type Carried,
  carriedBy,
  isKnownRole,
  isMessageItem,
  type Item,
  noteOf,
  pointerOf,
  withoutId,
} from './wire.js';

export interface DraftCall extends DraftedCall {
  /** The id on the wire, unless an earlier call has it. */
  readonly wireId: string;
  readonly kind: CallKind;
}

/** One item that goes out, and the call it makes, if it makes one. */
export interface Entry {
  readonly item: Item;
  readonly call?: DraftCall;
}

export interface DraftResult extends DraftedAnswer {
  readonly part: ToolResultPart;
  readonly item: Item;
  readonly kind: CallKind;
}

/** What a message becomes on the wire by itself. */
export interface WireForm {
  /** The body's system prompt, which is no item. */
  readonly instructions?: string;
  readonly entries: readonly Entry[];
  readonly results: readonly DraftResult[];
  readonly notices: readonly Notice[];
}

/** One view message on the wire, legal by itself; what depends on its neighbours is decided in `step.ts`. */
export interface Draft extends Drafted<DraftCall, DraftResult> {
  readonly instructions?: string;
  readonly entries: readonly Entry[];
}

export const draftOf = drafted((shown: ViewMessage): Draft => {
  const { message } = shown;
  const carried = shown.made ? undefined : carriedBy(shown.source ?? message);
  const made = encodable(carried ? ownDraft(shown, carried) : foreignDraft(message), message.id);
  const { results: answers, ...rest } = made;
  const calls = made.entries.flatMap(({ call }) => call ?? []);
  return { id: message.id, role: message.role, ...rest, calls, answers, speaks: made.entries.length > 0 };
});

function ownDraft(shown: ViewMessage, { items, instructions, text, elsewhere }: Carried): WireForm {
  const edited = (shown.replaced?.size ?? 0) > 0;
  if (instructions !== undefined) {
    return { ...NOTHING, instructions: edited ? saidBy(shown.message) : instructions };
  }
  if (text !== undefined) {
    const content = edited ? saidBy(shown.message) : text;
    return { ...NOTHING, entries: [{ item: { role: 'user', content } }] };
  }
  const notices: Notice[] = [];
  const note = reporter(shown.message.id, notices);
  const byItem = groupByItem(alignedParts(shown));
  if (shown.message.role === 'tool')
    return resultDraft(shown.message, items?.[0], byItem.get(0), elsewhere, notices);
  const written = (items ?? []).map((item, index) => {
    const parts = byItem.get(index) ?? [];
    const call = callIn(item, parts);
    return {
      item,
      parts,
      written: writeItem(item, parts, note).map((one, i) =>
        i === 0 && call ? { item: one, call } : { item: one },
      ),
    };
  });
  return { entries: boundEntries(written, note), results: [], notices };
}

const NOTHING: WireForm = { entries: [], results: [], notices: [] };

function resultDraft(
  message: Message,
  item: Item | undefined,
  [aligned]: readonly Aligned[] = [],
  elsewhere: boolean | undefined,
  notices: Notice[],
): WireForm {
  const kind = item && resultKindOf(item);
  const part = aligned?.shown[0];
  if (!item || !kind || part?.type !== 'tool-result') return foreignDraft(message);
  const note = reporter(message.id, notices);
  const about = { callId: part.callId, part, kind, ...(elsewhere ? { elsewhere } : {}) };
  const own = withOutput(withId(item, part, kind, note), kind, note);
  if (!aligned?.replaced) return { entries: [], results: [{ ...about, item: own }], notices };
  const edited = kind.withContent(own, part.content);
  // A screenshot has no place for words: what stands for the picture is said behind it.
  const words =
    kind.call === 'computer_call' && edited !== own ? saidBy({ ...message, parts: part.content }) : '';
  const entries = words === '' ? [] : [{ item: { role: 'user', content: words } }];
  return { entries, results: [{ ...about, item: edited }], notices };
}

function withId(item: Item, { callId }: ToolResultPart, { resultIdFields }: CallKind, note: Report): Item {
  if (resultIdFields.some((field) => isText(item[field]))) return item;
  note('missing-result-id', `a result without an id; by order it answers ${callId}`);
  return { ...item, [resultIdFields[0]!]: callId };
}

/** What a function gave back is text or a list of entries; anything else is sent as JSON text. */
function withOutput(item: Item, { result }: CallKind, note: Report): Item {
  const { output } = item;
  const wantsText = result === 'function_call_output' || result === 'custom_tool_call_output';
  if (!wantsText || typeof output === 'string' || Array.isArray(output)) return item;
  note('output-not-text', 'the output of a call is sent as JSON text');
  return { ...item, output: output === undefined || output === null ? '' : jsonText(output) };
}

function callIn(item: Item, parts: readonly Aligned[]): DraftCall | undefined {
  const kind = callKindOf(item);
  const part = parts[0]?.source;
  if (!kind || part?.type !== 'tool-call') return undefined;
  return { callId: part.callId, wireId: wellFormed(part.callId), tool: part.name, kind };
}

function groupByItem(parts: readonly Aligned[]): Map<number, Aligned[]> {
  const groups = new Map<number, Aligned[]>();
  for (const aligned of parts) {
    const index = pointerOf(aligned.source.wire)?.[0] ?? 0;
    const group = groups.get(index);
    if (group) group.push(aligned);
    else groups.set(index, [aligned]);
  }
  return groups;
}

function saidBy({ parts }: Pick<Message, 'parts'>): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** Halves of surrogate pairs cannot be sent at all. */
function encodable(draft: WireForm, at: string): WireForm {
  const instructions = draft.instructions === undefined ? undefined : wellFormed(draft.instructions);
  const entries = draft.entries.map((entry) => mended(entry));
  const results = draft.results.map((result) => mended(result));
  const same =
    instructions === draft.instructions &&
    entries.every((entry, i) => entry === draft.entries[i]) &&
    results.every((result, i) => result === draft.results[i]);
  if (same) return draft;
  const notices = [...draft.notices];
  reporter(at, notices)('lone-surrogate', SAID.surrogates);
  return { ...draft, ...(instructions === undefined ? {} : { instructions }), entries, results, notices };
}

function mended<T extends { readonly item: Item }>(value: T): T {
  const item = wellFormed(value.item);
  return item === value.item ? value : { ...value, item };
}

/** What is sent for one item: the very object where its parts are untouched, nothing where none is left. */
function writeItem(item: Item, parts: readonly Aligned[], note: Report): readonly Item[] {
  const edited = parts.some((part) => part.replaced);
  if (isMessageItem(item) && !isKnownRole(item.role)) return [labelled(item, parts, note)];
  if (isMessageItem(item)) return edited ? writeMessage(item, parts) : [withContent(item, note)];
  const kind = callKindOf(item);
  if (kind) {
    const call = parts[0]?.shown[0];
    if (call?.type !== 'tool-call') return [item];
    const named = isText(item[kind.idField]) ? item : { ...item, [kind.idField]: call.callId };
    if (edited) return [kind.withArguments(named, call.arguments)];
    if (kind.call !== 'function_call' || typeof item.arguments === 'string') return [named];
    note('arguments-not-text', `the arguments of ${call.name} are sent as JSON text`);
    return [{ ...named, arguments: call.arguments }];
  }
  if (!edited) return [item];
  if (item.type === 'mcp_call') return [writeServerPair(item, parts)];
  // Sealed items are whole or gone; what stands for them is said in words.
  const words = parts.flatMap((part) => part.shown).map(wordsOf);
  const text = words.filter((word) => word !== '').join('\n');
  return text === '' ? [] : [{ role: 'assistant', content: text }];
}

/** A role that this wire does not know: its words are sent as the user's, and say whose they are. */
function labelled({ role }: Item, parts: readonly Aligned[], note: Report): Item {
  note('unknown-role', `role ${String(role ?? 'missing')} is sent as a labelled user message`);
  const words = parts.flatMap(({ shown }) => shown.map(wordsOf)).filter((text) => text !== '');
  return { role: 'user', content: [unknownRole(role), ...words].join('\n') };
}

function writeMessage(item: Item, parts: readonly Aligned[]): readonly Item[] {
  if (Array.isArray(item.content)) {
    const list = item.content as readonly unknown[];
    const isModels = item.role === 'assistant';
    const content = parts.flatMap(({ source, shown, replaced }): readonly unknown[] => {
      const at = Array.isArray(source.wire) ? (source.wire as readonly number[])[1] : undefined;
      if (!replaced && at !== undefined) return [list[at]];
      return shown.map((part) => textEntry(wordsOf(part), isModels));
    });
    if (content.length > 0) return [{ ...item, content }];
  } else {
    const text = parts.flatMap((part) => part.shown.map(wordsOf)).join('\n');
    if (text !== '') return [{ ...item, content: text }];
  }
  return item.role === 'assistant' ? [] : [{ ...item, content: '' }];
}

function textEntry(text: string, isModels: boolean): Item {
  return isModels ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text };
}

function wordsOf(part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text;
  return part.type === 'file' || part.type === 'opaque' ? noteOf(part) : '';
}

/** Content that is missing, or an empty list, is refused. */
function withContent(item: Item, note: Report): Item {
  const { content } = item;
  const missing =
    content === undefined || content === null || (Array.isArray(content) && content.length === 0);
  if (!missing) return item;
  note('no-content', 'a message without content is sent with an empty one');
  return { ...item, content: '' };
}

function writeServerPair(item: Item, parts: readonly Aligned[]): Item {
  let pair: Item = item;
  for (const part of parts.flatMap(({ shown, replaced }) => (replaced ? shown : []))) {
    if (part.type === 'tool-call') pair = { ...pair, arguments: part.arguments };
    if (part.type !== 'tool-result') continue;
    const words = part.content.map(wordsOf).join('\n');
    pair = { ...pair, [isText(item.error) ? 'error' : 'output']: words };
  }
  return pair;
}

/** An item of a step, and what is sent for it: nothing where its parts were taken out. */
interface Written {
  readonly item: Item;
  readonly parts: readonly Aligned[];
  readonly written: readonly Entry[];
}

/**
 * The server wants a reasoning item directly before the item that it led to, and knows by their ids which belong
 * together: a reasoning item whose successor is gone goes too, and items behind one that is gone lose their ids.
 */
function boundEntries(items: readonly Written[], note: Report): readonly Entry[] {
  const entries: Entry[] = [];
  /** The reasoning before these items is not sent. */
  let loose = false;
  items.forEach(({ item, written }, index) => {
    if (item.type !== 'reasoning') {
      entries.push(...(loose ? written.map(untied) : written));
      return;
    }
    const next = items.slice(index + 1).find((one) => one.item.type !== 'reasoning');
    const isReadable = isText(item.encrypted_content) || isText(item.id);
    if (written[0]?.item === item && isReadable && next && next.written.length > 0) {
      loose = false;
      entries.push(...written);
      return;
    }
    loose = true;
    if (written[0]?.item !== item) entries.push(...written);
    else if (!isReadable)
      note('unbound-reasoning', 'reasoning without id and sealed content means nothing; not sent');
    else if (!next) note('dangling-reasoning', 'reasoning that led to nothing is refused; not sent');
  });
  return entries;
}

function untied(entry: Entry): Entry {
  const item = withoutId(entry.item);
  return item === entry.item ? entry : { ...entry, item };
}
