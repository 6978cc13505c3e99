import type { Notice, Serialised } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { CallIds } from '../conversation/ids.js';
import {
  interruptedCalls,
  type Paired,
  type PairedStep,
  pairedSteps,
  type WaitingCall,
} from '../conversation/pairing.js';
import { asText, type Fields, isFields, isText } from '../record.js';
import { callKindOf, noResult, type CallKind } from './call-kinds.js';
import { type Draft, type DraftCall, draftOf, type DraftResult } from './draft.js';
import { carriedBy, FORMAT, isReference, type Item, withoutId } from './wire.js';

/**
 * A compacted view starts a new chain, because the server would put its own copy of the old items before the view: the
 * fields that name these items are undefined in `beside`, which removes them from the body.
 */
const NEW_CHAIN = { previous_response_id: undefined, conversation: undefined };

export function serialise(view: readonly ViewMessage[]): Serialised {
  const compacted = view.some(({ made, replaced }) => made !== undefined || (replaced?.size ?? 0) > 0);
  const request: Request = {
    items: [],
    notices: [],
    instructions: undefined,
    callIds: new CallIds(),
    itemIds: new Set(),
    programs: new Set(),
    heldByServer: !compacted || view.some(holdsReference),
  };
  const { items, notices, heldByServer } = request;
  const drafts = view.map(draftOf).map((draft) => (heldByServer ? draft : withoutServerCalls(draft)));
  for (const step of pairedSteps(drafts, notices)) writeStep(step, request);
  const { instructions } = request;
  if (compacted && view.some(({ message }) => message.wireFormat === FORMAT)) {
    const what = 'a new chain: previous_response_id and conversation are not sent, they name the old items';
    notices.push({ at: 'request', kind: 'new-chain', what });
  }
  const beside = {
    ...(instructions === undefined ? {} : { instructions }),
    ...(compacted ? NEW_CHAIN : {}),
  };
  return { messages: items, notices, ...(Object.keys(beside).length > 0 ? { beside } : {}) };
}

const holdsReference = (shown: ViewMessage): boolean => carriedBy(shown)?.items?.some(isReference) ?? false;

/** For a new chain the server keeps nothing: a result whose call is not in the request is an orphan. */
function withoutServerCalls(draft: Draft): Draft {
  if (!draft.answers.some(({ mayLackCall }) => mayLackCall)) return draft;
  return { ...draft, answers: draft.answers.map(({ mayLackCall: _, ...answer }) => answer) };
}

/** One request while it is built: the items written so far, and the calls among them. */
interface Request {
  readonly items: Item[];
  readonly notices: Notice[];
  instructions: string | undefined;
  /** Ids of calls on the wire; each may occur only once in a request. */
  readonly callIds: CallIds;
  /** Ids of items; a request with a duplicate is answered with 400. */
  readonly itemIds: Set<string>;
  /** Calls of programs, whose output is an item of a later step. */
  readonly programs: Set<unknown>;
  /** Nothing was compacted, or the view has item references: the server may have items that are missing here. */
  readonly heldByServer: boolean;
}

/** The ids under which the calls of a step are sent. */
type WireIds = Map<WaitingCall<DraftCall>, string>;

/**
 * Writes one step. Items keep the order of the log. An unanswered call gets its answer after the results that directly
 * follow the call, so that a longer log extends the bytes of the shorter one.
 */
