import type { FilePart, Part, TextPart, ToolResultPart } from '../../transcript/index.js';
import { isFields, jsonText, type Fields } from '../../wire/index.js';
import { blocksOf } from './lines.js';

/** One content block as a part. Never lost: what is not known is kept as its JSON text. */
export function partOf(block: unknown, report: (what: string) => void): Part {
  if (!isFields(block)) return unknownBlock(block, report);
  switch (block.type) {
    case 'text':
      return { type: 'text', text: String(block.text ?? '') };
    case 'thinking':
      return reasoning(block.thinking, block.signature);
    case 'redacted_thinking':
      return reasoning('', block.data);
    case 'tool_use':
      return {
        type: 'tool-call',
        callId: String(block.id ?? ''),
        name: String(block.name ?? 'unknown'),
        arguments: typeof block.input === 'string' ? block.input : jsonText(block.input ?? {}),
      };
    case 'tool_result':
      return resultOf(block, report);
    case 'image':
    case 'document':
      return fileOf(block);
    default:
      return unknownBlock(block, report);
  }
}

function resultOf(block: Fields, report: (what: string) => void): ToolResultPart {
  const content = blocksOf(block.content).map((inner): TextPart | FilePart => {
    const part = partOf(inner, report);
    return part.type === 'text' || part.type === 'file' ? part : { type: 'text', text: jsonText(inner) };
  });
  const failed = block.is_error === true ? { isError: true } : {};
  return { type: 'tool-result', callId: String(block.tool_use_id ?? ''), content, ...failed };
}

function reasoning(text: unknown, signature: unknown): Part {
  const words = typeof text === 'string' ? text : '';
  return { type: 'reasoning', text: words, ...(typeof signature === 'string' ? { signature } : {}) };
}

/** With the picture in the form that chat requests carry, so that it can be sent there. */
function fileOf(block: Fields): FilePart {
  const source = isFields(block.source) ? block.source : {};
  const mediaType = typeof source.media_type === 'string' ? source.media_type : 'application/octet-stream';
  const inline = typeof source.data === 'string' ? `data:${mediaType};base64,${source.data}` : undefined;
  const url = inline ?? (typeof source.url === 'string' ? source.url : '');
  const file: FilePart = { type: 'file', mediaType, bytes: url.length };
  return block.type === 'image' && url ? { ...file, wire: { type: 'image_url', image_url: { url } } } : file;
}

function unknownBlock(block: unknown, report: (what: string) => void): TextPart {
  const type = isFields(block) ? jsonText(block.type) : typeof block;
  report(`a content block of type ${type} is kept as its JSON text`);
  return { type: 'text', text: typeof block === 'string' ? block : jsonText(block) };
}
