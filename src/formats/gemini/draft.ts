import type { Notice } from '../../spi/index.js';
import type { Message, Part, ToolResultPart, ViewMessage } from '../../transcript/index.js';
import { alignedParts } from '../aligned.js';
import { isFields, isText } from '../record.js';
import { wellFormed } from '../well-formed.js';
import { foreignDraft } from './foreign.js';
import { writePart } from './rebuild.js';
import { carriedBy, fieldOf, partsIn, type Carried, type Content, type WirePart } from './wire.js';

/** A call as its step waits for it; `id` only where the wire has one. */
export interface DraftCall {
  readonly callId: string;
  readonly tool: string;
  readonly wireName: string;
  readonly id?: string;
}

export interface DraftResult {
  readonly part: ToolResultPart;
  /** The whole part, `functionResponse` and what stands beside it. */
  readonly wire: WirePart;
  /** Files that have no place in a response; they follow in the user's own turn. */
  readonly media: readonly WirePart[];
}

/** One view message on the wire; what depends on its neighbours is decided in `step.ts`. */
export interface Draft {
  /** The turn itself, where it can go out as the very object that came in. */
  readonly untouched?: Content;
  /** All parts but results. */
  readonly parts: readonly WirePart[];
  readonly calls: readonly DraftCall[];
  readonly results: readonly DraftResult[];
  readonly notices: readonly Notice[];
}

/** By the view's message object: a view that is written again is drafted only where it changed. */
const drafts = new WeakMap<Message, Draft>();

export function draftOf(shown: ViewMessage): Draft {
  const known = drafts.get(shown.message);
  if (known) return known;
  const carried = shown.made ? undefined : carriedBy(shown.source ?? shown.message);
  const draft = carried ? ownDraft(shown, carried) : encodable(foreignDraft(shown.message), shown.message.id);
  drafts.set(shown.message, draft);
  return draft;
}

function ownDraft(shown: ViewMessage, { content, system }: Carried): Draft {
  const { id } = shown.message;
  const edited = (shown.replaced?.size ?? 0) > 0;
  const original = partsIn(content ?? system);
  const written = alignedParts(shown).map(({ source, shown: parts, replaced }) => {
    const at = typeof source.wire === 'number' ? source.wire : 0;
    const own = original[at] ?? {};
    return { parts, wires: replaced ? parts.map((part) => writePart(part, own)) : [own] };
  });
  const results = written.flatMap(({ parts, wires }) =>
    parts.flatMap((part, i): DraftResult[] =>
      part.type === 'tool-result' ? [{ part, wire: wires[i]!, media: [] }] : [],
    ),
  );
  const spoken = written.flatMap(({ parts, wires }) =>
    parts[0]?.type === 'tool-result' ? [] : wires.map((wire, i) => ({ part: parts[i], wire })),
  );
  const said = spoken.filter(({ wire }) => !isEmptyText(wire));
  const calls = said.flatMap(({ part, wire }) => (part?.type === 'tool-call' ? [callIn(part, wire)] : []));
  const notices: Notice[] = [];
  if (said.length < spoken.length && !edited) {
    notices.push({ at: id, kind: 'empty-text', what: 'a text without words is not sent' });
  }
  const isWhole =
    !edited && notices.length === 0 && isFields(content) && isRole(content.role) && original.length > 0;
  const draft = encodable({ parts: said.map(({ wire }) => wire), calls, results, notices }, id);
  return isWhole && draft.notices.length === 0 ? { ...draft, untouched: content } : draft;
}

function isRole(role: unknown): boolean {
  return role === 'user' || role === 'model' || role === 'function';
}

function callIn(part: Extract<Part, { type: 'tool-call' }>, wire: WirePart): DraftCall {
  const call = fieldOf(wire, 'functionCall');
  const own = isFields(call) ? call : {};
  return {
    callId: part.callId,
    tool: part.name,
    wireName: isText(own.name) ? own.name : part.name,
    ...(isText(own.id) ? { id: own.id } : {}),
  };
}

/** A signature may ride on an empty text; without one the text is refused. */
function isEmptyText(wire: WirePart): boolean {
  return (
    wire.text === '' && fieldOf(wire, 'thoughtSignature') === undefined && Object.keys(wire).length === 1
  );
}

/** Halves of surrogate pairs cannot be sent at all. */
function encodable(draft: Draft, at: string): Draft {
  const parts = wellFormed(draft.parts);
  const results = draft.results.map((result) => {
    const wire = wellFormed(result.wire);
    return wire === result.wire ? result : { ...result, wire };
  });
  if (parts === draft.parts && results.every((result, i) => result === draft.results[i])) return draft;
  const what = 'halves of surrogate pairs cannot be encoded; sent as U+FFFD';
  return { ...draft, parts, results, notices: [...draft.notices, { at, kind: 'lone-surrogate', what }] };
}
