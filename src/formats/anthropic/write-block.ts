import type {
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type {
  FilePart,
  Message,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../transcript/index.js';
import { toolName } from '../conversation/ids.js';
import { fileNote, reportedFileNote } from '../conversation/placeholders.js';
import { textOf } from '../conversation/reading.js';
import { type Report, REPAIRS } from '../conversation/repairs.js';
import { sourceOf, type FileSource } from '../files.js';
import {
  argumentsIn,
  argumentsObject,
  overlay,
  type Fields,
  asText,
  isFields,
  jsonText,
  listOf,
  originalIfSame,
} from '../record.js';
import { type Block, blockAt, isThinking, type WireMessage } from './wire.js';

/** The source of a part: its message, and the wire value if the message came in this format. */
export interface Source {
  readonly message: Message;
  readonly wire: WireMessage | undefined;
  readonly report: Report;
}

/** A part as a block: its very own block if the content is the same; undefined if nothing is sent. */
export function blockOf(part: Part, source: Source): Block | undefined {
  const block = source.wire && blockAt(source.wire, part.wire);
  switch (part.type) {
    case 'text':
      return textBlock(part, block);
    case 'reasoning':
      return thinkingBlock(block, source);
    case 'tool-call':
      return callBlock(part, block, source.report);
    case 'tool-result':
      return resultBlock(part, block, source);
    case 'file':
      return fileBlock(part, block, source);
    case 'opaque':
      return block ?? reportForeign(part.kind, part.bytes, source);
    case 'marker':
      return undefined;
  }
}

function textBlock({ text }: TextPart, block: Block | undefined): Block {
  if (block?.type === 'text' && block.text === text) return block;
  if (block?.type === 'compaction' && block.content === text) return block;
  return { type: 'text', text } satisfies TextBlockParam;
}

/** Thinking is sent only with its own provider's signature. */
function thinkingBlock(block: Block | undefined, { wire, report }: Source): Block | undefined {
  if (block && isThinking(block)) return block;
  if (!wire) report('foreign-reasoning', 'thinking that Anthropic has not signed is not sent');
  return undefined;
}

function callBlock(part: ToolCallPart, block: Block | undefined, report: Report): Block {
  const { callId: id, name, arguments: args } = part;
  if (block?.type === 'tool_use' && jsonText(block.input ?? {}) === args) {
    return block.id === id && block.name === name ? block : { ...block, id, name };
  }
  const input = argumentsObject(argumentsIn(args), name, report);
  if (block?.type === 'tool_use') return { ...block, id, name, input };
  return { type: 'tool_use', id, name, input } satisfies ToolUseBlockParam;
}

function resultBlock(part: ToolResultPart, block: Block | undefined, source: Source): Block {
  const { callId, content, isError } = part;
  if (block?.type === 'tool_result') {
    if (content.length === 0 && isEmpty(block.content)) return block;
    const written = resultContent(content, source);
    return overlay(block, {
      content: typeof written === 'string' ? written : originalIfSame(written, block.content),
    });
  }
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: resultContent(content, source) as NonNullable<ToolResultBlockParam['content']>,
    ...(isError && { is_error: true }),
  } satisfies ToolResultBlockParam;
}

const isEmpty = (content: unknown): boolean =>
  typeof content !== 'string' ? listOf(content).length === 0 : content === '';

/** Plain words as a string; a list if they include a file, or if the source had a list. */
function resultContent(content: ToolResultPart['content'], source: Source): string | Block[] {
  if (content.every((part) => part.type === 'text' && part.wire === undefined)) {
    return textOf(content);
  }
  return content.flatMap((part): Block[] => {
    const block = blockOf(part, source);
    return block ? [block] : [];
  });
}

function fileBlock(part: FilePart, block: Block | undefined, source: Source): Block {
  if (block) return block;
  const { message, report } = source;
  const found = message.role === 'assistant' ? undefined : sourceOf(message, part);
  const written = found && blockOfFile(found, part);
  if (written) return written as Block & Partial<ImageBlockParam>;
  return { type: 'text', text: reportedFileNote(part, report) };
}

const IMAGES = /^image\/(jpeg|png|gif|webp)$/;

/** A file of another format as a block; undefined if the Messages API has no place for it. */
function blockOfFile(source: FileSource, { name }: FilePart): Fields | undefined {
  const mediaType = source.mediaType === 'image/jpg' ? 'image/jpeg' : source.mediaType;
  const title = name === undefined ? {} : { title: name };
  if (source.kind === 'id') return undefined; // uploaded to another provider
  if (source.kind === 'url') {
    const at = { type: 'url', url: source.url };
    if (mediaType.startsWith('image/')) return { type: 'image', source: at };
    return mediaType === 'application/pdf' ? { type: 'document', source: at, ...title } : undefined;
  }
  const { data } = source;
  if (IMAGES.test(mediaType))
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
  if (mediaType === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: mediaType, data }, ...title };
  if (!mediaType.startsWith('text/')) return undefined;
  const words = Buffer.from(data, 'base64').toString('utf8');
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: words }, ...title };
}

function reportForeign(kind: string, bytes: number, { report }: Source): undefined {
  report('foreign-part', REPAIRS.foreignPart(kind, bytes));
  return undefined;
}

/** Repairs what the provider refuses in one block, each repair with a notice; the same object if nothing is wrong. */
export function repairBlock(block: Block, report: Report): Block | undefined {
  if (block.type === 'text') return nonEmptyText(block, report);
  if (isThinking(block)) return repairThinking(block, report);
  if (block.type === 'tool_use') return repairCall(block, report);
  return block.type === 'tool_result' ? repairResult(block, report) : block;
}

function nonEmptyText(block: Block, report: Report): Block | undefined {
  if (typeof block.text === 'string' && block.text.trim() !== '') return block;
  report('empty-text', 'an empty text is left out');
  return undefined;
}

function repairThinking(block: Block, report: Report): Block | undefined {
  const proof = block.type === 'thinking' ? block.signature : block.data;
  if (typeof proof !== 'string' || proof === '') {
    report('unsigned-reasoning', 'thinking without its signature is not sent');
    return undefined;
  }
  if (!('cache_control' in block)) return block;
  const { cache_control: _, ...unmarked } = block;
  report('cache-mark', 'a cache mark on thinking is left out');
  return unmarked;
}

function repairCall(block: Block, report: Report): Block {
  const name = toolName(block.name, report);
  return overlay(block, { name, input: argumentsObject(block.input, name, report) });
}

function repairResult(block: Block, report: Report): Block {
  if (!Array.isArray(block.content)) return block;
  const content: readonly unknown[] = block.content;
  const kept = content.flatMap((inner) => {
    if (!isFields(inner)) return [{ type: 'text', text: asText(inner) }];
    if (inner.type === 'text') return nonEmptyText(inner, report) ?? [];
    if (block.is_error !== true) return [inner];
    const note = fileNote({
      mediaType: asText(inner.type),
      bytes: Buffer.byteLength(JSON.stringify(inner)),
    });
    report('file-named', `the result of a failed call holds words only; sent is ${note}`);
    return [{ type: 'text', text: note }];
  });
  return overlay(block, { content: originalIfSame(kept, content) });
}
