import type { ToolResultPart, ViewMessage } from '../../transcript/index.js';
import { type Aligned, alignedParts, createDrafter, wellFormed } from '../conversation/drafts.js';
import type { Drafted, DraftedAnswer, DraftedCall } from '../conversation/pairing.js';
import { unknownRole } from '../conversation/placeholders.js';
import { textOf, textsIn } from '../conversation/reading.js';
import { REPAIRS, type Report } from '../conversation/repairs.js';
import { asText, innerOf, isText, jsonText } from '../record.js';
import { type CallKind, callKindOf, resultKindOf } from './call-kinds.js';
import { foreignForm } from './from-other-format.js';
import {
  type Carried,
  carriedBy,
  isKnownRole,
  isMessageItem,
  type Item,
  pointerOf,
  withoutId,
  wordsOf,
} from './wire.js';

export interface DraftCall extends DraftedCall {
  /** The id on the wire, unless an earlier call has this id. */
  readonly wireId: string;
  readonly kind: CallKind;
}

export interface DraftResult extends DraftedAnswer {
  /** Its words, for a call of another kind or for a user message. */
  readonly texts: readonly string[];
  readonly item: Item;
  readonly kind: CallKind;
}

/** The form of a single message on the wire. */
export interface WireForm {
  /** The body's system prompt, which is no item. */
  readonly instructions?: string;
  /** All items but results; the calls are in the order of their items. */
  readonly items: readonly Item[];
  readonly calls: readonly DraftCall[];
  readonly answers: readonly DraftResult[];
}

/** One view message on the wire, legal on its own; `serialise.ts` decides what depends on its neighbours. */
export type Draft = WireForm & Drafted<DraftCall, DraftResult>;

export const draftOf = createDrafter<Draft>((shown, report) => {
  const carried = carriedBy(shown);
  const form = carried ? ownForm(shown, carried, report) : foreignForm(shown.message, report);
  return { ...form, hasContent: form.items.length > 0 };
});

const EMPTY_FORM: WireForm = { items: [], calls: [], answers: [] };

function ownForm(shown: ViewMessage, carried: Carried, report: Report): WireForm {
  const { message, replaced } = shown;
  const { instructions, text } = carried;
  const { items = text === undefined ? [] : [{ role: 'user', content: text }] } = carried;
  const isEdited = (replaced?.size ?? 0) > 0;
  if (instructions !== undefined)
    return { ...EMPTY_FORM, instructions: isEdited ? textOf(message.parts) : instructions };
  if (message.role === 'tool') return resultForm(shown, carried, report);
  const aligned = alignedParts(shown);
  const written = items.map((item, index): Written => {
    const parts = aligned.filter(({ source }) => (pointerOf(source.wire)?.[0] ?? 0) === index);
    return { item, parts, written: writeItem(item, parts, report) };
  });
  return { ...EMPTY_FORM, items: boundItems(written, report), calls: written.flatMap(callIn) };
}

function resultForm(shown: ViewMessage, { items, elsewhere }: Carried, report: Report): WireForm {
  const item = items?.[0];
  const kind = item && resultKindOf(item);
  const [aligned] = alignedParts(shown);
  const part = aligned?.shown[0];
  if (!kind || part?.type !== 'tool-result') return foreignForm(shown.message, report);
  const own = withOutput(withId(item, part, kind, report), kind, report);
  const edited = aligned!.replaced ? kind.withContent(own, part.content) : own;
  // A screenshot has no place for words: the text that replaces the image is sent after it.
  const words = kind.call === 'computer_call' && edited !== own ? textOf(part.content) : '';
  const texts = textsIn(part.content);
  const answer = { callId: part.callId, texts, kind, item: edited, ...(elsewhere && { mayLackCall: true }) };
  return { ...EMPTY_FORM, items: words === '' ? [] : [{ role: 'user', content: words }], answers: [answer] };
}

function withId(item: Item, { callId }: ToolResultPart, { resultIdFields }: CallKind, report: Report): Item {
  if (resultIdFields.some((field) => isText(item[field]))) return item;
  report('missing-result-id', `a result without an id; by order it answers ${callId}`);
  return { ...item, [resultIdFields[0]!]: callId };
}

/** The output of a function must be text or a list of entries; any other value is sent as JSON text. */
function withOutput(item: Item, { result }: CallKind, report: Report): Item {
  const { output } = item;
  const wantsText = result === 'function_call_output' || result === 'custom_tool_call_output';
  if (!wantsText || typeof output === 'string' || Array.isArray(output)) return item;
  report('output-not-text', 'the output of a call is sent as JSON text');
  return { ...item, output: output === undefined || output === null ? '' : jsonText(output) };
}

