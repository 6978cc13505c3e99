/**
 * What the AI SDK and the providers behind it ask of `ModelMessage`s, and of the prompt a model is called with.
 *
 * S0 there are messages; roles and content are of a known shape; nobody says nothing
 * S2 an approval request names a call of its message; a response answers a request of the step before it, once
 * S3 what the provider ran has its result in an assistant message, and nowhere else
 * S6 each call is answered once, in the tool messages right behind its message; no result answers a call that is not there
 * S7 calls and results have ids and names; an input is an object, an output one of the SDK's kinds
 * S8 texts are whole: no half of a surrogate pair
 * S9 files have bytes, an address or an upload, and say their media type
 */

import { asLoose, isLoose, isText, isWhole, listIn, type Loose } from './loose.js';

/** A rule of the format that a prompt breaks, and where. */
export interface AiSdkFault {
  readonly rule: 'S0' | 'S2' | 'S3' | 'S6' | 'S7' | 'S8' | 'S9';
  /** Index of the message at fault. */
  readonly at: number;
  readonly what: string;
}

/** What is to be held beside the rules that always hold. */
export interface AiSdkOptions {
  /** Calls at the very end may still wait for their results: a history, not a request. Default true. */
  readonly openEnd?: boolean;
}

type Complain = (rule: AiSdkFault['rule'], at: number, what: string) => void;

interface Step {
  readonly at: number;
  readonly calls: Map<string, boolean>;
  readonly approvals: Map<string, boolean>;
}

/** Faults of a body or a bare message list, in order; never throws. */
export function validateAiSdk(request: unknown, options: AiSdkOptions = {}): readonly AiSdkFault[] {
  const faults: AiSdkFault[] = [];
  const complain: Complain = (rule, at, what) => void faults.push({ rule, at, what });
  const body = asLoose(request);
  const messages = Array.isArray(request) ? (request as unknown[]) : (body.messages ?? body.prompt);
  if (!Array.isArray(messages)) {
    complain('S0', 0, 'the messages are no list');
    return faults;
  }
  if (messages.length === 0) complain('S0', 0, 'there is no message');
  let step: Step | undefined;
  const providerCalls = new Set<string>();
  messages.forEach((value: unknown, at) => {
    const message = asLoose(value);
    checkShape(message, at, complain);
    if (message.role === 'tool') return answers(message, step, at, complain);
    settle(step, complain);
    step = message.role === 'assistant' ? stepOf(message, at, providerCalls, complain) : undefined;
  });
  if (options.openEnd === false) settle(step, complain);
  messages.forEach((message, at) => {
    if (!isWhole(message)) complain('S8', at, 'a text holds half of a surrogate pair');
  });
  return faults.sort((a, b) => a.at - b.at);
}

const ITEMS: Readonly<Record<string, readonly unknown[]>> = {
  user: ['text', 'image', 'file'],
  assistant: ['text', 'file', 'reasoning', 'tool-call', 'tool-result', 'tool-approval-request'],
  tool: ['tool-result', 'tool-approval-response'],
};

function checkShape({ role, content, providerOptions }: Loose, at: number, complain: Complain): void {
  if (providerOptions !== undefined && !isLoose(providerOptions)) {
    complain('S0', at, 'providerOptions is no object');
  }
  if (role === 'system') {
    if (typeof content !== 'string' || content === '') complain('S0', at, 'instructions are no text');
    return;
  }
  const allowed = typeof role === 'string' ? ITEMS[role] : undefined;
  if (!allowed) return complain('S0', at, `role ${String(role)} is not known`);
  if (typeof content === 'string' && role !== 'tool') {
    if (content === '') complain('S0', at, 'a message says nothing');
    return;
  }
  if (!Array.isArray(content)) return complain('S0', at, 'content is no list');
  if (content.length === 0) complain('S0', at, 'content is an empty list');
  for (const value of content as unknown[]) {
    const item = asLoose(value);
    if (!allowed.includes(item.type)) complain('S0', at, `a ${role} message holds ${String(item.type)}`);
    checkItem(item, at, complain);
  }
}

