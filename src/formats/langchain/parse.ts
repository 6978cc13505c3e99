import {
  type FilePart,
  type Message,
  type Part,
  type ReasoningPart,
  type Role,
  type TextPart,
  type ToolCallPart,
} from '../../transcript/index.js';
import { answeredId } from '../conversation/past.js';
import { type PieceContext, listParser } from '../conversation/reader.js';
import { toolsAndModel, callIdOf, contentParts, logMessage, opaquePart } from '../conversation/reading.js';
import { REPAIRS, type Report } from '../conversation/repairs.js';
import { programOf, serverCallOf } from '../conversation/server-calls.js';
import { fileAt, type Way } from '../files.js';
import {
  entryOf,
  asText,
  fieldsOf,
  isFields,
  isText,
  jsonText,
  kindOf,
  listOf,
  type Fields,
} from '../record.js';
import { isTwin } from './twins.js';
import { copyOfMessage, FORMAT, unwrap, textIn } from './wire.js';

const ROLES: ReadonlyMap<string, Role> = new Map([
  ['human', 'user'],
  ['ai', 'assistant'],
  ['system', 'system'],
  ['tool', 'tool'],
]);

/** State or input with `messages`, or a bare list. Messages keep the object they came from. */
export const parser = listParser({
  format: FORMAT,
  allowed: 'a list of LangChain messages, or an object with such a list as `messages`',
  pass: 'LangChain messages',
  field: 'messages',
  open: (body) => ({ list: body.messages, otherFields: toolsAndModel(body) }),
  instance: copyOfMessage,
  idOf: (wire) => unwrap(wire).fields.id,
  foreign: (wire) => (unwrap(wire).type === 'function' ? 'an answer to `functions`' : undefined),
  isKnown: (wire) => ROLES.has(unwrap(wire).type),
  messagesOf: ([wire], piece) => [messageOf(wire, piece)],
});

function messageOf(wire: Fields, piece: PieceContext): Message {
  const { id, report } = piece;
  const { type, fields } = unwrap(wire);
  const name = typeof fields.name === 'string' ? { name: fields.name } : {};
  const role = ROLES.get(type);
  const about = { id, wire, wireFormat: FORMAT, ...(role !== 'tool' && name) };
  const content = parseContent(fields.content, report);
  if (!role) report('unknown-role', `type ${type || 'missing'} is not known; read as a program's words`);
  if (role === 'assistant') return logMessage(role, about, assistantParts(fields, content, id, report));
  const isAdded = role === 'user' && isNotification(fields);
  if (role !== 'tool') return logMessage(isAdded ? undefined : role, about, content);
  const failed = fields.status === 'error' ? { isError: true } : {};
  const result = { callId: answeredId(fields, piece), ...name, content: content.map(ofResult), ...failed };
  return logMessage(role, about, [{ type: 'tool-result', ...result }]);
}

/** Whether a harness wrote the message (`addNotificationMetadata`). Its summaries are recognised by their text. */
function isNotification({ additional_kwargs: kwargs }: Fields): boolean {
  const { lc_source: source } = fieldsOf(kwargs);
  return isText(source) && source !== 'summarization';
}

/** A message's content as parts. Unknown blocks are kept whole, as opaque parts; copies of calls are left out. */
function parseContent(content: unknown, report: Report): Part[] {
  return contentParts<Part>(
    content,
    (block, at) => (isTwin(block) ? [] : [blockPart(block, at, report)]),
    report,
  );
}

/** Blocks of tools that a provider ran itself, blocks that LangChain could not read, and non-standard blocks. */
const SERVER_BLOCK = /^server_tool|_tool_result$|^non_standard$|^invalid_tool_call$/;

function blockPart(block: unknown, wire: number, report: Report): Part {
  const text = typeof block === 'string' ? block : textIn(block);
  if (text !== undefined) return { type: 'text', text, wire };
  const fields = fieldsOf(block);
  const known = reasoningIn(fields, wire) ?? fileOf(fields, wire);
  if (known) return known;
  const kind = typeof fields.type === 'string' ? fields.type : kindOf(block);
  if (!SERVER_BLOCK.test(kind))
    report('unknown-part', REPAIRS.unknownPart(wire, `of type ${kind}, which is not known`));
  return { ...opaquePart(kind, block, wire, ['content', wire]), ...serverCallOf(fields) };
}

/** Thinking under the names of three vendors, with the provider's signature. */
function reasoningIn(block: Fields, wire: number): ReasoningPart | undefined {
  const made = (said: unknown, proof: unknown): ReasoningPart => {
    const signature = typeof proof === 'string' ? { signature: proof } : {};
    return { type: 'reasoning', wire, text: typeof said === 'string' ? said : '', ...signature };
  };
  if (block.type === 'thinking') return made(block.thinking, block.signature);
  if (block.type === 'redacted_thinking') return made('', block.data);
  if (block.type !== 'reasoning') return undefined;
  const summary = listOf(block.summary).map((one) => fieldsOf(one).text);
  const text = summary.map((one) => (typeof one === 'string' ? one : '')).join('\n');
  const proof = block.signature ?? block.encrypted_content ?? fieldsOf(block.extras).signature;
  return made(typeof block.reasoning === 'string' ? block.reasoning : text, proof);
}

