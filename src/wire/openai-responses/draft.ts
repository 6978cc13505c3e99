import type { Notice } from '../../spi/index.js';
import type { Message, ToolResultPart, ViewMessage } from '../../transcript/index.js';
import { alignedParts, type Aligned } from '../conversation/aligned.js';
import { wellFormed } from '../conversation/well-formed.js';
import { isText, jsonText } from '../record.js';
import { drafted } from '../conversation/drafts.js';
import type { Drafted } from '../conversation/pairing.js';
import type { DraftCall, DraftResult, Entry, WireForm } from './wire-form.js';
import { boundEntries } from './reasoning-order.js';
import { callKindOf, resultKindOf, type CallKind } from './call-kinds.js';
import { foreignDraft } from './from-other-format.js';
import { writeItem } from './edited-items.js';
import { carriedBy, pointerOf, type Carried, type Item } from './wire.js';
import { reporter, SAID, type Report } from '../conversation/repairs.js';

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
    return { ...NOTHING, instructions: edited ? wordsOf(shown.message) : instructions };
  }
  if (text !== undefined) {
    const content = edited ? wordsOf(shown.message) : text;
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
    kind.call === 'computer_call' && edited !== own ? wordsOf({ ...message, parts: part.content }) : '';
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

function wordsOf({ parts }: Pick<Message, 'parts'>): string {
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
