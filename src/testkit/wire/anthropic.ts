/**
 * The rules that the Messages API holds a request to. Written from the wire alone: it shares no code with what it
 * judges.
 *
 * A0 every message is an object with a known role, its content a string or a list of typed blocks that may stand there
 * A1 a `tool_use` has its one `tool_result` in the very next message, all of them before anything else in it
 * A2 ids match `^[a-zA-Z0-9_-]{1,64}$` and differ throughout the request, a call has a name, `input` is an object
 * A3 no empty text; the user speaks last (unless a tool of the provider's own is still at work)
 * A4 thinking is signed and carries no `cache_control`; at most 4 cache marks; with thinking enabled, the assistant's
 *    message that the open tool loop ends in begins with thinking; words of the user end a loop
 * A6 the user speaks first; instructions midway directly follow a user's message
 *
 * A5 (thinking bound to what stands before it) shows only over several requests: see `signature-book.ts`.
 */

import { isEncodable, isLoose, type Loose } from './loose.js';

export type AnthropicRule = 'A0' | 'A1' | 'A2' | 'A3' | 'A4' | 'A6';

export interface AnthropicFault {
  readonly rule: AnthropicRule;
  /** Index of the message at fault; -1 for the body. */
  readonly at: number;
  readonly what: string;
}

type Complain = (rule: AnthropicRule, at: number, what: string) => void;

/** All faults, in order. Takes a whole body, or the bare message list. Linear in the request. */
export function validateAnthropic(request: unknown): AnthropicFault[] {
  const found: AnthropicFault[] = [];
  const complain: Complain = (rule, at, what) => void found.push({ rule, at, what });
  const body: Loose = isLoose(request) ? request : { messages: request };
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0) {
    complain('A0', -1, Array.isArray(messages) ? 'there is no message' : 'the messages are no list');
    return found;
  }
  const list = messages.map((value: unknown) => (isLoose(value) ? value : {}));
  checkSystem(body.system, complain);
  checkMarks(body, list, complain);
  const ids = new Set<string>();
  list.forEach((message, at) => {
    checkMessage(message, at, complain);
    checkBlocks(message, at, ids, complain);
    checkResults(message, list[at - 1], at, complain);
    if (message.role === 'system' && list[at - 1]?.role !== 'user')
      complain('A6', at, 'instructions midway do not follow a message of the user');
  });
  if (list[0]!.role !== 'user') complain('A6', 0, 'the first message is not of the user');
  checkEnd(body, list, complain);
  return found.sort((a, b) => a.at - b.at);
}

function blocksIn({ content }: Loose): Loose[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map((block: unknown) => (isLoose(block) ? block : {})) : [];
}

function checkSystem(system: unknown, complain: Complain): void {
  if (system === undefined || typeof system === 'string') return;
  const blocks = blocksIn({ content: system });
  if (!Array.isArray(system)) complain('A0', -1, 'system is neither text nor a list');
  if (blocks.some(({ type, text }) => type !== 'text' || typeof text !== 'string'))
    complain('A0', -1, 'system holds something other than text');
  if (blocks.some(({ text }) => typeof text === 'string' && text.trim() === ''))
    complain('A3', -1, 'system holds an empty text');
}

function checkMessage(message: Loose, at: number, complain: Complain): void {
  const { role, content } = message;
  if (!isEncodable(content)) complain('A0', at, 'a text holds half a character');
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    complain('A0', at, `role ${String(role)} is not known`);
  if (typeof content === 'string') {
    if (content.trim() === '') complain('A3', at, 'the content is empty');
  } else if (!Array.isArray(content)) complain('A0', at, 'content is neither text nor a list');
  else if (content.length === 0) complain('A0', at, 'content is an empty list');
}

const ONLY: Readonly<Record<string, string>> = {
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
};

function checkBlocks(message: Loose, at: number, ids: Set<string>, complain: Complain): void {
  for (const block of blocksIn(message)) {
    const type = String(block.type);
    if (typeof block.type !== 'string') complain('A0', at, 'a block has no type');
    const home = ONLY[type];
    if (home !== undefined && message.role !== home)
      complain('A0', at, `${type} stands in a message of the ${String(message.role)}`);
    if (type === 'text' && Array.isArray(message.content)) checkText(block, at, complain);
    if (type === 'tool_use') checkCall(block, at, ids, complain);
    if (type === 'tool_result') checkResult(block, at, complain);
    if (type === 'thinking' || type === 'redacted_thinking') checkThinking(block, at, complain);
    if ((type === 'image' || type === 'document') && !isLoose(block.source))
      complain('A0', at, `${type} has no source`);
  }
}

