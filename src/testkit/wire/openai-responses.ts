/**
 * The rules of OpenAI for a Responses request. Written from the wire alone: it shares no code with what it judges.
 *
 * P0 there are items, unless a prompt or earlier responses speak; every one is an object of a known type or a message
 *    with a known role; content is a text or a list of entries that fit the role; text can be encoded as UTF-8
 * P1 a call that the client runs is followed, before the model goes on, by exactly one result of its kind; no result
 *    without such a call, unless an earlier response or a referenced item holds it; a call has a name, and its
 *    arguments are text (not necessarily JSON: models fail at that)
 * P2 a reasoning item is directly before what the model made next, and can be read back: it has an id or sealed
 *    content, with `store: false` sealed content
 * P3 one chain: `previous_response_id` and `conversation` are not set together, nor before a compaction item
 * P4 a compaction item holds its sealed content
 * P5 ids of calls have 1 to 450 characters, and no id occurs twice (OpenAI's own endpoint takes 64, other servers of
 *    this API hand out longer ones)
 */

import { z } from 'zod/v4';
import { Faults, text, type WireFault, type WireOptions } from './faults.js';
import { asLoose, isEncodable, isLoose, isUnset, isText, listIn, type Loose } from './loose.js';
import { ENTRIES, MESSAGE, PAIRS } from './openai-responses-shapes.js';

/** A rule of Responses; see the head of this file. */
export type ResponsesRule = 'P0' | 'P1' | 'P2' | 'P3' | 'P4' | 'P5';

/** A rule of the format that a request breaks, and where. */
export type ResponsesViolation = WireFault<ResponsesRule>;

type Found = Faults<ResponsesRule>;

const CALL_OF = new Map(Object.entries(PAIRS).map(([call, { result }]) => [result, call]));

/** Items made by the model or by tools on the server, which no one answers. */
const MODEL_TYPES = new Set([
  'reasoning',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
  'program',
  'program_output',
  'item_reference',
  'compaction',
  'tool_search_call',
  'tool_search_output',
]);
const CLIENT_TYPES = new Set(['compaction_trigger', 'additional_tools']);

const MAX_CALL_ID = 450;

/** An item and its author: a call that the client runs, its answer, or an item of the model or another speaker. */
interface Entry {
  readonly item: Loose;
  readonly type: string;
  readonly kind: 'call' | 'answer' | 'model' | 'client' | 'nobody';
}

function readEntry(value: unknown): Entry {
  const item = asLoose(value);
  const { role, id, call_id: callId } = item;
  const untyped = role !== undefined ? 'message' : isText(id) ? 'item_reference' : '';
  const type = typeof item.type === 'string' ? item.type : untyped;
  // A tool search that the server ran itself has no id.
  const isServerRun = type.startsWith('tool_search_') && isUnset(callId);
  if (type === 'message') return { item, type, kind: role === 'assistant' ? 'model' : 'client' };
  if (Object.hasOwn(PAIRS, type) && !isServerRun) return { item, type, kind: 'call' };
  if (CALL_OF.has(type) && !isServerRun) return { item, type, kind: 'answer' };
  return { item, type, kind: MODEL_TYPES.has(type) ? 'model' : CLIENT_TYPES.has(type) ? 'client' : 'nobody' };
}

/** All violations of a body, or of a bare list of items, in order. Linear in the items. Never throws. */
export function validateOpenAiResponses(
  request: unknown,
  { openEnd = true }: WireOptions = {},
): ResponsesViolation[] {
  const faults: Found = new Faults();
  const body: Loose = isLoose(request) ? request : { input: request };
  const { input, instructions, previous_response_id: previous, conversation, prompt } = body;
  faults.demand('P0', 0, z.string().nullish(), instructions, 'instructions');
  if (!isEncodable(instructions)) faults.add('P0', 0, 'the instructions hold half a surrogate pair');
  const chains = [previous, conversation].filter((one) => !isUnset(one));
  if (chains.length > 1) faults.add('P3', 0, 'previous_response_id and conversation are both set');
  faults.demand('P0', 0, INPUT_FIELD, input, 'input');
  const items = listIn(input).map(readEntry);
  const mayBeEmpty = !Array.isArray(input) || chains.length > 0 || !isUnset(prompt);
  if (items.length === 0 && !mayBeEmpty) faults.add('P0', 0, 'there is no item');
  items.forEach((seen, at) => checkItem(seen, at, body, faults));
  const mayLackCall = chains.length > 0 || items.some(({ type }) => type === 'item_reference');
  checkPairs(items, mayLackCall, openEnd, faults);
  checkPrograms(items, mayLackCall, faults);
  checkReasoning(items, faults);
  checkIds(items, faults);
  return faults.inOrder;
}

const INPUT_FIELD = z.union([z.string(), z.array(z.unknown())], 'neither a list nor a text');

