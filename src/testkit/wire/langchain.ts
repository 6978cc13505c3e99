/**
 * The rules of LangChain's chat models for messages, in any of their forms: instances, serialised, stored, bare fields.
 *
 * L0 there are messages; each is of a known type, its content text or a list of blocks; no message is empty
 * L1 each call is answered once, by tool messages directly after its message
 * L2 no tool message without its call; no two calls of one message share an id
 * L3 a call has an id and a name, and its arguments are an object
 * L4 a tool message names its call; its status is `success` or `error`
 * L6 a call that the content repeats is among the message's calls, under the same id
 * L8 texts are whole: no half of a surrogate pair
 */

import { z } from 'zod/v4';
import { checkAnswers } from './answers.js';
import { Faults, object, text, type WireFault, type WireOptions } from './faults.js';
import { entryOf, asText, asLoose, isEncodable, isText, listIn, type Loose } from './loose.js';

/** A rule of LangChain's messages; see the head of this file. */
export type LangChainRule = 'L0' | 'L1' | 'L2' | 'L3' | 'L4' | 'L6' | 'L8';
/** A rule of the format that a message list breaks, and where. */
export type LangChainFault = WireFault<LangChainRule>;

/** Faults of a state or a bare message list, in order; never throws. */
export function validateLangChain(
  request: unknown,
  { openEnd = true }: WireOptions = {},
): readonly LangChainFault[] {
  const faults = new Faults<LangChainRule>();
  const messages = faults
    .messages('L0', 0, Array.isArray(request) ? request : asLoose(request).messages)
    .map(unwrapped);
  messages.forEach(({ type, fields }, at) => {
    if (!isEncodable([fields.content, fields.tool_calls]))
      faults.add('L8', at, 'a text holds half of a surrogate pair');
    if (type === 'tool') return faults.demand('L4', at, RESULT, fields, type);
    faults.demand('L0', at, TYPE, type, 'type');
    faults.demand('L0', at, CONTENT, fields.content, 'content');
    const isEmpty = fields.content === '' || (fields.content as unknown[] | undefined)?.length === 0;
    if (isEmpty && !hasOtherContent(fields) && (type !== 'ai' || callsOf(fields).length === 0))
      faults.add('L0', at, 'a message says nothing');
    if (type === 'ai') checkCalls(fields, at, faults);
  });
  checkAnswers(
    messages,
    {
      calls: ({ type, fields }) => (type === 'ai' ? callsOf(fields as Loose).flatMap(idOf) : []),
      answers: ({ type, fields }) =>
        type === 'tool' ? [(fields as Loose).tool_call_id].filter(isText) : undefined,
      onceRule: 'L1',
      ownRule: 'L2',
    },
    openEnd,
    faults,
  );
  return faults.inOrder;
}

const NAMES: Readonly<Record<string, string>> = {
  AIMessage: 'ai',
  HumanMessage: 'human',
  SystemMessage: 'system',
  ToolMessage: 'tool',
  user: 'human',
  assistant: 'ai',
  developer: 'system',
};

function unwrapped(message: Loose): { readonly type: string; readonly fields: Loose } {
  const isSerialised = message.lc === 1 && Array.isArray(message.id);
  const rawName = isSerialised ? (message.id as unknown[]).at(-1) : speakerOf(message);
  const name = typeof rawName === 'string' ? rawName.replace(/MessageChunk$/, 'Message') : '';
  const isStored = message.data !== undefined && message.content === undefined;
  const fields = isSerialised ? asLoose(message.kwargs) : isStored ? asLoose(message.data) : message;
  // A message of a generic class names its speaker itself.
  const speaker = name === 'ChatMessage' || name === 'generic' ? asText(fields.role) : name;
  return { type: entryOf(NAMES, speaker) ?? speaker, fields };
}

/** Bare fields may have both; LangChain uses the role. */
function speakerOf({ type, role }: Loose): unknown {
  return typeof role === 'string' && type !== 'generic' ? role : type;
}

const TYPE = z.enum(['human', 'ai', 'system']);
const BLOCK = z.union([
  z.string(),
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.string().regex(/^(?!text$)/) }),
]);
const CONTENT = z.union([z.string(), z.array(BLOCK)], 'neither text nor a list of typed blocks');
const RESULT = z.object({
  tool_call_id: text,
  content: z.union([z.string(), z.array(z.unknown())]),
  status: z.enum(['success', 'error']).optional(),
});
const CALL = z.object({ id: text, name: text, args: object });
const RAW_CALL = z.object({ id: text, function: z.object({ name: text, arguments: z.string() }) });

/** Whether an answer may have no content: it refused, thought, or made a call that could not be read. */
function hasOtherContent(fields: Loose): boolean {
  const more = asLoose(fields.additional_kwargs);
  const said = [more.reasoning_content, more.refusal, more.audio, more.function_call];
  return listIn(fields.invalid_tool_calls).length > 0 || said.some(Boolean);
}

/** Calls as LangChain parsed them; if there are none, as the provider wrote them. */
function callsOf(fields: Loose): readonly unknown[] {
  const parsed = listIn(fields.tool_calls);
  return parsed.length > 0 ? parsed : listIn(asLoose(fields.additional_kwargs).tool_calls);
}

const idOf = (call: unknown): string[] => [asLoose(call).id].filter(isText);

function checkCalls(fields: Loose, at: number, faults: Faults<LangChainRule>): void {
  if (fields.tool_calls !== undefined && !Array.isArray(fields.tool_calls))
    faults.add('L3', at, 'tool_calls is no list');
  const calls = callsOf(fields);
  const shape = calls === fields.tool_calls ? CALL : RAW_CALL;
  for (const call of calls) faults.demand('L3', at, shape, call, 'call');
  const ids = new Set(calls.flatMap(idOf));
  for (const block of listIn(fields.content)) {
    const { type, id } = asLoose(block);
    const repeats = type === 'tool_use' || type === 'tool_call';
    if (repeats && !ids.has(asText(id)))
      faults.add('L6', at, `the content repeats call ${asText(id)}, which is none`);
  }
}
