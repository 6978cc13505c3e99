import type { Notice } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { isFields } from '../record.js';
import { wellFormed } from '../well-formed.js';
import { lateResult, NO_RESULT, NOTHING_SAID, ORPHAN_RESULT, secondResult } from '../wording.js';
import { draftOf, type DraftCall, type DraftResult } from './draft.js';
import { midwaySystem } from './foreign.js';
import { BEGINS, filesOf, GOES_ON, WAITS } from './notes.js';
import { keyOf, type Content, type WirePart } from './wire.js';

/** One request as it grows: its turns, and what became of each call id. */
export interface Request {
  readonly contents: Content[];
  readonly notices: Notice[];
  readonly calls: Map<string, { readonly tool: string; readonly answered: boolean }>;
}

interface Slot {
  readonly call: DraftCall;
  result?: DraftResult;
}

/** What a message adds to the user's turn; the very turn it came in, where it can go out as that. */
interface Spoken {
  readonly by?: ViewMessage;
  readonly parts: readonly WirePart[];
  readonly untouched?: Content;
}

/**
 * Writes one step: a turn of the model and everything up to the next one. The results follow as one turn, as many as
 * there are calls and in their order; what else was said is a turn of its own behind it.
 */
export function writeStep(view: readonly ViewMessage[], from: number, to: number, request: Request): void {
  const head = view[from]!.message.role === 'assistant' ? view[from]! : undefined;
  const slots = head ? writeModel(head, request) : [];
  const spoken: Spoken[] = [];
  for (const shown of view.slice(from, to)) spoken.push(...speak(shown, shown === head, slots, request));
  const files = slots.flatMap(filesOfResult);
  if (files.length > 0) spoken.unshift({ parts: files });
  const isOver = to < view.length || spoken.length > 0;
  const brought = broughtByOne(view.slice(from, to), slots);
  settle(head, slots, isOver, request, brought);
  // Words that stand in the very turn of the results stay there: older models take it as it is.
  writeUser(brought ? spoken.filter(({ by }) => by !== brought) : spoken, request, slots.length > 0);
}

/** Gives a message's results to the calls that wait for them; what is left is said by the user. */
function speak(shown: ViewMessage, isHead: boolean, slots: readonly Slot[], request: Request): Spoken[] {
  const { id, role } = shown.message;
  const { notices, parts, results, untouched } = draftOf(shown);
  const strays = results
    .filter((result) => !take(slots, result))
    .map((result) => stray(result, slots, id, request));
  if (isHead) return strays.length > 0 ? [{ parts: strays }] : [];
  request.notices.push(...notices);
  if (role === 'system') return [{ parts: midway(parts, id, request) }];
  if (untouched && results.length === 0) return [{ parts, untouched }];
  if (parts.length + strays.length > 0) return [{ by: shown, parts: [...strays, ...parts] }];
  return results.length > 0 ? [] : [{ parts: [{ text: NOTHING_SAID }] }];
}

function filesOfResult({ call, result }: Slot): WirePart[] {
  if (!result || result.media.length === 0) return [];
  return [wellFormed({ text: filesOf(call.callId, call.tool) }), ...result.media];
}

/** The model's turn, with a user's turn before it where the wire wants one. Returns its calls. */
function writeModel(shown: ViewMessage, { contents, notices }: Request): Slot[] {
  const draft = draftOf(shown);
  notices.push(...draft.notices);
  const parts = draft.parts.length > 0 ? draft.parts : [{ text: NOTHING_SAID }];
  const before = contents.at(-1);
  if (!before) {
    notices.push({
      at: shown.message.id,
      kind: 'begins-with-model',
      what: 'a turn of the user is put before it',
    });
    contents.push(userTurn(BEGINS));
  } else if (before.role === 'model' && shown.made) {
    // Our own lines follow one another: no request was sent between them.
    contents[contents.length - 1] = { ...before, parts: [...(before.parts as readonly unknown[]), ...parts] };
    return [];
  } else if (before.role === 'model') {
    notices.push({
      at: shown.message.id,
      kind: 'no-user-between',
      what: 'a turn of the user is put between two of the model',
    });
    contents.push(userTurn(GOES_ON));
  }
  contents.push(draft.untouched ?? { role: 'model', parts });
  return draft.calls.map((call) => ({ call }));
}

export function userTurn(text: string): Content {
  return { role: 'user', parts: [{ text }] };
}

function take(slots: readonly Slot[], result: DraftResult): boolean {
  const slot = slots.find(({ call, result: other }) => call.callId === result.part.callId && !other);
  if (slot) slot.result = result;
  return slot !== undefined;
}

