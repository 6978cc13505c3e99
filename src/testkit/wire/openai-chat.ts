/**
 * The rules that servers hold a chat completions request to. Written from the wire alone: it shares no code with
 * what it judges.
 *
 * C0 there are messages; every one is an object with a known role and content that is a string or a list of typed parts
 * C1 an assistant message with calls is directly followed by exactly one result for each call
 * C2 no result without such a call; the ids of one message's calls differ (an id may return in a later step)
 * C3 an assistant message may lack content only if it calls, refuses or answers in audio
 * C4 a call has an id and a name, and its arguments are a string (not necessarily JSON: models fail at that)
 * C5 where there are instructions, the first message is one; more may stand anywhere
 */
export type Rule = 'C0' | 'C1' | 'C2' | 'C3' | 'C4' | 'C5';

/** A rule of the format that a request breaks, and where. */
export interface Violation {
  readonly rule: Rule;
  /** Index of the message at fault; for a missing result, of its call. */
  readonly at: number;
  readonly what: string;
}

/** What is to be held beside the rules that always hold. */
export interface ValidatorOptions {
  /** Whether the list may end in calls that wait for their results, as a session in progress does. Default true. */
  readonly openEnd?: boolean;
}

type Loose = Record<string, unknown>;
type Complain = (rule: Rule, at: number, what: string) => void;

const LEGACY = Symbol('function_call');
type CallKey = string | typeof LEGACY;

/** Calls of the newest assistant message: true once answered. */
interface Step {
  readonly at: number;
  readonly calls: Map<CallKey, boolean>;
}

/** All violations, in order. Linear in the messages. */
export function validateOpenAiChat(messages: unknown, options: ValidatorOptions = {}): Violation[] {
  const found: Violation[] = [];
  const complain: Complain = (rule, at, what) => void found.push({ rule, at, what });
  if (!Array.isArray(messages)) {
    complain('C0', 0, 'the messages are no list');
    return found;
  }
  if (messages.length === 0) complain('C0', 0, 'there is no message');
  let step: Step | undefined;
  messages.forEach((value: unknown, at) => {
    const message = typeof value === 'object' && value !== null ? (value as Loose) : {};
    checkShape(message, at, complain);
    if (message.role === 'tool' || message.role === 'function') {
      answer(step, message.role === 'tool' ? message.tool_call_id : LEGACY, at, complain);
      return;
    }
    settle(step, complain);
    step = message.role === 'assistant' ? { at, calls: callsOf(message, at, complain) } : undefined;
  });
  if (options.openEnd === false) settle(step, complain);
  checkInstructions(messages, complain);
  return found.sort((a, b) => a.at - b.at);
}

const ROLES: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

function checkShape(message: Loose, at: number, complain: Complain): void {
  const { role, content } = message;
  if (!ROLES.includes(role)) complain('C0', at, `role ${String(role)} is not known`);
  const missing = content === undefined || content === null;
  if (missing && role === 'assistant') {
    const speaks = message.tool_calls || message.function_call || message.refusal || message.audio;
    if (!speaks) complain('C3', at, 'an assistant message without content and without calls');
  } else if (missing) {
    complain('C0', at, 'content is missing');
  } else if (Array.isArray(content)) {
    if (content.length === 0) complain('C0', at, 'content is an empty list');
    if (!content.every(isTypedPart)) complain('C0', at, 'a content part has no type');
  } else if (typeof content !== 'string') {
    complain('C0', at, `content is ${typeof content}`);
  }
}

function isTypedPart(part: unknown): boolean {
  return typeof part === 'object' && part !== null && typeof (part as Loose).type === 'string';
}

function callsOf(message: Loose, at: number, complain: Complain): Map<CallKey, boolean> {
  const calls = new Map<CallKey, boolean>();
  if (message.function_call) {
    checkNamed(message.function_call, 'arguments', at, complain);
    calls.set(LEGACY, false);
  }
  if (message.tool_calls === undefined || message.tool_calls === null) return calls;
  if (!Array.isArray(message.tool_calls) || message.tool_calls.length === 0) {
    complain('C0', at, 'tool_calls is no list or an empty one');
    return calls;
  }
  for (const call of message.tool_calls as (Loose | null)[]) {
    const id = call?.id;
    if (typeof id !== 'string' || id === '') {
      complain('C4', at, 'a call has no id');
      continue;
    }
    if (calls.has(id)) complain('C2', at, `two calls are called ${id}`);
    calls.set(id, false);
    if (call?.type === 'custom') checkNamed(call.custom, 'input', at, complain);
    else checkNamed(call?.function, 'arguments', at, complain);
  }
  return calls;
}

function checkNamed(value: unknown, field: string, at: number, complain: Complain): void {
  const named = typeof value === 'object' && value !== null ? (value as Loose) : {};
  if (typeof named.name !== 'string' || named.name === '') complain('C4', at, 'a call has no name');
  if (typeof named[field] !== 'string') complain('C4', at, `${field} of a call is ${typeof named[field]}`);
}

function answer(step: Step | undefined, key: unknown, at: number, complain: Complain): void {
  const answered = step?.calls.get(key as CallKey);
  if (answered === undefined)
    complain('C2', at, `result ${String(key)} answers no call of the step before it`);
  else if (answered) complain('C1', at, `a second result for ${String(key)}`);
  else step?.calls.set(key as CallKey, true);
}

function settle(step: Step | undefined, complain: Complain): void {
  if (!step) return;
  for (const [key, answered] of step.calls) {
    if (!answered) complain('C1', step.at, `call ${String(key)} is not directly followed by its result`);
  }
}

function checkInstructions(messages: readonly (Loose | null)[], complain: Complain): void {
  const isInstruction = (message: Loose | null) =>
    message?.role === 'system' || message?.role === 'developer';
  const first = messages.findIndex(isInstruction);
  if (first > 0) complain('C5', first, 'the first instructions come after other messages');
}
