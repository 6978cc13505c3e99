import type { FilePart, TextPart } from '../../transcript/index.js';
import { isFields, jsonText, kindOf, type Fields } from '../record.js';
import { typeInAddress } from '../conversation/reading.js';
import { SAID, type Report } from '../conversation/repairs.js';

/** Content of a message as parts: a string, a list, or nothing. What is not understood stays, opaque. */
export function parseContent(content: unknown, report: Report): (TextPart | FilePart)[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content)) return content.map((item, index) => parsePart(item, index, report));
  report('unknown-content', `content is ${kindOf(content)}; kept as JSON text`);
  return [{ type: 'text', text: jsonText(content), wire: 'content' }];
}

function parsePart(item: unknown, wire: number, report: Report): TextPart | FilePart {
  if (!isFields(item)) {
    report('unknown-part', SAID.unknownPart(wire, `${kindOf(item)}, not an object`));
    return { type: 'text', text: typeof item === 'string' ? item : jsonText(item), wire };
  }
  const text = textIn(item);
  if (text !== undefined) return { type: 'text', text, wire };
  const file = fileIn(item);
  if (file) return { ...file, wire };
  report('unknown-part', `part ${wire} of type ${jsonText(item.type) || 'none'} is not known; kept as it is`);
  if (typeof item.text === 'string') return { type: 'text', text: item.text, wire };
  const bytes = Buffer.byteLength(jsonText(item));
  return { type: 'file', mediaType: 'application/octet-stream', bytes, name: String(item.type), wire };
}

/** The words of a text or refusal part; undefined for any other. Also asked when such a part is written back. */
export function textIn(item: Fields): string | undefined {
  if (item.type === 'text' && typeof item.text === 'string') return item.text;
  return item.type === 'refusal' && typeof item.refusal === 'string' ? item.refusal : undefined;
}

function fileIn(item: Fields): FilePart | undefined {
  if (item.type === 'image_url') {
    const url = isFields(item.image_url) ? item.image_url.url : item.image_url;
    return typeof url === 'string' ? fromUrl(url, 'image/*') : undefined;
  }
  if (item.type === 'input_audio' && isFields(item.input_audio)) {
    const { data, format } = item.input_audio;
    const mediaType = typeof format === 'string' ? `audio/${format}` : 'audio/*';
    return { type: 'file', mediaType, bytes: typeof data === 'string' ? data.length : 0 };
  }
  if (item.type === 'file' && isFields(item.file)) {
    const { file_data: data, filename, file_id: id } = item.file;
    const file = fromUrl(typeof data === 'string' ? data : '', 'application/octet-stream');
    const name = typeof filename === 'string' ? filename : id;
    return typeof name === 'string' ? { ...file, name } : file;
  }
  return undefined;
}

/** `data:image/png;base64,…` or an address. Its length is what the request pays on the wire. */
function fromUrl(url: string, otherwise: string): FilePart {
  const mediaType = typeInAddress(url) ?? otherwise;
  return { type: 'file', mediaType, bytes: url.length };
}
