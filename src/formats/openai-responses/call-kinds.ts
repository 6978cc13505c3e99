import type { FilePart, TextPart } from '../../transcript/index.js';
import { NO_RESULT } from '../conversation/placeholders.js';
import { type Fields, isFields, jsonIn, jsonText } from '../record.js';
import { type Item, type ItemType, noteOf, parseEntry, parseOutput } from './wire.js';

type ResultContent = readonly (TextPart | FilePart)[];

/** One kind of call that the client runs, and the item that answers it. */
export interface CallKind {
  readonly call: ItemType;
  readonly result: ItemType;
  /** Field of the call that its result names, and the fields in which results name it, the surest first. */
  readonly idField: string;
  readonly resultIdFields: readonly string[];
  /** The call's tool and its arguments as JSON text. */
  read(item: Item): { readonly name: string; readonly args: string };
  withArguments(item: Item, args: string): Item;
  readResult(item: Item): ResultContent;
  /** The result with other content; the same item where its kind has no place for words. */
  withContent(item: Item, content: ResultContent): Item;
  /** What answers a call that nothing answered. */
  noResult(callId: string): Item;
  failed?(item: Item): boolean;
}

/** A grey pixel: a computer's output must be a screenshot, also where its picture was left out. */
const BLANK_SCREEN =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB4+3XtQAAAABJRU5ErkJggg==';

const byCallId = { idField: 'call_id', resultIdFields: ['call_id', 'id'] } as const;

const functionCall: CallKind = {
  ...byCallId,
  call: 'function_call',
  result: 'function_call_output',
  read: (item) => ({
    name: text(item.name, 'unknown'),
    args: typeof item.arguments === 'string' ? item.arguments : jsonText(item.arguments ?? {}),
  }),
  withArguments: (item, args) => ({ ...item, arguments: args }),
  readResult: ({ output }) => parseOutput(output, 0),
  withContent: (item, content) => ({ ...item, output: writeOutput(content, item.output) }),
  noResult: (callId) => ({ type: 'function_call_output', call_id: callId, output: NO_RESULT }),
};

/** Its input is bare text, which the log holds as the JSON object that other providers want: `{"input": …}`. */
const customCall: CallKind = {
  ...functionCall,
  call: 'custom_tool_call',
  result: 'custom_tool_call_output',
  read: (item) => ({ name: text(item.name, 'unknown'), args: jsonText({ input: text(item.input, '') }) }),
  withArguments: (item, args) => ({ ...item, input: inputIn(args) }),
  noResult: (callId) => ({ type: 'custom_tool_call_output', call_id: callId, output: NO_RESULT }),
};

const localShell: CallKind = {
  ...functionCall,
  call: 'local_shell_call',
  result: 'local_shell_call_output',
  read: ({ action }) => ({ name: 'local_shell', args: jsonText(action ?? {}) }),
  withArguments: (item, args) => withObject(item, 'action', args),
  // The vendor's type names the call by `id` here.
  noResult: (callId) => ({ type: 'local_shell_call_output', id: callId, output: NO_RESULT }),
};

const shell: CallKind = {
  ...byCallId,
  call: 'shell_call',
  result: 'shell_call_output',
  read: ({ action }) => ({ name: 'shell', args: jsonText(action ?? {}) }),
  withArguments: (item, args) => withObject(item, 'action', args),
  readResult: ({ output }) =>
    listOf(output).map((chunk, at) => ({ type: 'text', text: wordsOfChunk(chunk), wire: [0, at] })),
  withContent: (item, content) => {
    const chunks = listOf(item.output);
    return { ...item, output: content.map((part) => writeChunk(part, chunks)) };
  },
  noResult: (callId) => ({
    type: 'shell_call_output',
    call_id: callId,
    output: [{ stdout: '', stderr: NO_RESULT, outcome: { type: 'timeout' } }],
  }),
  failed: ({ output }) =>
    listOf(output).some(({ outcome }) => isFields(outcome) && (outcome.exit_code ?? 0) !== 0),
};

const applyPatch: CallKind = {
  ...functionCall,
  call: 'apply_patch_call',
  result: 'apply_patch_call_output',
  read: ({ operation }) => ({ name: 'apply_patch', args: jsonText(operation ?? {}) }),
  withArguments: (item, args) => withObject(item, 'operation', args),
  withContent: (item, content) => ({ ...item, output: content.map(wordsOf).join('\n') }),
  noResult: (callId) => ({
    type: 'apply_patch_call_output',
    call_id: callId,
    status: 'failed',
    output: NO_RESULT,
  }),
  failed: ({ status }) => status === 'failed',
};

