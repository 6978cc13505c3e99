import type { Notice } from '../../spi/index.js';
import type { Message, Part, ToolResultPart, ViewMessage } from '../../transcript/index.js';
import { alignedParts } from '../aligned.js';
import { isFields, isText } from '../record.js';
import { wellFormed } from '../well-formed.js';
import { fileNote } from '../wording.js';
import { foreignDraft } from './foreign.js';
import { mendPart, type Note } from './mend.js';
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
  const notices: Notice[] = [];
  const note: Note = (kind, what) => void notices.push({ at: id, kind, what });
  const original = partsIn(content ?? system);
  const written = alignedParts(shown).map(({ source, shown: parts, replaced }) => {
    const at = typeof source.wire === 'number' ? source.wire : 0;
    const own = original[at] ?? {};
    if (replaced) return { parts, wires: parts.map((part) => writePart(part, own)) };
    return { parts, wires: system === undefined ? mendPart(own, note) : [asWords(own, source, note)] };
  });
  const results = written.flatMap(({ parts, wires }) =>
    parts.flatMap((part): DraftResult[] => {
      const wire = wires.find((one) => fieldOf(one, 'functionResponse') !== undefined);
      return part.type === 'tool-result' && wire ? [{ part, wire, media: [] }] : [];
    }),
  );
  const spoken = written.flatMap(({ parts, wires }) =>
    wires.flatMap((wire) => {
      if (fieldOf(wire, 'functionResponse') !== undefined) return [];
      const isCall = fieldOf(wire, 'functionCall') !== undefined;
      return [{ part: parts.find(({ type }) => (type === 'tool-call') === isCall), wire }];
    }),
  );
  const said = spoken.filter(({ wire }) => !isEmptyText(wire));
  const calls = said.flatMap(({ part, wire }) => (part?.type === 'tool-call' ? [callIn(part, wire)] : []));
  if (said.length < spoken.length && !edited) {
    notices.push({ at: id, kind: 'empty-text', what: 'a text without words is not sent' });
  }
  const isWhole =
    !edited && notices.length === 0 && isFields(content) && isRole(content.role) && isSound(content.parts);
  const draft = encodable({ parts: said.map(({ wire }) => wire), calls, results, notices }, id);
  return isWhole && draft.notices.length === 0 ? { ...draft, untouched: content } : draft;
}

/** Parts that were read around are written anew. */
function isSound(parts: unknown): boolean {
  return Array.isArray(parts) && parts.length > 0 && parts.every(isFields);
}

/** A system prompt holds words alone. */
function asWords(own: WirePart, source: Part, note: Note): WirePart {
  if (typeof own.text === 'string' || source.type !== 'file') return own;
  note('file-named', 'a file has no place in the system prompt; it is named instead');
  return { text: fileNote(source.mediaType, source.bytes, source.name) };
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
