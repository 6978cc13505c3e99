import type { Notice } from '../../spi/index.js';
import type { TextPart, ViewMessage } from '../../transcript/index.js';
import { isFields, isText } from '../record.js';
import { wellFormed } from '../well-formed.js';
import { lateResult, ORPHAN_RESULT, secondResult } from '../wording.js';
import type { CallKind } from './calls.js';
import { draftOf, type DraftCall, type DraftResult, type Entry } from './draft.js';
import { freeId } from './ids.js';
import { withoutId, type Item } from './wire.js';

/** One request as it grows: what was written, and which calls it holds. */
export interface Request {
  readonly items: Item[];
  readonly notices: Notice[];
  instructions: string | undefined;
  /** Ids of calls on the wire; each may stand only once in a request. */
  readonly callIds: Set<string>;
  /** Ids of items; a second one of the same id is answered with 400. */
  readonly itemIds: Set<string>;
  /** The newest call of each id, by the id that the log knows. */
  readonly calls: Map<string, { readonly tool: string; readonly answered: boolean }>;
  /** Calls of programs, whose output is an item of a later step. */
  readonly programs: Set<unknown>;
  /** Nothing was compacted, or referenced items stand in the view: what is not here may be held by the server. */
  readonly heldByServer: boolean;
}

interface Slot {
  readonly call: DraftCall;
  /** The id it is sent under. */
  readonly id: string;
  answered: boolean;
}

/**
 * Writes one step: an assistant message and everything up to the next one (the first step may lack its head). Items
 * keep the order of the log; a call that nothing answers gets its answer behind the results that follow it at once, so
 * that a longer log extends the bytes of the shorter one.
 */
export function writeStep(view: readonly ViewMessage[], from: number, to: number, request: Request): void {
  const head = view[from]!.message.role === 'assistant' ? draftOf(view[from]!) : undefined;
  const slots: Slot[] = [];
  for (const entry of head?.entries ?? []) put(entry, slots, request, view[from]!.message.id);
  if (head) request.notices.push(...head.notices);

  const rest: Item[] = [];
  for (let at = from; at < to; at++) {
    const { message } = view[at]!;
    const draft = draftOf(view[at]!);
    const target = at === from && head ? request.items : rest;
    for (const result of draft.results) target.push(answer(result, slots, request, message.id));
    if (at === from && head) continue;
    if (draft.instructions !== undefined) {
      request.instructions =
        request.instructions === undefined
          ? draft.instructions
          : `${request.instructions}\n${draft.instructions}`;
    }
    for (const { item } of draft.entries) rest.push(item);
    request.notices.push(...draft.notices);
  }

  const spoken = rest.findIndex((item) => !isResult(item, slots));
  const isOver = to < view.length || spoken >= 0;
  const missing: Item[] = [];
  for (const { call, id, answered } of slots) {
    if (!answered && isOver) {
      const what = `call ${call.callId} to ${call.tool} has no result`;
      request.notices.push({ at: view[from]!.message.id, kind: 'interrupted-call', what });
      missing.push(call.kind.noResult(id));
    }
    request.calls.set(call.callId, { tool: call.tool, answered });
  }
  rest.splice(spoken < 0 ? rest.length : spoken, 0, ...missing);
  request.items.push(...rest);
}

function put({ item: own, call }: Entry, slots: Slot[], request: Request, at: string): void {
  const item = withFreshId(own, request, at);
  if (item.type === 'program') request.programs.add(item.call_id);
  if (item.type === 'program_output' && !request.programs.has(item.call_id) && !request.heldByServer) {
    const what = `the program ${String(item.call_id)} is not in this request; its output is not sent`;
    request.notices.push({ at, kind: 'orphan-output', what });
    return;
  }
  if (!call) {
    request.items.push(item);
    return;
  }
  const id = freeId(call.wireId, request.callIds);
  if (id !== call.wireId) {
    const what = `an earlier call is called ${call.wireId}; this one is sent as ${id}`;
    request.notices.push({ at, kind: 'reused-call-id', what });
  }
  request.callIds.add(id);
  slots.push({ call, id, answered: false });
  request.items.push(item[call.kind.idField] === id ? item : { ...item, [call.kind.idField]: id });
}