const computer: CallKind = {
  ...byCallId,
  call: 'computer_call',
  result: 'computer_call_output',
  read: (item) => ({ name: 'computer', args: jsonText(item.actions ?? item.action ?? {}) }),
  withArguments: (item, args) => withObject(item, 'actions' in item ? 'actions' : 'action', args),
  readResult: ({ output }) => [parseEntry(output, [0, 0], ['items', 0, 'output'])],
  withContent: (item, content) => {
    const kept = content.some((part) => part.type === 'file' && Array.isArray(part.wire));
    return kept ? item : { ...item, output: { type: 'computer_screenshot', image_url: BLANK_SCREEN } };
  },
  noResult: (callId) => ({
    type: 'computer_call_output',
    call_id: callId,
    output: { type: 'computer_screenshot', image_url: BLANK_SCREEN },
  }),
};

const approval: CallKind = {
  ...functionCall,
  call: 'mcp_approval_request',
  result: 'mcp_approval_response',
  idField: 'id',
  resultIdFields: ['approval_request_id'],
  readResult: ({ approve, reason }) => {
    const words = `${approve === true ? 'approved' : 'declined'}${typeof reason === 'string' ? `: ${reason}` : ''}`;
    return [{ type: 'text', text: words, wire: [0] }];
  },
  withContent: (item) => item,
  noResult: (callId) => ({
    type: 'mcp_approval_response',
    approval_request_id: callId,
    approve: false,
    reason: NO_RESULT,
  }),
};

const toolSearch: CallKind = {
  ...functionCall,
  call: 'tool_search_call',
  result: 'tool_search_output',
  read: (item) => ({ name: 'tool_search', args: jsonText(item.arguments ?? {}) }),
  withArguments: (item, args) => withObject(item, 'arguments', args),
  readResult: ({ tools }) => [{ type: 'text', text: jsonText(tools ?? []), wire: [0] }],
  withContent: (item, content) =>
    content.every((part) => Array.isArray(part.wire)) && content.length > 0 ? item : { ...item, tools: [] },
  noResult: (callId) => ({ type: 'tool_search_output', call_id: callId, execution: 'client', tools: [] }),
};

const KINDS = [functionCall, customCall, localShell, shell, applyPatch, computer, approval, toolSearch];
const byCall = new Map<unknown, CallKind>(KINDS.map((kind) => [kind.call, kind]));
const byResult = new Map<unknown, CallKind>(KINDS.map((kind) => [kind.result, kind]));

/** The kind of a call that waits for the client; a search for tools may also be run by the server, without an id. */
export function callKindOf(item: Item): CallKind | undefined {
  return isServerSearch(item) ? undefined : byCall.get(item.type);
}

export function resultKindOf(item: Item): CallKind | undefined {
  return isServerSearch(item) ? undefined : byResult.get(item.type);
}

/** For calls of other formats: the one kind that carries any tool. */
export const anyCall = functionCall;

function isServerSearch({ type, call_id: id }: Item): boolean {
  return (type === 'tool_search_call' || type === 'tool_search_output') && typeof id !== 'string';
}

/** Output of a result: its own entries where they are untouched, words otherwise. */
function writeOutput(content: ResultContent, original: unknown): unknown {
  const list = Array.isArray(original) ? (original as readonly unknown[]) : undefined;
  if (!list && content.every((part) => part.type === 'text')) {
    return content.map((part) => part.text).join('\n');
  }
  return content.map((part) => {
    const at = Array.isArray(part.wire) ? (part.wire as readonly unknown[])[1] : undefined;
    return (typeof at === 'number' && list?.[at]) || { type: 'input_text', text: wordsOf(part) };
  });
}

function wordsOf(part: TextPart | FilePart): string {
  return part.type === 'text' ? part.text : noteOf(part);
}

function wordsOfChunk({ stdout, stderr }: Fields): string {
  return [stdout, stderr].filter((one) => typeof one === 'string' && one !== '').join('\n');
}

function writeChunk(part: TextPart | FilePart, chunks: readonly Fields[]): Fields {
  const at = Array.isArray(part.wire) ? (part.wire as readonly unknown[])[1] : undefined;
  if (typeof at === 'number' && chunks[at]) return chunks[at];
  const outcome = chunks.at(-1)?.outcome ?? { type: 'exit', exit_code: 0 };
  return { stdout: wordsOf(part), stderr: '', outcome };
}

/** The text under `input` where the arguments say nothing else, otherwise all of them. */
function inputIn(args: string): string {
  const value = jsonIn(args);
  const only = isFields(value) && Object.keys(value).length === 1 ? value.input : undefined;
  return typeof only === 'string' ? only : args;
}

function withObject(item: Item, field: string, args: string): Item {
  const value = jsonIn(args);
  return typeof value === 'object' && value !== null ? { ...item, [field]: value } : item;
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