function checkItem({ item, type, kind }: Entry, at: number, body: Loose, faults: Found): void {
  if (!isEncodable(item)) faults.add('P0', at, 'half a surrogate pair');
  if (kind === 'call') faults.demand('P1', at, PAIRS[type]!.call, item, type);
  else if (kind === 'answer') faults.demand('P1', at, PAIRS[CALL_OF.get(type)!]!.answer, item, type);
  else if (type === 'message') faults.demand('P0', at, MESSAGE, item, type);
  else if (kind === 'nobody') faults.add('P0', at, `items of type ${type || 'none'} are not known`);
  if (/^(?:function|custom_tool)_call_output$/.test(type) && Array.isArray(item.output))
    faults.demand('P0', at, ENTRIES, item.output, 'output');
  if (type === 'item_reference') faults.demand('P0', at, text, item.id, 'id of a reference');
  if (type === 'compaction') {
    faults.demand('P4', at, text, item.encrypted_content, 'sealed content of a compaction');
    if (!isUnset(body.previous_response_id)) faults.add('P3', at, 'a compaction item in an old chain');
  }
  if (type !== 'reasoning') return;
  faults.demand('P2', at, z.array(z.unknown()), item.summary, 'summary');
  if (isText(item.encrypted_content)) return;
  if (body.store === false) faults.add('P2', at, 'reasoning without sealed content, and nothing is stored');
  else faults.demand('P2', at, text, item.id, 'id of reasoning without sealed content');
}

interface Waiting {
  readonly type: string;
  readonly at: number;
  answered: boolean;
}

function checkPairs(items: readonly Entry[], mayLackCall: boolean, openEnd: boolean, faults: Found): void {
  const calls = new Map<string, Waiting>();
  let step: Waiting[] = [];
  let isOver = false;
  const reportUnanswered = (): void => {
    for (const { type, at, answered } of step)
      if (!answered) faults.add('P1', at, `this ${type} has no result before the model goes on`);
    step = [];
  };
  items.forEach(({ item, type, kind }, at) => {
    const isModels = kind === 'model' || kind === 'call';
    if (kind === 'answer') checkAnswer(item, type, at, calls, mayLackCall, faults);
    else if (isModels && isOver) reportUnanswered();
    isOver = !isModels;
    if (kind !== 'call') return;
    const id = item[PAIRS[type]!.id];
    if (!isText(id) || id.length > MAX_CALL_ID)
      return faults.add('P5', at, `the id of a call has ${isText(id) ? id.length : 'no'} characters`);
    if (calls.has(id)) faults.add('P5', at, `two calls are called ${id}`);
    const call = { type, at, answered: false };
    calls.set(id, call);
    step.push(call);
  });
  // If anyone but the model spoke, earlier calls can no longer wait.
  const isWaiting = openEnd && !items.slice(step.at(-1)?.at ?? 0).some(({ kind }) => kind === 'client');
  if (!isWaiting) reportUnanswered();
}

function checkAnswer(
  item: Loose,
  type: string,
  at: number,
  calls: ReadonlyMap<string, Waiting>,
  mayLackCall: boolean,
  faults: Found,
): void {
  const wanted = CALL_OF.get(type)!;
  const named = PAIRS[wanted]!.names.map((field) => item[field]).filter(isText);
  const call = named.map((id) => calls.get(id)).find((one) => one !== undefined);
  if (named.length === 0) faults.add('P1', at, `a ${type} that names no call`);
  else if (!call && !mayLackCall) faults.add('P1', at, `no call ${named[0]} precedes its result`);
  if (!call) return;
  if (call.type !== wanted) faults.add('P1', at, `a ${type} answers a ${call.type}`);
  else if (call.answered) faults.add('P1', at, `a second result for ${named[0]}`);
  else call.answered = true;
}

function checkPrograms(items: readonly Entry[], mayLackCall: boolean, faults: Found): void {
  const programs = new Set<unknown>();
  items.forEach(({ item, type }, at) => {
    if (type === 'program') programs.add(item.call_id);
    if (type === 'program_output' && !programs.has(item.call_id) && !mayLackCall)
      faults.add('P1', at, 'the output of a program that is not here');
  });
}

function checkReasoning(items: readonly Entry[], faults: Found): void {
  items.forEach(({ type }, at) => {
    if (type !== 'reasoning') return;
    const next = items.slice(at).find((one) => one.type !== 'reasoning');
    const isModels = (next?.kind === 'model' && next.type !== 'compaction') || next?.kind === 'call';
    if (!isModels) faults.add('P2', at, 'reasoning without the item that it led to');
  });
}

function checkIds(items: readonly Entry[], faults: Found): void {
  const seen = new Set<unknown>();
  items.forEach(({ item: { id }, type }, at) => {
    // A shell's result names its call by `id`; a reference names an item that may also be here.
    if (!isText(id) || type === 'local_shell_call_output') return;
    if (seen.has(id)) faults.add('P5', at, `two items are called ${id}`);
    seen.add(id);
  });
}