function checkText({ text }: Loose, at: number, complain: Complain): void {
  if (typeof text !== 'string') complain('A0', at, 'a text block has no text');
  else if (text.trim() === '') complain('A3', at, 'a text block is empty');
}

const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function checkCall({ id, name, input }: Loose, at: number, ids: Set<string>, complain: Complain): void {
  if (typeof id !== 'string' || !ID.test(id)) complain('A2', at, `the id ${String(id)} is refused`);
  else if (ids.has(id)) complain('A2', at, `a second call is called ${id}`);
  else ids.add(id);
  if (typeof name !== 'string' || !NAME.test(name)) complain('A2', at, `the name ${String(name)} is refused`);
  if (!isLoose(input)) complain('A2', at, 'the input of a call is no object');
}

function checkResult(
  { tool_use_id: id, content, is_error: failed }: Loose,
  at: number,
  complain: Complain,
): void {
  if (typeof id !== 'string' || !ID.test(id)) complain('A2', at, `a result names the id ${String(id)}`);
  if (content === undefined || content === null || typeof content === 'string') return;
  if (!Array.isArray(content))
    return complain('A0', at, 'the content of a result is neither text nor a list');
  for (const block of blocksIn({ content })) {
    if (typeof block.type !== 'string') complain('A0', at, 'a block of a result has no type');
    if (block.type === 'text') checkText(block, at, complain);
    else if (failed === true) complain('A0', at, 'the result of a failed call holds more than words');
  }
}

function checkThinking(block: Loose, at: number, complain: Complain): void {
  const proof = block.type === 'thinking' ? block.signature : block.data;
  if (typeof proof !== 'string' || proof === '') complain('A4', at, 'thinking is not signed');
  if (block.type === 'thinking' && typeof block.thinking !== 'string')
    complain('A4', at, 'a thinking block has no thinking');
  if (block.cache_control !== undefined && block.cache_control !== null)
    complain('A4', at, 'a cache mark stands on thinking');
}

/** Results and the calls of the message before: each call once, all before anything else. */
function checkResults(message: Loose, before: Loose | undefined, at: number, complain: Complain): void {
  const waiting = before?.role === 'assistant' ? callIds(before) : [];
  const open = new Set(waiting);
  const answered = new Set<string>();
  let words = false;
  for (const { type, tool_use_id: id } of message.role === 'user' ? blocksIn(message) : []) {
    if (type !== 'tool_result') {
      words = true;
      continue;
    }
    const name = String(id);
    if (words) complain('A1', at, `the result of ${name} comes after other content`);
    if (answered.has(name)) complain('A1', at, `a second result for ${name}`);
    else if (!open.delete(name))
      complain('A1', at, `the result of ${name} answers no call of the message before`);
    answered.add(name);
  }
  for (const id of open) complain('A1', at - 1, `call ${id} is not answered in the next message`);
}

function callIds(message: Loose): string[] {
  return blocksIn(message).flatMap(({ type, id }) => (type === 'tool_use' ? String(id) : []));
}

const MOST_MARKS = 4;

function checkMarks({ tools, system }: Loose, messages: readonly Loose[], complain: Complain): void {
  let marks = 0;
  const count = (value: unknown): void => {
    if (!isLoose(value)) return;
    if (isLoose(value.cache_control)) marks += 1;
    if (Array.isArray(value.content)) value.content.forEach(count);
  };
  for (const list of [tools, system]) if (Array.isArray(list)) list.forEach(count);
  for (const message of messages) for (const block of blocksIn(message)) count(block);
  if (marks > MOST_MARKS) complain('A4', -1, `${marks} cache marks; at most ${MOST_MARKS} are taken`);
}

function checkEnd(body: Loose, messages: readonly Loose[], complain: Complain): void {
  const at = messages.length - 1;
  const last = messages[at]!;
  if (last.role === 'assistant') {
    for (const id of callIds(last)) complain('A1', at, `call ${id} is not answered`);
    const type = String(blocksIn(last).at(-1)?.type);
    const atWork = type !== 'tool_use' && /_tool_(use|result)$/.test(type);
    if (!atWork) complain('A3', at, 'the last message is not of the user');
    return;
  }
  const thinks = isLoose(body.thinking) && body.thinking.type === 'enabled';
  const step = messages.findLastIndex(({ role }) => role === 'assistant');
  if (!thinks || step < 0 || callIds(messages[step]!).length === 0) return;
  const answers = blocksIn(messages[step + 1] ?? {});
  const looping = answers.length > 0 && answers.every(({ type }) => type === 'tool_result');
  const first = String(blocksIn(messages[step]!)[0]?.type);
  if (looping && step === at - 1 && first !== 'thinking' && first !== 'redacted_thinking')
    complain('A4', step, 'the open tool loop does not begin with thinking');
}
