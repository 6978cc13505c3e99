import type { FilePart, TextPart } from '../../transcript/index.js';
import { NO_RESULT } from '../conversation/placeholders.js';
import { textOf } from '../conversation/reading.js';
import { type Fields, isFields, isSet, innerOf, modelJson, jsonText, listOf } from '../record.js';
import { type Item, type ItemType, parseEntry, parseOutput, wordsOf } from './wire.js';

type ResultContent = readonly (TextPart | FilePart)[];

/** A kind of call that the client runs, and the item that answers it. */
export interface CallKind {
  readonly call: ItemType;
  readonly result: ItemType;
  /** The field with the id of the call, and the fields in which results name that id, the most reliable first. */
  readonly idField: string;
  readonly resultIdFields: readonly string[];
  /** The call's tool and its arguments as JSON text. */
  read(item: Item): { readonly name: string; readonly args: string };
  withArguments(item: Item, args: string): Item;
  readResult(item: Item): ResultContent;
  /** The result with other content; the same item if this kind of result has no place for words. */
  withContent(item: Item, content: ResultContent): Item;
  /** Fields of the item that is sent for a call without an answer. */
  readonly noResultFields: Fields;
  /** The field in which that item names its call, if not the most reliable one. */
  readonly noResultIdField?: string;
  hasFailed?(item: Item): boolean;
}

/** A grey pixel, because a computer's output must be a screenshot, even if its image was left out. */
const BLANK_SCREEN = {
  type: 'computer_screenshot',
  image_url:
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB4+3XtQAAAABJRU5ErkJggg==',
};

const functionCall: CallKind = {
  call: 'function_call',
  result: 'function_call_output',
  idField: 'call_id',
  resultIdFields: ['call_id', 'id'],
  read: (item) => ({
    name: textOr(item.name, 'unknown'),
    args: typeof item.arguments === 'string' ? item.arguments : jsonText(item.arguments ?? {}),
  }),
  withArguments: (item, args) => ({ ...item, arguments: args }),
  readResult: ({ output }) => parseOutput(output, 0),
  withContent: (item, content) => ({ ...item, output: writeOutput(content, item.output) }),
  noResultFields: { output: NO_RESULT },
};

/** The input is bare text; the log has it as the JSON object that other providers want: `{"input": …}`. */
const customCall: CallKind = {
  ...functionCall,
  call: 'custom_tool_call',
  result: 'custom_tool_call_output',
  read: (item) => ({ name: textOr(item.name, 'unknown'), args: jsonText({ input: textOr(item.input, '') }) }),
  withArguments: (item, args) => ({ ...item, input: inputIn(args) }),
};

/** Calls of a tool of OpenAI's own, whose arguments are an object: the first of these fields that is set. */
const builtIn = (tool: string, ...fields: readonly string[]): Pick<CallKind, 'read' | 'withArguments'> => ({
  read: (item) => ({ name: tool, args: jsonText(fields.map((field) => item[field]).find(isSet) ?? {}) }),
  withArguments: (item, args) => {
    const value = modelJson(args);
    const field = fields.find((one) => isSet(item[one])) ?? fields.at(-1)!;
    return typeof value === 'object' && value !== null ? { ...item, [field]: value } : item;
  },
});

const localShell: CallKind = {
  ...functionCall,
  ...builtIn('local_shell', 'action'),
  call: 'local_shell_call',
  result: 'local_shell_call_output',
  // The vendor's type names the call by `id` here.
  noResultIdField: 'id',
};

const shell: CallKind = {
  ...functionCall,
  ...builtIn('shell', 'action'),
  call: 'shell_call',
  result: 'shell_call_output',
  readResult: ({ output }) =>
    chunksIn(output).map((chunk, at) => ({ type: 'text', text: wordsOfChunk(chunk), wire: [0, at] })),
  withContent: (item, content) => {
    const chunks = chunksIn(item.output);
    return { ...item, output: content.map((part) => writeChunk(part, chunks)) };
  },
  noResultFields: { output: [{ stdout: '', stderr: NO_RESULT, outcome: { type: 'timeout' } }] },
  hasFailed: ({ output }) =>
    chunksIn(output).some(({ outcome }) => isFields(outcome) && (outcome.exit_code ?? 0) !== 0),
};

