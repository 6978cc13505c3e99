import { isEncodable, isLoose, isText, type Loose } from './loose.js';
import {
  isNothing,
  isServerSearch,
  typeOf,
  type Complain,
  type ResponsesRule,
} from './openai-responses-loose.js';
import { checkCall, checkMessage, checkResult, checkSealed } from './openai-responses-items.js';

export type { ResponsesRule } from './openai-responses-loose.js';

/** A rule of the format that a request breaks, and where. */
export interface ResponsesViolation {
  readonly rule: ResponsesRule;
  /** Index of the item at fault; for a missing result, of its call; 0 for the body. */
  readonly at: number;
  readonly what: string;
}

/** What is to be held beside the rules that always hold. */
export interface ResponsesValidatorOptions {
  /** Whether the list may end in calls that wait for their results, as a session in progress does. Default true. */
  readonly openEnd?: boolean;
}

/** What the client runs: the call's type, its result's type, and the fields by which a result may name its call. */
const PAIRS: readonly (readonly [call: string, result: string, fields: readonly string[]])[] = [
  ['function_call', 'function_call_output', ['call_id']],
  ['custom_tool_call', 'custom_tool_call_output', ['call_id']],
  ['local_shell_call', 'local_shell_call_output', ['call_id', 'id']],
  ['shell_call', 'shell_call_output', ['call_id']],
  ['apply_patch_call', 'apply_patch_call_output', ['call_id']],
  ['computer_call', 'computer_call_output', ['call_id']],
  ['mcp_approval_request', 'mcp_approval_response', ['approval_request_id']],
  ['tool_search_call', 'tool_search_output', ['call_id']],
];
const RESULT_OF = new Map(PAIRS.map(([call, result]) => [call, result]));
const CALL_OF = new Map(PAIRS.map(([call, result]) => [result, call]));
const NAMED_BY = new Map(PAIRS.map(([, result, fields]) => [result, fields]));

/** Made by the model or by tools on the server; nobody answers these. */
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

/** All violations of a body, or of a bare list of items, in order. Linear in the items. Never throws. */
export function validateOpenAiResponses(
  request: unknown,
  options: ResponsesValidatorOptions = {},
): ResponsesViolation[] {
  const found: ResponsesViolation[] = [];
  const complain: Complain = (rule, at, what) => void found.push({ rule, at, what });
  const body: Loose = isLoose(request) ? request : { input: request };
  checkBody(body, complain);
  if (typeof body.input === 'string') return found;
  if (!Array.isArray(body.input)) {
    complain('P0', 0, 'the input is neither a list nor a text');
    return found;
  }
  const isElsewhere = [body.previous_response_id, body.conversation, body.prompt].some(
    (one) => !isNothing(one),
  );
  if (body.input.length === 0 && !isElsewhere) complain('P0', 0, 'there is no item');
  const items = body.input.map((item: unknown) => (isLoose(item) ? item : {}));
  items.forEach((item, at) => checkItem(item, at, body, complain));
  checkPairs(items, isHeldElsewhere(body, items), options.openEnd !== false, complain);
  checkReasoning(items, complain);
  checkIds(items, complain);
  if (!isEncodable(body.instructions)) complain('P0', 0, 'the instructions hold half a surrogate pair');
  return found.sort((a, b) => a.at - b.at);
}

function checkBody(body: Loose, complain: Complain): void {
  const { instructions, previous_response_id: previous, conversation } = body;
  if (!isNothing(instructions) && typeof instructions !== 'string') {
    complain('P0', 0, `instructions are ${typeof instructions}`);
  }
  if (!isNothing(previous) && !isNothing(conversation)) {
    complain('P3', 0, 'previous_response_id and conversation stand together');
  }
}

function checkItem(item: Loose, at: number, body: Loose, complain: Complain): void {
  const type = typeOf(item);
  if (!isEncodable(item)) complain('P0', at, 'half a surrogate pair');
  if (type === 'message') {
    checkMessage(item, at, complain);
  } else if (RESULT_OF.has(type) && !isServerSearch(item)) {
    checkCall(item, type, at, complain);
  } else if (CALL_OF.has(type) && !isServerSearch(item)) {
    checkResult(item, type, at, complain);
  } else if (!MODEL_TYPES.has(type) && !CLIENT_TYPES.has(type)) {
    complain('P0', at, `items of type ${type || 'none'} are not known`);
  }
  if (type === 'reasoning') checkSealed(item, at, body, complain);
  if (type === 'compaction') {
    if (!isText(item.encrypted_content)) complain('P4', at, 'a compaction item without its sealed content');
    if (!isNothing(body.previous_response_id)) complain('P3', at, 'a compaction item in an old chain');
  }
  if (type === 'item_reference' && !isText(item.id)) complain('P0', at, 'a reference without an id');
}