function withFreshId(item: Item, { itemIds, notices }: Request, at: string): Item {
  if (!isText(item.id)) return item;
  if (!itemIds.has(item.id)) {
    itemIds.add(item.id);
    return item;
  }
  const without = withoutId(item);
  if (without !== item)
    notices.push({ at, kind: 'equal-item-ids', what: `an earlier item is called ${item.id}` });
  return without;
}

function isResult({ type }: Item, slots: readonly Slot[]): boolean {
  return slots.some(({ call }) => call.kind.result === type);
}

/** A result in the form its call wants, or, where no call waits for it, as a message that says what it is. */
function answer(result: DraftResult, slots: readonly Slot[], request: Request, at: string): Item {
  const { callId } = result.part;
  const same = slots.filter(({ call }) => call.callId === callId);
  const slot = same.find(({ answered }) => !answered);
  if (slot) {
    slot.answered = true;
    return settled(result, slot);
  }
  const note = (kind: string, what: string) => void request.notices.push({ at, kind, what });
  const past = same[0] ? { tool: same[0].call.tool, answered: true } : request.calls.get(callId);
  if (!past) {
    if (result.elsewhere && request.heldByServer) return result.item;
    note('orphan-result', `no call ${callId} stands before it; sent as a user message`);
    return labelled(ORPHAN_RESULT, result);
  }
  if (past.answered) {
    note('duplicate-result', `call ${callId} to ${past.tool} already has a result; sent as a user message`);
    return labelled(secondResult(callId, past.tool), result);
  }
  request.calls.set(callId, { ...past, answered: true });
  note('late-result', `call ${callId} to ${past.tool} was over when it came; sent as a user message`);
  return labelled(lateResult(callId, past.tool), result);
}

/** The very item where it already fits; another kind of result carries its words over. */
function settled({ part, item, kind }: DraftResult, { call, id }: Slot): Item {
  if (kind !== call.kind)
    return adopted(
      part.content.filter((inner) => inner.type === 'text'),
      item,
      call.kind,
      id,
    );
  if (call.callId === id) {
    const named = kind.resultIdFields.find((field) => isText(item[field]));
    if (named !== undefined && (item[named] === id || call.wireId === call.callId)) return item;
  }
  const field = kind.resultIdFields.find((one) => isText(item[one])) ?? kind.resultIdFields[0]!;
  return { ...item, [field]: id };
}

function adopted(words: readonly TextPart[], item: Item, kind: CallKind, id: string): Item {
  const empty = kind.noResult(id);
  const takesLists = kind.call === 'function_call' || kind.call === 'custom_tool_call';
  if (takesLists && (typeof item.output === 'string' || isInputList(item.output))) {
    return { ...empty, output: item.output };
  }
  return kind.withContent(
    empty,
    words.map(({ text }) => ({ type: 'text', text })),
  );
}

function isInputList(output: unknown): boolean {
  return Array.isArray(output) && output.every((entry) => isFields(entry) && isInput(entry.type));
}

function isInput(type: unknown): boolean {
  return type === 'input_text' || type === 'input_image' || type === 'input_file';
}

function labelled(label: string, result: DraftResult): Item {
  return wellFormed(labelledAsItIs(label, result));
}

function labelledAsItIs(label: string, { part, item }: DraftResult): Item {
  if (isInputList(item.output)) {
    return {
      role: 'user',
      content: [{ type: 'input_text', text: label }, ...(item.output as readonly unknown[])],
    };
  }
  const words = part.content.flatMap((inner) => (inner.type === 'text' && inner.text ? [inner.text] : []));
  return { role: 'user', content: [label, ...words].join('\n') };
}
