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
import { anthropicFileBlock, bytesOf } from '../files/index.js';
import { isFields, jsonText, type Fields } from '../record.js';
import { jsonIn } from '../conversation/arguments.js';
import { fileNote } from '../conversation/placeholders.js';
import { SAID, type Report } from '../conversation/repairs.js';
import { blockAt, isThinking, type Block, type WireMessage } from './wire.js';

/** What a part is written over: the message it stands in, and the wire it came from where that is ours. */
export interface Source {
  readonly message: Message;
  readonly wire: WireMessage | undefined;
  readonly report: Report;
}

/** A part as a block: the very block it came from where it still says the same; undefined where nothing is sent. */
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
      return block ?? leftOut(part.kind, part.bytes, source);
    case 'marker':
      return undefined;
  }
}

function textBlock({ text }: TextPart, block: Block | undefined): Block {
  if (block?.type === 'text' && block.text === text) return block;
  return { type: 'text', text } satisfies TextBlockParam;
}

/** Signed by who thought it, or it cannot be sent at all. */
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
  const input = inputOf(args, report);
  if (block?.type === 'tool_use') return { ...block, id, name, input };
  return { type: 'tool_use', id, name, input } satisfies ToolUseBlockParam;
}

/** Arguments as the object that they must be; what is none goes into a field of one, as it was written. */
function inputOf(args: string, report: Report): Fields {
  if (args.trim() === '') {
    if (args === '') report('arguments-not-json', 'a call without arguments is sent with none');
    return {};
  }
  const value = jsonIn(args);
  if (isFields(value)) return value;
  report('arguments-not-json', 'arguments that are no JSON object are sent as text in the field `arguments`');
  return { arguments: args };
}

function resultBlock(part: ToolResultPart, block: Block | undefined, source: Source): Block {
  const { callId, content, isError } = part;
  if (block?.type === 'tool_result') {
    if (saysTheSame(content, block.content, source)) return block;
    return { ...block, content: resultContent(content, source) };
  }
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: resultContent(content, source) as NonNullable<ToolResultBlockParam['content']>,
    ...(isError && { is_error: true }),
  } satisfies ToolResultBlockParam;
}

function saysTheSame(content: ToolResultPart['content'], wire: unknown, source: Source): boolean {
  if (typeof wire === 'string') {
    const [only] = content;
    return content.length === 0
      ? wire === ''
      : content.length === 1 && only?.type === 'text' && only.text === wire;
  }
  if (!Array.isArray(wire)) return content.length === 0;
  return (
    content.length === wire.length &&
    content.every((part) => {
      const block = source.wire && blockAt(source.wire, part.wire);
      return block && (part.type === 'file' || block.text === part.text);
    })
  );
}

/** Plain words as a string; a list where a file stands among them, or where the source had one. */
function resultContent(content: ToolResultPart['content'], source: Source): string | Block[] {
  if (content.every((part) => part.type === 'text' && part.wire === undefined)) {
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  }
  return content.flatMap((part): Block[] => {
    const block = blockOf(part, source);
    return block ? [block] : [];
  });
}

function fileBlock(part: FilePart, block: Block | undefined, source: Source): Block {
  if (block) return block;
  const { message, report } = source;
  const found = message.role === 'assistant' ? undefined : bytesOf(message, part);
  const written = found && anthropicFileBlock(found, part);
  if (written) return written as Block & Partial<ImageBlockParam>;
  const note = fileNote(part.mediaType, part.bytes, part.name);
  report('file-named', `${note} cannot be sent here; it is named instead`);
  return { type: 'text', text: note };
}

function leftOut(kind: string, bytes: number, { report }: Source): undefined {
  report('foreign-part', SAID.foreignPart(kind, bytes));
  return undefined;
}