interface Waiting {
  readonly type: string;
  readonly at: number;
  answered: boolean;
}

function checkPairs(items: readonly Loose[], elsewhere: boolean, openEnd: boolean, complain: Complain): void {
  const calls = new Map<string, Waiting>();
  let step: Waiting[] = [];
  let isOver = false;
  const settle = (): void => {
    for (const { type, at, answered } of step) {
      if (!answered) complain('P1', at, `this ${type} has no result before the model goes on`);
    }
    step = [];
  };
  const programs = new Set<unknown>();
  items.forEach((item, at) => {
    const type = typeOf(item);
    if (type === 'program') programs.add(item.call_id);
    if (type === 'program_output' && !programs.has(item.call_id) && !elsewhere) {
      complain('P1', at, 'the output of a program that is not here');
    }
    if (CALL_OF.has(type) && !isServerSearch(item)) {
      answer(item, type, at, calls, elsewhere, complain);
      isOver = true;
      return;
    }
    const isModels = MODEL_TYPES.has(type) || RESULT_OF.has(type) || item.role === 'assistant';
    if (isModels && isOver) settle();
    isOver = !isModels;
    if (!RESULT_OF.has(type) || isServerSearch(item)) return;
    const id = type === 'mcp_approval_request' ? item.id : item.call_id;
    if (!isText(id) || id.length > MAX_CALL_ID) {
      complain('P5', at, `the id of a call has ${isText(id) ? `${id.length} characters` : 'no characters'}`);
      return;
    }
    if (calls.has(id)) complain('P5', at, `two calls are called ${id}`);
    const call = { type, at, answered: false };
    calls.set(id, call);
    step.push(call);
  });
  const isWaiting = openEnd && !items.slice(lastCall(step)).some((item) => isSpoken(item));
  if (!isWaiting) settle();
}

function lastCall(step: readonly Waiting[]): number {
  return step.at(-1)?.at ?? 0;
}

/** Somebody other than the model spoke: then the calls before it can wait no longer. */
function isSpoken(item: Loose): boolean {
  const type = typeOf(item);
  return (type === 'message' && item.role !== 'assistant') || CLIENT_TYPES.has(type);
}

function answer(
  item: Loose,
  type: string,
  at: number,
  calls: ReadonlyMap<string, Waiting>,
  elsewhere: boolean,
  complain: Complain,
): void {
  const named = (NAMED_BY.get(type) ?? []).map((field) => item[field]).filter(isText);
  if (named.length === 0) {
    complain('P1', at, `a ${type} that names no call`);
    return;
  }
  const call = named.map((id) => calls.get(id)).find((one) => one !== undefined);
  if (!call) {
    if (!elsewhere) complain('P1', at, `no call ${named[0]} stands before its result`);
  } else if (call.type !== CALL_OF.get(type)) {
    complain('P1', at, `a ${type} answers a ${call.type}`);
  } else if (call.answered) {
    complain('P1', at, `a second result for ${named[0]}`);
  } else {
    call.answered = true;
  }
}

function checkReasoning(items: readonly Loose[], complain: Complain): void {
  items.forEach((item, at) => {
    if (item.type !== 'reasoning') return;
    let next = at + 1;
    while (items[next]?.type === 'reasoning') next++;
    const follower = items[next];
    const type = follower ? typeOf(follower) : '';
    const isModels =
      follower !== undefined &&
      (follower.role === 'assistant' ||
        RESULT_OF.has(type) ||
        (MODEL_TYPES.has(type) && type !== 'compaction'));
    if (!isModels) complain('P2', at, 'reasoning without the item that it led to');
  });
}

function checkIds(items: readonly Loose[], complain: Complain): void {
  const seen = new Set<unknown>();
  items.forEach((item, at) => {
    const { id } = item;
    // A shell's result names its call by `id`; a reference stands for an item that may be here as well.
    if (!isText(id) || typeOf(item) === 'local_shell_call_output') return;
    if (seen.has(id)) complain('P5', at, `two items are called ${id}`);
    seen.add(id);
  });
}

function isHeldElsewhere(body: Loose, items: readonly Loose[]): boolean {
  const isChained = !isNothing(body.previous_response_id) || !isNothing(body.conversation);
  return isChained || items.some((item) => typeOf(item) === 'item_reference');
}
