/**
 * The rules of the Messages API for a request. Written from the wire alone: this file shares no code with what it
 * judges.
 *
 * A0 every message is an object with a known role, its content a string or a list of typed blocks that its role allows
 * A1 a `tool_use` has its one `tool_result` in the very next message, all of them before anything else in it; a call of
 *    the provider's own (`server_tool_use`, `mcp_tool_use`) has its result before the user speaks, and each result its call
 * A2 ids match `^[a-zA-Z0-9_-]{1,64}$` and differ throughout the request, a call has a name, `input` is an object
 * A3 no empty text; the user speaks last (unless a tool of the provider's own is still at work, or its `compaction` is last)
 * A4 thinking is signed, carries no `cache_control` and ends no turn; at most 4 cache marks; with thinking enabled, the
 *    assistant's message that the open tool loop ends in begins with thinking; words of the user end a loop
 * A6 the user speaks first, or a `compaction` of the provider's; instructions midway directly follow a user's message
 *
 * A5 (thinking bound to what precedes it) shows only over several requests, and is not judged here.
 */

import { z } from 'zod/v4';
import { Faults, object, text, type Shapes, type WireFault } from './faults.js';
import { entryOf, asText, asLoose, isEncodable, isLoose, listIn, type Loose } from './loose.js';

export type AnthropicRule = 'A0' | 'A1' | 'A2' | 'A3' | 'A4' | 'A6';
/** A rule of the format that a request breaks, and where. */
export type AnthropicFault = WireFault<AnthropicRule>;

type Found = Faults<AnthropicRule>;

/** All faults, in order. Accepts a whole body, or the bare message list. Linear in the request. */
export function validateAnthropic(request: unknown): AnthropicFault[] {
  const faults: Found = new Faults();
  const body: Loose = isLoose(request) ? request : { messages: request };
  const list = faults.messages('A0', -1, body.messages);
  if (list.length === 0) return faults.inOrder;
  checkSystem(body.system, faults);
  checkMarks(body, list, faults);
  const ids = new Set<unknown>();
  list.forEach((message, at) => {
    checkMessage(message, at, faults);
    checkBlocks(message, at, ids, faults);
    checkResults(message, list[at - 1], at, faults);
    if (message.role === 'system' && list[at - 1]?.role !== 'user')
      faults.add('A6', at, 'instructions midway do not follow a message of the user');
  });
  const isSummary = blocksIn(list[0]!)[0]?.type === 'compaction';
  if (list[0]!.role !== 'user' && !isSummary) faults.add('A6', 0, 'the first message is not of the user');
  checkOwnCalls(list, faults);
  checkEnd(body, list, faults);
  return faults.inOrder;
}

function blocksIn({ content }: Loose): readonly Loose[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content).map(asLoose);
}

const ROLE = z.enum(['user', 'assistant', 'system']);
const BLOCKS = z.array(z.object({ type: z.string() }));
const CONTENT = z.union([z.string(), BLOCKS.min(1)], 'neither text nor a list of typed blocks');
const RESULT_CONTENT = z.union([z.string(), BLOCKS], 'neither text nor a list of typed blocks').nullish();
const SYSTEM = z.union([z.string(), z.array(z.object({ type: z.literal('text'), text: z.string() }))]);

function checkSystem(system: unknown, faults: Found): void {
  faults.demand('A0', -1, SYSTEM.optional(), system, 'system');
  for (const block of listIn(system)) checkWords(asLoose(block), -1, faults);
}

function checkWords({ text: words }: Loose, at: number, faults: Found): void {
  if (typeof words === 'string' && words.trim() === '') faults.add('A3', at, 'a text is empty');
}

function checkMessage({ role, content, output_config: options }: Loose, at: number, faults: Found): void {
  if (!isEncodable(content)) faults.add('A0', at, 'a text holds half a character');
  faults.demand('A0', at, ROLE, role, 'role');
  // A system message may only set options for the answer.
  const isOptional = role === 'system' && isLoose(options);
  faults.demand('A0', at, isOptional ? CONTENT.nullish() : CONTENT, content, 'content');
}

const ROLE_OF_BLOCK: Readonly<Record<string, string>> = {
  tool_use: 'assistant',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  server_tool_use: 'assistant',
  mcp_tool_use: 'assistant',
  tool_result: 'user',
  image: 'user',
  document: 'user',
  search_result: 'user',
  container_upload: 'user',
  tool_addition: 'system',
  tool_removal: 'system',
};

const ID = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const NAME = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);
const unmarked = { cache_control: z.null().optional() };
const SHAPES: Shapes<AnthropicRule> = {
  text: ['A0', z.object({ text: z.string() })],
  image: ['A0', z.object({ source: object })],
  document: ['A0', z.object({ source: object })],
  tool_use: ['A2', z.object({ id: ID, name: NAME, input: object })],
  tool_result: ['A2', z.object({ tool_use_id: ID })],
  thinking: ['A4', z.object({ thinking: z.string(), signature: text, ...unmarked })],
  redacted_thinking: ['A4', z.object({ data: text, ...unmarked })],
};