/** The one message that brings all results in the order of their calls, where it can go out as the turn it was. */
function broughtByOne(step: readonly ViewMessage[], slots: readonly Slot[]): ViewMessage | undefined {
  if (slots.length === 0) return undefined;
  return step.find((shown) => {
    const { untouched, results } = draftOf(shown);
    if (!untouched || results.length !== slots.length) return false;
    return slots.every(({ call, result }, i) => result === results[i] && fitsCall(result!.wire, call));
  });
}

function fitsCall(wire: WirePart, { wireName, id }: DraftCall): boolean {
  const response = wire[keyOf(wire, 'functionResponse')];
  return (
    isFields(response) && response.name === wireName && (response.id === undefined || response.id === id)
  );
}

/** The turn with the results, one for each call; a call that nothing answers gets its answer here. */
function settle(
  head: ViewMessage | undefined,
  slots: readonly Slot[],
  isOver: boolean,
  { contents, notices, calls }: Request,
  brought: ViewMessage | undefined,
): void {
  const parts: WirePart[] = [];
  for (const { call, result } of slots) {
    calls.set(call.callId, { tool: call.tool, answered: result !== undefined });
    if (result) parts.push(fitsCall(result.wire, call) ? result.wire : namedAs(result.wire, call));
    else if (isOver) {
      const what = `call ${call.callId} to ${call.tool} has no result`;
      notices.push({ at: head!.message.id, kind: 'interrupted-call', what });
      parts.push(namedAs({ functionResponse: { response: { error: NO_RESULT } } }, call));
    }
  }
  if (brought) contents.push(draftOf(brought).untouched!);
  else if (parts.length > 0) contents.push({ role: 'user', parts });
}

function namedAs(wire: WirePart, { wireName, id }: DraftCall): WirePart {
  const key = keyOf(wire, 'functionResponse');
  const { id: _, name: __, ...rest } = isFields(wire[key]) ? wire[key] : {};
  return { ...wire, [key]: { ...(id === undefined ? {} : { id }), name: wireName, ...rest } };
}

function writeUser(spoken: readonly Spoken[], { contents, notices }: Request, behindResults: boolean): void {
  if (spoken.length === 0) return;
  if (behindResults && contents.at(-1)?.role !== 'model') {
    notices.push({
      at: 'request',
      kind: 'turn-between',
      what: 'words behind results follow a turn of the model',
    });
    contents.push({ role: 'model', parts: [{ text: WAITS }] });
  }
  const [first, ...more] = spoken;
  if (more.length === 0) {
    contents.push(first!.untouched ?? { role: 'user', parts: first!.parts });
    return;
  }
  if (spoken.some(({ untouched }) => untouched)) {
    notices.push({
      at: 'request',
      kind: 'merged-turns',
      what: `${spoken.length} turns of the user are sent as one`,
    });
  }
  contents.push({ role: 'user', parts: spoken.flatMap(({ parts }) => parts) });
}

function midway(parts: readonly WirePart[], at: string, { notices }: Request): readonly WirePart[] {
  notices.push({
    at,
    kind: 'system-midway',
    what: 'instructions have no place here; sent as labelled words of a user',
  });
  return midwaySystem(parts);
}

/** A result that no waiting call wants, as words that say what it is. */
function stray({ part, wire }: DraftResult, slots: readonly Slot[], at: string, request: Request): WirePart {
  const { callId } = part;
  const here = slots.find(({ call }) => call.callId === callId);
  const call = here ? { tool: here.call.tool, answered: true } : request.calls.get(callId);
  const note = (kind: string, what: string) => void request.notices.push({ at, kind, what });
  const response = wire[keyOf(wire, 'functionResponse')];
  const words = part.content
    .map((inner) => (inner.type === 'text' ? inner.text : ''))
    .filter((text) => text !== '');
  const said = (label: string): WirePart =>
    wellFormed({ text: [label, ...(words.length > 0 || !isFields(response) ? words : [])].join('\n') });
  if (!call) {
    note('orphan-result', `no call ${callId} stands before it; sent as words of a user`);
    return said(ORPHAN_RESULT);
  }
  if (call.answered) {
    note('duplicate-result', `call ${callId} to ${call.tool} already has a result; sent as words of a user`);
    return said(secondResult(callId, call.tool));
  }
  request.calls.set(callId, { tool: call.tool, answered: true });
  note('late-result', `call ${callId} to ${call.tool} was over when it came; sent as words of a user`);
  return said(lateResult(callId, call.tool));
}