/** Types of file blocks (standard ones of both generations and the providers' own), and the default media type. */
const FILES: Readonly<Record<string, string>> = {
  image_url: 'image/*',
  image: 'image/*',
  audio: 'audio/*',
  input_audio: 'audio/*',
  video: 'video/*',
  file: 'application/octet-stream',
  document: 'application/octet-stream',
  'text-plain': 'text/plain',
  media: 'application/octet-stream',
};
const LINKED_WAYS: readonly Way[] = ['address image_url.url', 'address image_url'];
const SOURCED_WAYS: readonly Way[] = [
  'address source.url',
  'bytes data',
  'bytes source.data',
  'id fileId',
  'id id',
];
const PLAIN_WAYS: readonly Way[] = ['address url', 'bytes data', 'text text', 'id fileId', 'id id'];

function fileOf(block: Fields, wire: number): FilePart | undefined {
  const fallbackType = entryOf(FILES, block.type);
  if (fallbackType === undefined) return undefined;
  const ways = isFields(block.source) ? SOURCED_WAYS : PLAIN_WAYS;
  const { filename, name } = fieldsOf(block.metadata);
  return fileAt(block, ['content', wire], block.type === 'image_url' ? LINKED_WAYS : ways, {
    wire,
    fallbackType,
    mediaType: block.mimeType ?? block.mime_type ?? fieldsOf(block.source).media_type,
    name: filename ?? name,
    countsItem: true,
  });
}

/** A part as a result's content, which has only words and files. */
function ofResult(part: Part): TextPart | FilePart {
  if (part.type === 'text' || part.type === 'file') return part;
  const { bytes, kind: name } = part.type === 'opaque' ? part : { bytes: 0, kind: part.type };
  return { type: 'file', mediaType: 'application/octet-stream', bytes, name, wire: part.wire };
}

function assistantParts(fields: Fields, content: readonly Part[], id: string, report: Report): Part[] {
  const { reasoning_content: thought, refusal } = fieldsOf(fields.additional_kwargs);
  const thoughts: Part[] = isText(thought)
    ? [{ type: 'reasoning', text: thought, wire: 'reasoning_content' }]
    : [];
  const refused: Part[] = isText(refusal) ? [{ type: 'text', text: refusal, wire: 'refusal' }] : [];
  const calls = callsOf(fields, id, report);
  const known = new Set(calls.map(({ callId }) => callId));
  const invalid = listOf(fields.invalid_tool_calls).filter(
    (call) => !isFields(call) || !known.has(asText(call.id)),
  );
  const broken = invalid.map((call) => opaquePart('invalid_tool_call', call, 'invalid'));
  return [...thoughts, ...content, ...refused, ...calls, ...ranByOpenAi(fields), ...broken];
}

/** Items of an OpenAI answer that LangChain shows as calls or content. */
const SHOWN = /^(message|reasoning|(function|custom_tool|computer|image_generation)_call)$/;

/** Items that OpenAI ran, which its adapter sends again with the message; the standard form has them in its content. */
function ranByOpenAi({ response_metadata: metadata, additional_kwargs: more }: Fields): Part[] {
  const { output, output_version: version } = fieldsOf(metadata);
  const items = version === 'v1' ? [] : listOf(output);
  return (items.length > 0 ? items : listOf(fieldsOf(more).tool_outputs)).flatMap((item) => {
    const { type } = fieldsOf(item);
    return isText(type) && !SHOWN.test(type) ? [opaquePart(type, item, 'output')] : [];
  });
}

/** Calls as LangChain parsed them; if there are none, as the provider wrote them, in the answer or in its content. */
function callsOf(fields: Fields, messageId: string, report: Report): ToolCallPart[] {
  const twins = listOf(fields.content).filter(isTwin);
  const callers = new Map(twins.map(({ id, caller }) => [id, caller]));
  const made = (own: unknown, name: unknown, args: unknown, wire: number): ToolCallPart => {
    const callId = callIdOf(own, messageId, wire, report);
    const text = typeof args === 'string' ? args : jsonText(args ?? {});
    return {
      type: 'tool-call',
      callId,
      name: typeof name === 'string' ? name : 'unknown',
      arguments: text,
      ...programOf(callers.get(callId)),
      wire,
    };
  };
  const { tool_calls: raw } = fieldsOf(fields.additional_kwargs);
  const listed = listOf(fields.tool_calls);
  const calls = (listed.length > 0 ? listed : listOf(raw)).map((call, at) => {
    // Bare fields may have calls as the provider writes them; LangChain coerces these too.
    const { id, function: said, ...own } = fieldsOf(call);
    const { name, arguments: args } = fieldsOf(said);
    return made(id, own.name ?? name, own.args ?? args, at);
  });
  const known = new Set<unknown>(calls.map(({ callId }) => callId));
  for (const block of twins) {
    if (!isText(block.id) || known.has(block.id)) continue;
    report(
      'unlisted-call',
      `call ${block.id} is only in the content; also sent as one of the message's calls`,
    );
    known.add(block.id);
    calls.push(made(block.id, block.name, block.input ?? block.args, -1));
  }
  return calls;
}