const applyPatch: CallKind = {
  ...functionCall,
  ...builtIn('apply_patch', 'operation'),
  call: 'apply_patch_call',
  result: 'apply_patch_call_output',
  withContent: (item, content) => ({ ...item, output: content.map(wordsOf).join('\n') }),
  noResultFields: { status: 'failed', output: NO_RESULT },
  hasFailed: ({ status }) => status === 'failed',
};

const computer: CallKind = {
  ...functionCall,
  ...builtIn('computer', 'actions', 'action'),
  call: 'computer_call',
  result: 'computer_call_output',
  readResult: ({ output }) => [parseEntry(output, [0, 0], ['items', 0, 'output'])],
  withContent: (item, content) => {
    const kept = content.some((part) => part.type === 'file' && Array.isArray(part.wire));
    return kept ? item : { ...item, output: BLANK_SCREEN };
  },
  noResultFields: { output: BLANK_SCREEN },
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
  noResultFields: { approve: false, reason: NO_RESULT },
};

const toolSearch: CallKind = {
  ...functionCall,
  ...builtIn('tool_search', 'arguments'),
  call: 'tool_search_call',
  result: 'tool_search_output',
  readResult: ({ tools }) => [{ type: 'text', text: jsonText(tools ?? []), wire: [0] }],
  withContent: (item, content) =>
    content.every((part) => Array.isArray(part.wire)) && content.length > 0 ? item : { ...item, tools: [] },
  noResultFields: { execution: 'client', tools: [] },
};

const KINDS = [functionCall, customCall, localShell, shell, applyPatch, computer, approval, toolSearch];
const byCall = new Map<unknown, CallKind>(KINDS.map((kind) => [kind.call, kind]));
const byResult = new Map<unknown, CallKind>(KINDS.map((kind) => [kind.result, kind]));

/** The kind of a call that the client answers. The server may also run a tool search itself, without an id. */
export function callKindOf(item: Item): CallKind | undefined {
  return isServerSearch(item) ? undefined : byCall.get(item.type);
}

export function resultKindOf(item: Item): CallKind | undefined {
  return isServerSearch(item) ? undefined : byResult.get(item.type);
}

/** The item that is sent for a call without an answer. */
export function noResult(
  { result, resultIdFields, noResultFields, noResultIdField }: CallKind,
  callId: string,
): Item {
  return { type: result, [noResultIdField ?? resultIdFields[0]!]: callId, ...noResultFields };
}

/** For calls of other formats: the only kind that carries any tool. */
export const anyCall = functionCall;

function isServerSearch({ type, call_id: id }: Item): boolean {
  return (type === 'tool_search_call' || type === 'tool_search_output') && typeof id !== 'string';
}

/** Output of a result: its own entries if they are unchanged, otherwise words. */
function writeOutput(content: ResultContent, original: unknown): unknown {
  if (!Array.isArray(original) && content.every((part) => part.type === 'text')) return textOf(content);
  return content.map((part) => innerOf(original, part.wire) ?? { type: 'input_text', text: wordsOf(part) });
}

function wordsOfChunk({ stdout, stderr }: Fields): string {
  return [stdout, stderr].filter((one) => typeof one === 'string' && one !== '').join('\n');
}

function writeChunk(part: TextPart | FilePart, chunks: readonly Fields[]): Fields {
  const own = innerOf(chunks, part.wire);
  if (isFields(own)) return own;
  const outcome = chunks.at(-1)?.outcome ?? { type: 'exit', exit_code: 0 };
  return { stdout: wordsOf(part), stderr: '', outcome };
}

/** The text under `input` if the arguments have no other field, otherwise the whole arguments. */
function inputIn(args: string): string {
  const value = modelJson(args);
  const only = isFields(value) && Object.keys(value).length === 1 ? value.input : undefined;
  return typeof only === 'string' ? only : args;
}

const chunksIn = (output: unknown): readonly Fields[] => listOf(output).filter(isFields);

const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback);