function callIn({ item, parts: [first] }: Written): DraftCall[] {
  const kind = callKindOf(item);
  const part = first?.source;
  if (!kind || part?.type !== 'tool-call') return [];
  return [{ callId: part.callId, wireId: wellFormed(part.callId), tool: part.name, kind }];
}

/** The items that are sent for one item: the very object if its parts are unchanged, none if no part is left. */
function writeItem(item: Item, parts: readonly Aligned[], report: Report): readonly Item[] {
  const edited = parts.some((part) => part.replaced);
  if (isMessageItem(item) && !isKnownRole(item.role)) return [labelled(item, parts, report)];
  if (isMessageItem(item)) return edited ? writeMessage(item, parts) : [withContent(item, report)];
  const kind = callKindOf(item);
  if (kind) {
    const call = parts[0]?.shown[0];
    if (call?.type !== 'tool-call') return [item];
    const named = isText(item[kind.idField]) ? item : { ...item, [kind.idField]: call.callId };
    if (edited) return [kind.withArguments(named, call.arguments)];
    if (kind.call !== 'function_call' || typeof item.arguments === 'string') return [named];
    report('arguments-not-text', `the arguments of ${call.name} are sent as JSON text`);
    return [{ ...named, arguments: call.arguments }];
  }
  if (!edited) return [item];
  if (item.type === 'mcp_call') return [writeServerPair(item, parts)];
  // Sealed items are sent whole or not at all; their replacement is sent as words.
  const words = parts.flatMap((part) => part.shown).map(wordsOf);
  const text = words.filter((word) => word !== '').join('\n');
  return text === '' ? [] : [{ role: 'assistant', content: text }];
}

/** A message with an unknown role: its words are sent as the user's, with the role as a label. */
function labelled({ role }: Item, parts: readonly Aligned[], report: Report): Item {
  report('unknown-role', `role ${asText(role ?? 'missing')} is sent as a labelled user message`);
  const words = parts.flatMap(({ shown }) => shown.map(wordsOf)).filter((text) => text !== '');
  return { role: 'user', content: [unknownRole(role), ...words].join('\n') };
}

function writeMessage(item: Item, parts: readonly Aligned[]): readonly Item[] {
  if (Array.isArray(item.content)) {
    const list = item.content as readonly unknown[];
    const isFromModel = item.role === 'assistant';
    const content = parts.flatMap(({ source, shown, replaced }): readonly unknown[] => {
      const own = innerOf(list, source.wire);
      if (!replaced && own !== undefined) return [own];
      return shown.map((part) => textEntry(wordsOf(part), isFromModel));
    });
    if (content.length > 0) return [{ ...item, content }];
  } else {
    const text = parts.flatMap((part) => part.shown.map(wordsOf)).join('\n');
    if (text !== '') return [{ ...item, content: text }];
  }
  return item.role === 'assistant' ? [] : [{ ...item, content: '' }];
}

function textEntry(text: string, isFromModel: boolean): Item {
  return isFromModel ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text };
}

/** The item with empty text for missing content or an empty list, which the server refuses. */
function withContent(item: Item, report: Report): Item {
  const { content } = item;
  const missing =
    content === undefined || content === null || (Array.isArray(content) && content.length === 0);
  if (!missing) return item;
  report('no-content', 'a message without content is sent with an empty one');
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

/** An item of a step, and the items that are sent for it: none if its parts were removed. */
interface Written {
  readonly item: Item;
  readonly parts: readonly Aligned[];
  readonly written: readonly Item[];
}

/**
 * The server wants a reasoning item directly before the item that it led to, and pairs the two by their ids: a
 * reasoning item whose successor is gone is removed too, and items after a removed reasoning item lose their ids.
 */
function boundItems(all: readonly Written[], report: Report): readonly Item[] {
  /** Whether the reasoning before these items is not sent. */
  let isUnbound = false;
  return all.flatMap(({ item, written }, index) => {
    if (item.type !== 'reasoning') return isUnbound ? written.map(withoutId) : written;
    const next = all.slice(index + 1).find((one) => one.item.type !== 'reasoning');
    const isReadable = isText(item.encrypted_content) || isText(item.id);
    const isWhole = written[0] === item;
    isUnbound = !(isWhole && isReadable && next?.written.some(({ id }) => id === next.item.id));
    if (!isUnbound || !isWhole) return written;
    if (!isReadable)
      report('unbound-reasoning', 'reasoning without id and sealed content means nothing; not sent');
    else if (!next) report('dangling-reasoning', REPAIRS.dangling);
    return [];
  });
}
