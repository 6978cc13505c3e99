import type { FilePart, Message, Part, TextPart, ToolCallPart, ViewMessage } from '../../transcript/index.js';
import { alignedParts } from '../conversation/aligned.js';
import { bytesOf, langchainFileBlock } from '../files/index.js';
import { isFields, jsonText, listOf, type Fields } from '../record.js';
import { fileNote } from '../conversation/placeholders.js';
import { argumentsIn, argumentsObject } from '../conversation/arguments.js';
import { SAID, type Report } from '../conversation/repairs.js';
import { textIn } from './blocks.js';
import { isTwin } from './wire.js';

/** A call as it is sent: `from` itself where it still says the same. Arguments that are no object are wrapped in one. */
export function writeCall(part: ToolCallPart, from: unknown, report: Report): Fields {
  const own = isFields(from) ? from : undefined;
  const said = own && (typeof own.args === 'string' ? own.args : jsonText(own.args ?? {})) === part.arguments;
  const args = said ? own.args : argumentsIn(part.arguments);
  const legal = argumentsObject(args, part.name, report);
  if (own && own.id === part.callId && own.name === part.name && legal === own.args) return own;
  return { ...own, id: part.callId, name: part.name, args: legal, type: 'tool_call' };
}

/**
 * Content as it is sent: the blocks that still say the same are the very objects they were. A string stays one unless
 * a file stands among the words. `calls` are those of the message, which some providers repeat in the content.
 */
export function writeContent(
  shown: ViewMessage,
  original: unknown,
  calls: ReadonlyMap<string, Fields>,
  report: Report,
): string | readonly unknown[] {
  const blocks = listOf(original);
  const byBlock = new Map<number, unknown[]>();
  const fresh: unknown[] = [];
  for (const { source, shown: parts } of alignedParts(shown)) {
    const at = typeof source.wire === 'number' && source.type !== 'tool-call' ? source.wire : undefined;
    const from = at === undefined ? undefined : blocks[at];
    const written = parts.flatMap((part) => writeBlock(part, from, shown.message, report) ?? []);
    if (at !== undefined && blocks.length > 0) byBlock.set(at, written);
    else fresh.push(...written);
  }
  if (blocks.length === 0) return asWords(fresh);
  const kept = blocks.flatMap((block, at) => byBlock.get(at) ?? (isTwin(block) ? [twin(block, calls)] : []));
  const all = [...kept, ...fresh];
  return all.length === blocks.length && all.every((block, at) => block === blocks[at]) ? blocks : all;
}

function asWords(blocks: readonly unknown[]): string | readonly unknown[] {
  const texts = blocks.map(textIn);
  return texts.every((text) => text !== undefined) ? texts.join('\n') : blocks;
}

function writeBlock(part: Part, from: unknown, message: Message, report: Report): unknown {
  if (part.type === 'text') {
    if (from === part.text || textIn(from) === part.text) return from;
    return part.text === '' ? undefined : { type: 'text', text: part.text };
  }
  // Thinking is sent as it was or not at all: other words would carry another's proof.
  if (part.type === 'reasoning') return 'wire' in part && isFields(from) ? from : undefined;
  if (part.type === 'file') return isFields(from) ? from : writeFile(part, message);
  if (part.type !== 'opaque' || from !== undefined) return from;
  if (part.wire !== 'invalid') {
    report('foreign-part', SAID.foreignPart(part.kind, part.bytes));
  }
  return undefined;
}

export function writeFile(part: FilePart, message: Message): Fields {
  const source = bytesOf(message, part);
  const block = source && langchainFileBlock(source, part);
  return block ?? { type: 'text', text: fileNote(part.mediaType, part.bytes, part.name) };
}

/** A block that repeats a call, in step with it. */
function twin(block: Fields, calls: ReadonlyMap<string, Fields>): Fields {
  const call = calls.get(String(block.id));
  if (!call) return block;
  const changes: Record<string, unknown> = {};
  if (block.id !== call.id) changes.id = call.id;
  for (const field of ['input', 'args'] as const) {
    if (field in block && jsonText(block[field]) !== jsonText(call.args)) changes[field] = call.args;
  }
  return Object.keys(changes).length === 0 ? block : { ...block, ...changes };
}

/** What a result says, as content of its own message or of a user's. */
export function writeResultContent(
  content: readonly (TextPart | FilePart)[],
  original: unknown,
  message: Message,
): string | readonly unknown[] {
  const blocks = listOf(original);
  const written = content.map((part) => {
    const from = typeof part.wire === 'number' ? blocks[part.wire] : undefined;
    if (part.type === 'file') return isFields(from) ? from : writeFile(part, message);
    return from === part.text || textIn(from) === part.text ? from : { type: 'text', text: part.text };
  });
  if (blocks.length === 0) return asWords(written);
  return written.length === blocks.length && written.every((block, at) => block === blocks[at])
    ? blocks
    : written;
}
