import type {
  FilePart,
  FilePlace,
  Message,
  OpaquePart,
  Part,
  ReasoningPart,
  Role,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../transcript/index.js';
import { listParser } from '../conversation/reader.js';
import {
  toolsAndModel,
  callIdOf,
  contentParts,
  isProgramWritten,
  logMessage,
  opaquePart,
} from '../conversation/reading.js';
import { type Report, REPAIRS } from '../conversation/repairs.js';
import { programOf, serverCallOf } from '../conversation/server-calls.js';
import { fileAt, type Way } from '../files.js';
import {
  entryOf,
  asText,
  type Fields,
  fieldsOf,
  isFields,
  isText,
  jsonText,
  kindOf,
  listOf,
} from '../record.js';
import {
  type Block,
  type BlockPointer,
  type Carried,
  FORMAT,
  isServerBlock,
  type WireMessage,
} from './wire.js';

/** A request body or a bare list. One message on the wire may become several in the log; see `Carried`. */
export const parser = listParser({
  format: FORMAT,
  allowed: 'a list of Anthropic messages, or a request body with such a list as `messages`',
  pass: 'a Messages API request body',
  field: 'messages',
  open: (body, take, report) => ({
    list: body.messages,
    leading: systemOf(take(body.system, 'system'), report),
    otherFields: toolsAndModel(body),
  }),
  foreign: foreignTo,
  messagesOf: ([wire], { id, report }) => messagesOf(wire, id, report),
});

/** Roles and fields of chat completions: read without an error, they would be sent on, and refused by the provider. */
function foreignTo({ role, tool_calls: calls, parts, content }: WireMessage): string | undefined {
  const foreign = ['tool', 'function', 'developer'].find((other) => role === other);
  if (foreign !== undefined) return `the role ${foreign}`;
  if (calls !== undefined) return 'the field tool_calls';
  return parts !== undefined && content === undefined ? 'the field parts' : undefined;
}

/** The instructions, which are next to the messages on the wire and first in the log. */
function systemOf(system: unknown, report: Report): Message[] {
  if (typeof system !== 'string' && !Array.isArray(system)) return [];
  if (system.length === 0) return [];
  return [pieceOf({ message: { role: 'system', content: system } }, 'system', 'system', report)];
}

function messagesOf(wire: WireMessage, id: string, report: Report): Message[] {
  if (wire.role === 'user') return userMessages(wire, id, report);
  const role = wire.role === 'assistant' || wire.role === 'system' ? wire.role : undefined;
  if (!role) report('unknown-role', REPAIRS.unknownRole(jsonText(wire.role) || 'missing'));
  return [pieceOf({ message: wire }, id, role, report)];
}

function pieceOf(carried: Carried, id: string, role: Role | undefined, report: Report): Message {
  const read = role === 'assistant' ? assistantPart : userPart;
  const parts = contentParts<Part>(
    carried.message.content,
    (block, at) => read(block, at, report, id),
    report,
  );
  const isTools = parts.length > 0 && parts.every((part) => part.type === 'tool-result');
  const changesTools = listOf(carried.message.content).some(
    (block) => isFields(block) && block.type === 'compaction' && listOf(block.tool_changes).length > 0,
  );
  // Without the block, the model would have the tools of the beginning again.
  const about = { id, wire: carried, wireFormat: FORMAT, ...(changesTools && { pinned: true }) };
  return logMessage(role === 'user' && isTools ? 'tool' : role, about, parts);
}

type Run = { readonly kind: 'result' | 'program' | 'user'; readonly blocks: unknown[] };

/** Each result, each run of a program's blocks and each run of a user's blocks becomes one message in the log. */
function userMessages(wire: WireMessage, id: string, report: Report): Message[] {
  const runs = Array.isArray(wire.content) ? runsOf(wire.content) : [];
  if (runs.length < 2) return [pieceOf({ message: wire }, id, 'user', report)];
  return runs.map(({ blocks }, index) => {
    const carried: Carried =
      index === 0
        ? { message: { ...wire, content: blocks } }
        : { message: { role: wire.role, content: blocks }, continues: true };
    return pieceOf(carried, index === 0 ? id : `${id}-${index}`, 'user', report);
  });
}

function runsOf(content: readonly unknown[]): Run[] {
  const runs: Run[] = [];
  for (const block of content) {
    const kind = kindOfBlock(block);
    const last = runs.at(-1);
    if (last?.kind === kind && kind !== 'result') last.blocks.push(block);
    else runs.push({ kind, blocks: [block] });
  }
  return runs;
}

function kindOfBlock(block: unknown): Run['kind'] {
  if (!isFields(block)) return 'user';
  if (block.type === 'tool_result') return 'result';
  return block.type === 'text' && isProgramWritten(asText(block.text)) ? 'program' : 'user';
}

/** Known blocks that only this format understands; a block of any other type is reported. */
const OPAQUE: ReadonlySet<unknown> = new Set([
  'container_upload',
  'compaction',
  'fallback',
  'mcp_tool_listing',
  'tool_addition',
  'tool_removal',
]);

/** One block of the assistant as a part. */
function assistantPart(block: unknown, wire: number, report: Report, id: string): Part {
  if (!isFields(block)) return nonObjectPart(block, wire, report);
  if (block.type === 'text') return textPart(block, wire);
  if (block.type === 'thinking') return reasoning(block.thinking, block.signature, wire);
  if (block.type === 'redacted_thinking') return reasoning('', block.data, wire);
  if (block.type === 'tool_use') return callPart(block, wire, id, report);
  // The provider's own summary of everything before it.
  if (block.type === 'compaction' && isText(block.content))
    return { type: 'text', text: block.content, wire };
  return opaque(block, wire, report);
}

/** One block of a user message as a part. */
function userPart(block: unknown, wire: number, report: Report): Part {
  if (!isFields(block)) return nonObjectPart(block, wire, report);
  if (block.type === 'text') return textPart(block, wire);
  if (block.type === 'tool_result') return resultPart(block, wire, report);
  return fileOf(block, ['message', 'content', wire], wire) ?? opaque(block, wire, report);
}

function textPart(block: Block, wire: BlockPointer): TextPart {
  return { type: 'text', text: typeof block.text === 'string' ? block.text : '', wire };
}

/** A thinking part. A redacted block has no words; its encrypted text serves as the signature. */
function reasoning(text: unknown, signature: unknown, wire: number): ReasoningPart {
  const words = typeof text === 'string' ? text : '';
  return { type: 'reasoning', text: words, ...(typeof signature === 'string' && { signature }), wire };
}

function callPart(block: Block, wire: number, messageId: string, report: Report): ToolCallPart {
  const { id, name, input, caller } = block;
  const callId = callIdOf(id, messageId, wire, report);
  const args = typeof input === 'string' ? input : jsonText(input ?? {});
  const tool = isText(name) ? name : 'unknown';
  return { type: 'tool-call', callId, name: tool, arguments: args, ...programOf(caller), wire };
}

function resultPart(block: Block, wire: number, report: Report): ToolResultPart {
  const id = block.tool_use_id;
  if (typeof id !== 'string' || id === '') report('missing-result-id', `result ${wire} names no call`);
  return {
    type: 'tool-result',
    callId: typeof id === 'string' ? id : '',
    content: contentParts<TextPart | FilePart>(
      block.content,
      (inner, at) => innerPart(inner, [wire, at]),
      report,
    ),
    ...(block.is_error === true && { isError: true }),
    wire,
  };
}

/** The media type of a document of blocks, which may have images among its words. */
function documentType({ content }: Fields): string {
  const isMixed = listOf(content).some((block) => isFields(block) && block.type !== 'text');
  return isMixed ? 'multipart/mixed' : 'text/plain';
}

/** A block inside a result. */
function innerPart(inner: unknown, wire: readonly [block: number, at: number]): TextPart | FilePart {
  if (!isFields(inner)) return { type: 'text', text: jsonText(inner), wire };
  if (inner.type === 'text') return textPart(inner, wire);
  const place = ['message', 'content', wire[0], 'content', wire[1]];
  return fileOf(inner, place, wire) ?? unknownFile(inner, wire);
}

const FILES: ReadonlySet<unknown> = new Set(['image', 'document', 'search_result']);
/** The way to the content, by the type of the source. */
const WAYS: Readonly<Record<string, Way>> = {
  base64: 'bytes source.data',
  text: 'text source.data',
  url: 'address source.url',
  file: 'id source.file_id',
  content: 'text source.content',
};

/** The file of a block, or of a search result, which counts as a file; undefined for any other block. */
function fileOf(block: Fields, place: FilePlace['way'], wire: BlockPointer): FilePart | undefined {
  if (!FILES.has(block.type)) return undefined;
  const source = fieldsOf(block.source);
  const way = block.type === 'search_result' ? 'text content' : entryOf(WAYS, source.type);
  return fileAt(block, place, way ? [way] : [], {
    wire,
    mediaType: source.media_type,
    name: block.title,
    fallbackType:
      block.type === 'image' ? 'image/*' : source.type === 'url' ? 'application/pdf' : documentType(source),
    countsItem: true,
  });
}

/** A result has no opaque parts: an unknown block becomes a file with the block's bytes, and the block is kept. */
function unknownFile(block: Fields, wire: BlockPointer): FilePart {
  const bytes = Buffer.byteLength(jsonText(block));
  return { type: 'file', mediaType: 'application/octet-stream', bytes, name: asText(block.type), wire };
}

function opaque(block: Block, wire: number, report: Report): OpaquePart {
  const kind = typeof block.type === 'string' ? block.type : 'unknown';
  if (!isServerBlock(block) && !OPAQUE.has(kind))
    report('unknown-part', `block ${wire} of type ${kind} is not known; kept as it is`);
  return { ...opaquePart(kind, block, wire, ['message', 'content', wire]), ...serverCallOf(block) };
}

function nonObjectPart(block: unknown, wire: number, report: Report): TextPart {
  report('unknown-part', `block ${wire} is ${kindOf(block)}, not an object; sent as text`);
  return { type: 'text', text: typeof block === 'string' ? block : jsonText(block) };
}
