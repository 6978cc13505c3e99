/**
 * The rules of servers for a chat completions request. Written from the wire alone: this file shares no code with
 * what it judges.
 *
 * C0 there are messages; every one is an object with a known role and content that is a string or a list of typed parts
 * C1 an assistant message with calls is directly followed by exactly one result for each call
 * C2 no result without such a call; the ids of one message's calls differ (an id may return in a later step)
 * C3 an assistant message may lack content only if it calls, refuses or answers in audio
 * C4 a call has an id and a name, and its arguments are a string (not necessarily JSON: models fail at that)
 * C5 if there are instructions, the first message is one; more may be anywhere
 */

import { z } from 'zod/v4';
import { checkAnswers } from './answers.js';
import { Faults, text, type WireFault, type WireOptions } from './faults.js';
import { asLoose, isUnset, isText, listIn, type Loose } from './loose.js';

/** A rule of Chat Completions; see the head of this file. */
export type Rule = 'C0' | 'C1' | 'C2' | 'C3' | 'C4' | 'C5';

/** A rule of the format that a request breaks, and where. */
export type Violation = WireFault<Rule>;

/** All violations, in order. Linear in the messages. */
export function validateOpenAiChat(request: unknown, { openEnd = true }: WireOptions = {}): Violation[] {
  const faults = new Faults<Rule>();
  const messages = faults.messages('C0', 0, request);
  messages.forEach((message, at) => checkShape(message, at, faults));
  checkAnswers<Rule, unknown>(
    messages,
    {
      calls: (message, at) => (message.role === 'assistant' ? callsOf(message, at, faults) : []),
      answers: ({ role, tool_call_id: id }) =>
        role === 'tool' ? [id] : role === 'function' ? [LEGACY] : undefined,
      onceRule: 'C1',
      ownRule: 'C2',
    },
    openEnd,
    faults,
  );
  const first = messages.findIndex(({ role }) => role === 'system' || role === 'developer');
  if (first > 0) faults.add('C5', first, 'the first instructions come after other messages');
  return faults.inOrder;
}

/** A call in the field `function_call` has no id. */
const LEGACY = Symbol('function_call');

const ROLE = z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
const CONTENT = z.union(
  [z.string(), z.array(z.object({ type: z.string() })).min(1)],
  'neither text nor a list of typed parts',
);
const FUNCTION = z.object({ name: text, arguments: z.string() });
const CALL = z.object({ id: text, function: FUNCTION });
const CUSTOM_CALL = z.object({ id: text, custom: z.object({ name: text, input: z.string() }) });

function checkShape(message: Loose, at: number, faults: Faults<Rule>): void {
  const { role, content } = message;
  faults.demand('C0', at, ROLE, role, 'role');
  if (role !== 'assistant' || !isUnset(content)) faults.demand('C0', at, CONTENT, content, 'content');
  else if (![message.tool_calls, message.function_call, message.refusal, message.audio].some(Boolean))
    faults.add('C3', at, 'an assistant message without content and without calls');
}

type CallKey = string | typeof LEGACY;

function callsOf(message: Loose, at: number, faults: Faults<Rule>): CallKey[] {
  const { function_call: legacy, tool_calls: calls } = message;
  if (legacy) faults.demand('C4', at, FUNCTION, legacy, 'function_call');
  if (!isUnset(calls) && listIn(calls).length === 0)
    faults.add('C0', at, 'tool_calls is no list or an empty one');
  const ids = listIn(calls).flatMap((value): CallKey[] => {
    const { type, id } = asLoose(value);
    faults.demand('C4', at, type === 'custom' ? CUSTOM_CALL : CALL, value, 'call');
    return [id].filter(isText);
  });
  return legacy ? [LEGACY, ...ids] : ids;
}
