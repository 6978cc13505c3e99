import type {
  FilePart,
  OpaquePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../transcript/index.js';
import { isFields, jsonText, kindOf, type Fields } from '../record.js';
import { fileOfBlock } from '../files/index.js';
import { isServerBlock, type Block, type BlockPointer } from './wire.js';
import { opaquePart } from '../conversation/reading.js';
import { SAID, type Report } from '../conversation/repairs.js';

/** A tool's id where the wire has none: made from its place, so that both sides of a pair get the same. */
type NameCall = (place: number) => string;

/** Blocks that are known and that only this format understands; of any other type a notice says so. */
const OPAQUE: ReadonlySet<unknown> = new Set([
  'container_upload',
  'compaction',
  'fallback',
  'mcp_tool_listing',
  'tool_addition',
  'tool_removal',
]);

/** One block of the assistant as a part. */
export function assistantPart(block: unknown, wire: number, nameCall: NameCall, report: Report): Part {
  if (!isFields(block)) return strange(block, wire, report);
  if (block.type === 'text') return textPart(block, wire);
  if (block.type === 'thinking') return reasoning(block.thinking, block.signature, wire);
  if (block.type === 'redacted_thinking') return reasoning('', block.data, wire);
  if (block.type === 'tool_use') return callPart(block, wire, nameCall, report);
  return opaque(block, wire, report);
}

/** One block of a user message as a part. */
export function userPart(block: unknown, wire: number, report: Report): Part {
  if (!isFields(block)) return strange(block, wire, report);
  if (block.type === 'text') return textPart(block, wire);
  if (block.type === 'tool_result') return resultPart(block, wire, report);
  return fileOfBlock(block, wire) ?? opaque(block, wire, report);
}

function textPart(block: Block, wire: BlockPointer): TextPart {
  return { type: 'text', text: typeof block.text === 'string' ? block.text : '', wire };
}

/** A redacted block has no words; what stands for it is the encrypted text itself. */
function reasoning(text: unknown, signature: unknown, wire: number): ReasoningPart {
  const words = typeof text === 'string' ? text : '';
  return { type: 'reasoning', text: words, ...(typeof signature === 'string' && { signature }), wire };
}

function callPart(block: Block, wire: number, nameCall: NameCall, report: Report): ToolCallPart {
  const { id, name, input } = block;
  const callId = typeof id === 'string' && id !== '' ? id : nameCall(wire);
  if (callId !== id) report('missing-call-id', SAID.noCallId(wire, callId));
  const args = typeof input === 'string' ? input : jsonText(input ?? {});
  const tool = typeof name === 'string' && name !== '' ? name : 'unknown';
  return { type: 'tool-call', callId, name: tool, arguments: args, wire };
}

function resultPart(block: Block, wire: number, report: Report): ToolResultPart {
  const id = block.tool_use_id;
  if (typeof id !== 'string' || id === '') report('missing-result-id', `result ${wire} names no call`);
  return {
    type: 'tool-result',
    callId: typeof id === 'string' ? id : '',
    content: resultContent(block.content, wire, report),
    ...(block.is_error === true && { isError: true }),
    wire,
  };
}

function resultContent(content: unknown, block: number, report: Report): (TextPart | FilePart)[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) {
    report('unknown-content', `the content of result ${block} is ${kindOf(content)}; kept as JSON text`);
    return [{ type: 'text', text: jsonText(content) }];
  }
  return content.map((inner: unknown, at) => {
    const wire: BlockPointer = [block, at];
    if (!isFields(inner)) return { type: 'text', text: jsonText(inner), wire };
    if (inner.type === 'text') return textPart(inner, wire);
    return fileOfBlock(inner, wire) ?? unknownFile(inner, wire);
  });
}

/** Inside a result there is no opaque part: what is not known goes as a file, its bytes counted, its block kept. */
function unknownFile(block: Fields, wire: BlockPointer): FilePart {
  const bytes = Buffer.byteLength(jsonText(block));
  return { type: 'file', mediaType: 'application/octet-stream', bytes, name: String(block.type), wire };
}

function opaque(block: Block, wire: number, report: Report): OpaquePart {
  const kind = typeof block.type === 'string' ? block.type : 'unknown';
  if (!isServerBlock(block) && !OPAQUE.has(kind))
    report('unknown-part', `block ${wire} of type ${kind} is not known; kept as it is`);
  return opaquePart(kind, block, wire);
}

function strange(block: unknown, wire: number, report: Report): TextPart {
  report('unknown-part', `block ${wire} is ${kindOf(block)}, not an object; sent as text`);
  return { type: 'text', text: typeof block === 'string' ? block : jsonText(block) };
}
