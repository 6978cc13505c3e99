import type { Notice } from '../../spi/index.js';
import type { Part, ToolResultPart, ViewMessage } from '../../transcript/index.js';
import { alignedParts } from '../conversation/aligned.js';
import { isFields, isText } from '../record.js';
import { wellFormed } from '../conversation/well-formed.js';
import { fileNote } from '../conversation/placeholders.js';
import { drafted } from '../conversation/drafts.js';
import type { Drafted } from '../conversation/pairing.js';
import type { DraftCall, DraftResult, WireForm } from './wire-form.js';
import { foreignDraft } from './from-other-format.js';
import { mendPart } from './repair-parts.js';
import { writePart } from './edited-parts.js';
import { carriedBy, fieldOf, partsIn, type Carried, type WirePart } from './wire.js';
import { reporter, SAID, type Report } from '../conversation/repairs.js';

/** One view message on the wire; what depends on its neighbours is decided in `step.ts`. */
export interface Draft extends WireForm, Drafted<DraftCall, DraftResult> {
  /** It stands for a span of the log. */
  readonly made: boolean;
}

export const draftOf = drafted((shown: ViewMessage): Draft => {
  const { id, role } = shown.message;
  const carried = shown.made ? undefined : carriedBy(shown.source ?? shown.message);
  const draft = carried ? ownDraft(shown, carried) : encodable(foreignDraft(shown.message), id);
  return { id, role, ...draft, speaks: draft.parts.length > 0, made: shown.made !== undefined };
});

function ownDraft(shown: ViewMessage, { content, system }: Carried): WireForm {
  const { id } = shown.message;
  const edited = (shown.replaced?.size ?? 0) > 0;
  const notices: Notice[] = [];
  const note = reporter(id, notices);
  const original = partsIn(content ?? system);
  const written = alignedParts(shown).map(({ source, shown: parts, replaced }) => {
    const at = typeof source.wire === 'number' ? source.wire : 0;
    const own = original[at] ?? {};
    if (replaced) return { parts, wires: parts.map((part) => writePart(part, own)) };
    return { parts, wires: system === undefined ? mendPart(own, note) : [asWords(own, source, note)] };
  });
  const answers = written.flatMap(({ parts, wires }) =>
    parts.flatMap((part): DraftResult[] => {
      const wire = wires.find((one) => fieldOf(one, 'functionResponse') !== undefined);
      if (part.type !== 'tool-result' || !wire) return [];
      return [{ callId: part.callId, part, ...withBeside(part, wire, original, note) }];
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
    note('empty-text', 'a text without words is not sent');
  }
  const isWhole =
    !edited && notices.length === 0 && isFields(content) && isRole(content.role) && isSound(content.parts);
  const draft = encodable({ parts: said.map(({ wire }) => wire), calls, answers, notices }, id);
  return isWhole && draft.notices.length === 0 ? { ...draft, untouched: content } : draft;
}

/** A result as it goes out where its turn does not: the words beside its response in it, the files behind it. */
function withBeside(
  part: ToolResultPart,
  wire: WirePart,
  original: readonly WirePart[],
  note: Report,
): Pick<DraftResult, 'wire' | 'media'> {
  const media: WirePart[] = [];
  let words = false;
  for (const { type, wire: at } of part.content) {
    if (typeof at !== 'number' || at === part.wire) continue;
    const [own] = mendPart(original[at] ?? {}, note);
    if (type === 'file' && own) media.push(own);
    if (type !== 'text') continue;
    words = true;
    if (own && isEmptyText(own)) note('empty-text', 'a text without words is not sent');
  }
  return { media, wire: words ? writePart(part, wire) : wire };
}

/** Parts that were read around are written anew. */
function isSound(parts: unknown): boolean {
  return Array.isArray(parts) && parts.length > 0 && parts.every(isFields);
}

/** A system prompt holds words alone. */
function asWords(own: WirePart, source: Part, note: Report): WirePart {
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
function encodable(draft: WireForm, at: string): WireForm {
  const parts = wellFormed(draft.parts);
  const answers = draft.answers.map((answer) => {
    const wire = wellFormed(answer.wire);
    return wire === answer.wire ? answer : { ...answer, wire };
  });
  if (parts === draft.parts && answers.every((answer, i) => answer === draft.answers[i])) return draft;
  const notices = [...draft.notices];
  reporter(at, notices)('lone-surrogate', SAID.surrogates);
  return { ...draft, parts, answers, notices };
}