function checkItem(item: Loose, at: number, complain: Complain): void {
  switch (item.type) {
    case 'text':
    case 'reasoning':
      if (typeof item.text !== 'string') complain('S0', at, `${item.type} holds no text`);
      return;
    case 'image':
      if (!isBytes(item.image)) complain('S9', at, 'an image holds nothing');
      return;
    case 'file':
      if (!isBytes(item.data)) complain('S9', at, 'a file holds nothing');
      if (!isText(item.mediaType)) complain('S9', at, 'a file has no media type');
      return;
    case 'tool-call':
      if (!isText(item.toolCallId)) complain('S7', at, 'a call has no id');
      if (!isText(item.toolName)) complain('S7', at, 'a call has no name');
      if (!isLoose(item.input)) complain('S7', at, 'the input of a call is no object');
      return;
    case 'tool-result':
      if (!isText(item.toolCallId)) complain('S7', at, 'a result names no call');
      if (!isText(item.toolName)) complain('S7', at, 'a result names no tool');
      checkOutput(asLoose(item.output), at, complain);
      return;
    case 'tool-approval-request':
      if (!isText(item.approvalId) || !isText(item.toolCallId))
        complain('S2', at, 'an approval request lacks ids');
      return;
    case 'tool-approval-response':
      if (!isText(item.approvalId)) complain('S2', at, 'an approval response names no request');
      if (typeof item.approved !== 'boolean')
        complain('S2', at, 'an approval response says neither yes nor no');
  }
}

function checkOutput({ type, value }: Loose, at: number, complain: Complain): void {
  if (type === 'text' || type === 'error-text') {
    if (typeof value !== 'string') complain('S7', at, `output ${type} is no text`);
  } else if (type === 'json' || type === 'error-json') {
    if (value === undefined) complain('S7', at, `output ${type} holds nothing`);
  } else if (type === 'content') {
    if (!Array.isArray(value)) return complain('S7', at, 'output content is no list');
    for (const inner of value as unknown[]) checkInner(asLoose(inner), at, complain);
  } else if (type !== 'execution-denied') {
    complain('S7', at, `output ${String(type)} is not known`);
  }
}

function checkInner(inner: Loose, at: number, complain: Complain): void {
  const { type } = inner;
  if (type === 'text') {
    if (typeof inner.text !== 'string') complain('S7', at, 'a text of a result is none');
  } else if (type === 'file-url' || type === 'image-url') {
    if (!isText(inner.url)) complain('S9', at, 'a file of a result has no address');
  } else if (type === 'file-data' || type === 'image-data' || type === 'media') {
    if (typeof inner.data !== 'string') complain('S9', at, 'a file of a result holds nothing');
    if (!isText(inner.mediaType)) complain('S9', at, 'a file of a result has no media type');
  } else if (type === 'file-id' || type === 'image-file-id') {
    if (!isText(inner.fileId) && !isLoose(inner.fileId)) complain('S9', at, 'a file of a result has no id');
  } else if (type !== 'custom') {
    complain('S7', at, `a result holds ${String(type)}`);
  }
}

function stepOf(message: Loose, at: number, providerCalls: Set<string>, complain: Complain): Step {
  const step: Step = { at, calls: new Map(), approvals: new Map() };
  const here = new Set<string>();
  for (const value of listIn(message.content)) {
    const item = asLoose(value);
    const id = String(item.toolCallId);
    if (item.type === 'tool-call') {
      if (here.has(id)) complain('S6', at, `two calls are called ${id}`);
      here.add(id);
      if (item.providerExecuted === true) providerCalls.add(id);
      else step.calls.set(id, false);
    } else if (item.type === 'tool-result' && !providerCalls.has(id)) {
      complain('S3', at, `the result of ${id} stands in an assistant message, and no provider ran it`);
    } else if (item.type === 'tool-approval-request') {
      if (!here.has(id)) complain('S2', at, `approval is asked for ${id}, which is no call before it`);
      step.approvals.set(String(item.approvalId), false);
    }
  }
  return step;
}

function answers(message: Loose, step: Step | undefined, at: number, complain: Complain): void {
  for (const value of listIn(message.content)) {
    const item = asLoose(value);
    const isResult = item.type === 'tool-result';
    if (!isResult && item.type !== 'tool-approval-response') continue;
    const waiting = isResult ? step?.calls : step?.approvals;
    const id = String(isResult ? item.toolCallId : item.approvalId);
    const rule = isResult ? 'S6' : 'S2';
    if (!waiting?.has(id)) complain(rule, at, `${id} is asked for nowhere in the step before it`);
    else if (waiting.get(id)) complain(rule, at, `${id} is answered twice`);
    else waiting.set(id, true);
  }
}

function settle(step: Step | undefined, complain: Complain): void {
  if (!step) return;
  for (const [id, answered] of step.calls) {
    if (!answered) complain('S6', step.at, `call ${id} is not followed by its result`);
  }
}

const isBytes = (value: unknown): boolean =>
  isText(value) || value instanceof URL || value instanceof Uint8Array || value instanceof ArrayBuffer;