function writeStep(step: PairedStep<Draft>, request: Request): void {
  const { head, waiting } = step;
  const ids: WireIds = new Map();
  for (const own of head?.items ?? []) {
    const item = prepareItem(own, request, head!.id);
    if (!item) continue;
    const one = callKindOf(item) && waiting[ids.size];
    request.items.push(one ? callItem(item, one, ids, request, head!.id) : item);
  }

  const rest: Item[] = [];
  for (const { draft, paired } of step.drafts) {
    const target = draft === head ? request.items : rest;
    for (const one of paired) target.push(answerOf(one, ids));
    if (draft === head) continue;
    if (draft.instructions !== undefined) {
      const before = request.instructions === undefined ? '' : `${request.instructions}\n`;
      request.instructions = `${before}${draft.instructions}`;
    }
    for (const item of draft.items) rest.push(item);
  }

  const results = new Set<unknown>(waiting.map(({ call }) => call.kind.result));
  const spoken = rest.findIndex(({ type }) => !results.has(type));
  if (!step.isLast || spoken >= 0) {
    const missing = new Set(interruptedCalls(step, request.notices));
    const items = [...ids].flatMap(([{ call }, id]) => (missing.has(call) ? [noResult(call.kind, id)] : []));
    rest.splice(spoken < 0 ? rest.length : spoken, 0, ...items);
  }
  for (const item of rest) request.items.push(item);
}

/** An item as it is sent in this request; undefined if it is meaningless in this request. */
function prepareItem(own: Item, request: Request, at: string): Item | undefined {
  const item = withFreshId(own, request, at);
  if (item.type === 'program') request.programs.add(item.call_id);
  // Compaction may have removed the request for approval that the item names.
  const approved = item.type === 'mcp_call' && !request.heldByServer ? item.approval_request_id : undefined;
  if (isText(approved) && !request.itemIds.has(approved)) return { ...item, approval_request_id: null };
  if (item.type !== 'program_output' || request.programs.has(item.call_id) || request.heldByServer)
    return item;
  const what = `the program ${asText(item.call_id)} is not in this request; its output is not sent`;
  request.notices.push({ at, kind: 'orphan-output', what });
  return undefined;
}

/** A call under an id that no earlier call has. */
function callItem(item: Item, one: WaitingCall<DraftCall>, ids: WireIds, request: Request, at: string): Item {
  const { wireId, kind } = one.call;
  const id = request.callIds.take(wireId);
  if (id !== wireId) {
    const what = `an earlier call is called ${wireId}; this one is sent as ${id}`;
    request.notices.push({ at, kind: 'call-id', what });
  }
  ids.set(one, id);
  return item[kind.idField] === id ? item : { ...item, [kind.idField]: id };
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

/** A result in the form that its call needs; without a waiting call, a labelled message. */
function answerOf(one: Paired<Draft>, ids: WireIds): Item {
  if (one.kind === 'matched') return resultItem(one.answer, one.waiting.call, ids.get(one.waiting)!);
  return one.kind === 'unmatched' ? labelled(one.label, one.answer) : one.answer.item;
}

/** The very item if it already fits; a result of another kind keeps its words. */
function resultItem({ texts, item, kind }: DraftResult, call: DraftCall, id: string): Item {
  if (kind !== call.kind) return convertedResult(texts, item, call.kind, id);
  if (call.callId === id) {
    const named = kind.resultIdFields.find((field) => isText(item[field]));
    if (named !== undefined && (item[named] === id || call.wireId === call.callId)) return item;
  }
  const field = kind.resultIdFields.find((one) => isText(item[one])) ?? kind.resultIdFields[0]!;
  return { ...item, [field]: id };
}

function convertedResult(texts: readonly string[], item: Item, kind: CallKind, id: string): Item {
  const empty = noResult(kind, id);
  const takesLists = kind.call === 'function_call' || kind.call === 'custom_tool_call';
  if (takesLists && (typeof item.output === 'string' || isInputList(item.output)))
    return { ...empty, output: item.output };
  return kind.withContent(
    empty,
    texts.map((text) => ({ type: 'text', text })),
  );
}

const INPUT: ReadonlySet<unknown> = new Set(['input_text', 'input_image', 'input_file']);

function isInputList(output: unknown): output is readonly Fields[] {
  return Array.isArray(output) && output.every((entry) => isFields(entry) && INPUT.has(entry.type));
}

function labelled(label: string, { texts, item }: DraftResult): Item {
  if (isInputList(item.output))
    return { role: 'user', content: [{ type: 'input_text', text: label }, ...item.output] };
  return { role: 'user', content: [label, ...texts.filter(isText)].join('\n') };
}