function checkBlocks(message: Loose, at: number, ids: Set<unknown>, faults: Found): void {
  for (const block of blocksIn(message)) {
    const type = asText(block.type);
    const requiredRole = entryOf(ROLE_OF_BLOCK, type) ?? message.role;
    if (requiredRole !== message.role)
      faults.add('A0', at, `${type} is in a message of the ${asText(message.role)}`);
    faults.demandPart(SHAPES, at, block);
    if (type === 'text') checkWords(block, at, faults);
    if (type === 'tool_use' && ids.has(block.id))
      faults.add('A2', at, `a second call is called ${asText(block.id)}`);
    if (type === 'tool_use') ids.add(block.id);
    if (type === 'tool_result') checkResult(block, at, faults);
  }
}

function checkResult({ content, is_error: failed }: Loose, at: number, faults: Found): void {
  faults.demand('A0', at, RESULT_CONTENT, content, 'content of a result');
  for (const block of listIn(content).map(asLoose)) {
    if (block.type !== 'text' && failed === true)
      faults.add('A0', at, 'the result of a failed call holds more than words');
    if (block.type !== 'text') continue;
    faults.demandPart(SHAPES, at, block);
    checkWords(block, at, faults);
  }
}

/** Results and the calls of the message before: each call once, all before anything else; thinking does not end it. */
function checkResults(message: Loose, before: Loose | undefined, at: number, faults: Found): void {
  const open = new Set(before?.role === 'assistant' ? callIds(before) : []);
  const answered = new Set<string>();
  let words = false;
  for (const { type, tool_use_id: id } of message.role === 'user' ? blocksIn(message) : []) {
    if (type !== 'tool_result') {
      words = true;
      continue;
    }
    const name = asText(id);
    if (words) faults.add('A1', at, `the result of ${name} comes after other content`);
    if (answered.has(name)) faults.add('A1', at, `a second result for ${name}`);
    else if (!open.delete(name))
      faults.add('A1', at, `the result of ${name} answers no call of the message before`);
    answered.add(name);
  }
  for (const id of open) faults.add('A1', at - 1, `call ${id} is not answered in the next message`);
  const end = before?.role === 'assistant' && message.role === 'user' && blocksIn(before).at(-1)?.type;
  if (end === 'thinking' || end === 'redacted_thinking') faults.add('A4', at - 1, 'thinking ends a turn');
}

const callIds = (message: Loose): string[] =>
  blocksIn(message).flatMap(({ type, id }) => (type === 'tool_use' ? asText(id) : []));

/** A paused turn continues in its own message, or after the results it waits for; no one else speaks in between. */
function checkOwnCalls(messages: readonly Loose[], faults: Found): void {
  const open = new Map<string, number>();
  for (const [at, message] of messages.entries()) {
    const blocks = blocksIn(message);
    if (message.role === 'assistant') {
      for (const { type, id, tool_use_id: answered } of blocks) {
        if (type === 'server_tool_use' || type === 'mcp_tool_use') open.set(asText(id), at);
        else if (asText(type).endsWith('_tool_result') && !open.delete(asText(answered)))
          faults.add('A1', at, `the provider's own result of ${asText(answered)} has no call before it`);
      }
    } else if (blocks.some(({ type }) => type !== 'tool_result')) {
      for (const [id, of] of open) faults.add('A1', of, `call ${id} of the provider's own has no result`);
      open.clear();
    }
  }
}

const MAX_MARKS = 4;

function checkMarks({ tools, system }: Loose, messages: readonly Loose[], faults: Found): void {
  const marksIn = (list: readonly unknown[]): number =>
    list.map(asLoose).reduce((sum, { cache_control: mark, content }) => {
      return sum + (isLoose(mark) ? 1 : 0) + marksIn(listIn(content));
    }, 0);
  const marks = marksIn([...listIn(tools), ...listIn(system), ...messages.flatMap(blocksIn)]);
  if (marks > MAX_MARKS) faults.add('A4', -1, `${marks} cache marks; at most ${MAX_MARKS} are taken`);
}

function checkEnd(body: Loose, messages: readonly Loose[], faults: Found): void {
  const at = messages.length - 1;
  const last = messages[at]!;
  if (last.role === 'assistant') {
    for (const id of callIds(last)) faults.add('A1', at, `call ${id} is not answered`);
    const type = asText(blocksIn(last).at(-1)?.type);
    const isToolAtWork = type === 'compaction' || (type !== 'tool_use' && /_tool_(use|result)$/.test(type));
    if (!isToolAtWork) faults.add('A3', at, 'the last message is not of the user');
    return;
  }
  const isThinkingOn = asLoose(body.thinking).type === 'enabled';
  const step = messages.findLastIndex(({ role }) => role === 'assistant');
  if (!isThinkingOn || step < 0 || callIds(messages[step]!).length === 0) return;
  const answers = blocksIn(messages[step + 1] ?? {});
  const isOpenLoop = answers.length > 0 && answers.every(({ type }) => type === 'tool_result');
  const first = asText(blocksIn(messages[step]!)[0]?.type);
  if (isOpenLoop && step === at - 1 && first !== 'thinking' && first !== 'redacted_thinking')
    faults.add('A4', step, 'the open tool loop does not begin with thinking');
}
