/**
 * What LangChain's chat models ask of messages, in any of their forms: instances, serialised, stored, bare fields.
 *
 * L0 there are messages; each is of a known type, its content text or a list of blocks; nobody says nothing
 * L1 each call is answered once, by tool messages right behind its message
 * L2 no tool message without its call; no two calls of one message share an id
 * L3 a call has an id and a name, and its arguments are an object
 * L4 a tool message names its call; its status is `success` or `error`
 * L6 a call that the content repeats stands among the message's calls, under the same id
 * L8 texts are whole: no half of a surrogate pair
 */

import { asLoose, isLoose, isWhole, listIn, type Loose } from './loose.js';

/** A rule of the format that a message list breaks, and where. */
export interface LangChainFault {
  readonly rule: 'L0' | 'L1' | 'L2' | 'L3' | 'L4' | 'L6' | 'L8';
  /** Index of the message at fault. */
  readonly at: number;
  readonly what: string;
}

/** What is to be held beside the rules that always hold. */
export interface LangChainOptions {
  /** Calls at the very end may still wait for their results: a history, not a request. Default true. */
  readonly openEnd?: boolean;
}

type Complain = (rule: LangChainFault['rule'], at: number, what: string) => void;

interface Step {
  readonly at: number;
  readonly calls: Map<string, boolean>;
}

/** Faults of a state or a bare message list, in order; never throws. */
export function validateLangChain(
  request: unknown,
  options: LangChainOptions = {},
): readonly LangChainFault[] {
  const faults: LangChainFault[] = [];
  const complain: Complain = (rule, at, what) => void faults.push({ rule, at, what });
  const messages = Array.isArray(request) ? (request as unknown[]) : asLoose(request).messages;
  if (!Array.isArray(messages)) {
    complain('L0', 0, 'the messages are no list');
    return faults;
  }
  if (messages.length === 0) complain('L0', 0, 'there is no message');
  let step: Step | undefined;
  messages.forEach((value: unknown, at) => {
    const { type, fields } = opened(asLoose(value));
    if (!isWhole([fields.content, fields.tool_calls]))
      complain('L8', at, 'a text holds half of a surrogate pair');
    if (type === 'tool') return answer(fields, step, at, complain);
    settle(step, complain);
    step = undefined;
    if (type === 'ai') step = { at, calls: callsOf(fields, at, complain) };
    else if (type !== 'human' && type !== 'system')
      complain('L0', at, `type ${type || 'missing'} is not known`);
    checkContent(fields, at, (step?.calls.size ?? 0) > 0 || speaks(fields), complain);
  });
  if (options.openEnd === false) settle(step, complain);
  return faults.sort((a, b) => a.at - b.at);
}

const NAMES: Readonly<Record<string, string>> = {
  AIMessage: 'ai',
  AIMessageChunk: 'ai',
  HumanMessage: 'human',
  HumanMessageChunk: 'human',
  SystemMessage: 'system',
  SystemMessageChunk: 'system',
  ToolMessage: 'tool',
  ToolMessageChunk: 'tool',
  user: 'human',
  assistant: 'ai',
  developer: 'system',
};

function opened(message: Loose): { readonly type: string; readonly fields: Loose } {
  if (message.lc === 1 && Array.isArray(message.id)) {
    const name = String((message.id as unknown[]).at(-1));
    return { type: NAMES[name] ?? name, fields: asLoose(message.kwargs) };
  }
  const said = message.type ?? message.role;
  const name = typeof said === 'string' ? said : '';
  const fields =
    message.data !== undefined && message.content === undefined ? asLoose(message.data) : message;
  return { type: NAMES[name] ?? name, fields };
}

/** An answer may say nothing where it refused, thought, or wrote a call that could not be read. */
function speaks(fields: Loose): boolean {
  const more = asLoose(fields.additional_kwargs);
  const invalid = listIn(fields.invalid_tool_calls).length > 0;
  return (
    invalid || ['reasoning_content', 'refusal', 'audio', 'function_call'].some((key) => Boolean(more[key]))
  );
}

function checkContent({ content }: Loose, at: number, maySayNothing: boolean, complain: Complain): void {
  if (typeof content === 'string') {
    if (content === '' && !maySayNothing) complain('L0', at, 'a message says nothing');
    return;
  }
  if (!Array.isArray(content)) return complain('L0', at, 'content is neither text nor a list');
  if (content.length === 0 && !maySayNothing) complain('L0', at, 'a message says nothing');
  for (const block of content as unknown[]) {
    const { type, text } = asLoose(block);
    if (typeof block === 'string') continue;
    if (typeof type !== 'string') complain('L0', at, 'a block has no type');
    else if (type === 'text' && typeof text !== 'string') complain('L0', at, 'a text block holds no text');
  }
}

function callsOf(fields: Loose, at: number, complain: Complain): Map<string, boolean> {
  const calls = new Map<string, boolean>();
  const raw = listIn(asLoose(fields.additional_kwargs).tool_calls);
  const parsed = listIn(fields.tool_calls);
  if (fields.tool_calls !== undefined && !Array.isArray(fields.tool_calls))
    complain('L3', at, 'tool_calls is no list');
  for (const value of parsed.length > 0 ? parsed : raw) {
    const call = asLoose(value);
    const named = parsed.length > 0 ? call : asLoose(call.function);
    const { id } = call;
    if (typeof id !== 'string' || id === '') {
      complain('L3', at, 'a call has no id');
      continue;
    }
    if (calls.has(id)) complain('L2', at, `two calls are called ${id}`);
    calls.set(id, false);
    if (typeof named.name !== 'string' || named.name === '') complain('L3', at, 'a call has no name');
    const args = parsed.length > 0 ? isLoose(call.args) : typeof named.arguments === 'string';
    if (!args) complain('L3', at, 'the arguments of a call are no object');
  }
  for (const block of listIn(fields.content)) {
    const { type, id } = asLoose(block);
    const repeats = type === 'tool_use' || type === 'tool_call';
    if (repeats && !calls.has(String(id)))
      complain('L6', at, `the content repeats call ${String(id)}, which is none`);
  }
  return calls;
}

function answer(fields: Loose, step: Step | undefined, at: number, complain: Complain): void {
  const { tool_call_id: id, content, status } = fields;
  if (typeof content !== 'string' && !Array.isArray(content))
    complain('L4', at, 'a result is neither text nor a list');
  if (status !== undefined && status !== 'success' && status !== 'error')
    complain('L4', at, 'a status is neither');
  if (typeof id !== 'string' || id === '') return complain('L4', at, 'a result names no call');
  const answered = step?.calls.get(id);
  if (answered === undefined) complain('L2', at, `${id} is no call of the step before it`);
  else if (answered) complain('L1', at, `${id} is answered twice`);
  else step?.calls.set(id, true);
}

function settle(step: Step | undefined, complain: Complain): void {
  if (!step) return;
  for (const [id, answered] of step.calls) {
    if (!answered) complain('L1', step.at, `call ${id} is not followed by its result`);
  }
}
