import type { FilePart, OpaquePart, Part, TextPart } from '../../transcript/index.js';
import { isFields, jsonText, kindOf, type Fields } from '../record.js';
import { fileNote } from '../conversation/placeholders.js';
import { opaquePart, typeInAddress } from '../conversation/reading.js';
import type { Pointer } from './wire.js';
import type { Report } from '../conversation/repairs.js';

/** The words of an entry of a content list; undefined where it holds none. */
export function wordsIn(entry: Fields): string | undefined {
  if (typeof entry.text === 'string') return entry.text;
  return entry.type === 'refusal' && typeof entry.refusal === 'string' ? entry.refusal : undefined;
}

/** Content of a message item as parts; what is not known stays whole, as an opaque part. */
export function parseContent(content: unknown, item: number, report: Report): Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, wire: [item] }];
  if (!Array.isArray(content)) {
    report('unknown-content', `content is ${kindOf(content)}; kept as it is`);
    return [opaquePart('content', content, [item])];
  }
  return content.map((entry: unknown, at) => {
    const known = textOrFile(entry, [item, at]);
    if (known) return known;
    const kind = isFields(entry) && typeof entry.type === 'string' ? entry.type : 'content';
    report('unknown-part', `entry ${at} of type ${kind} is not known; kept as it is`);
    return opaquePart(kind, entry, [item, at]);
  });
}

/** The output of a call: a text, or a list in which what is not known counts as a file without a picture. */
export function parseOutput(output: unknown, item: number): (TextPart | FilePart)[] {
  if (output === undefined || output === null || output === '') return [];
  if (typeof output === 'string') return [{ type: 'text', text: output, wire: [item] }];
  if (!Array.isArray(output)) return [{ type: 'text', text: jsonText(output), wire: [item] }];
  return output.map((entry: unknown, at): TextPart | FilePart => {
    const wire: Pointer = [item, at];
    const bytes = Buffer.byteLength(jsonText(entry));
    return textOrFile(entry, wire) ?? { type: 'file', mediaType: 'application/octet-stream', bytes, wire };
  });
}

function textOrFile(entry: unknown, wire: Pointer): TextPart | FilePart | undefined {
  if (!isFields(entry)) return undefined;
  const text = wordsIn(entry);
  if (text !== undefined) return { type: 'text', text, wire };
  const file = fileIn(entry);
  return file && { ...file, wire };
}

/** Pictures and files: inline, at an address, or uploaded before. */
export function fileIn(entry: Fields): FilePart | undefined {
  if (entry.type === 'input_image' || entry.type === 'computer_screenshot') {
    const url = typeof entry.image_url === 'string' ? entry.image_url : '';
    return {
      type: 'file',
      mediaType: typeInAddress(url) ?? 'image/*',
      bytes: url.length,
      ...named(entry.file_id),
    };
  }
  if (entry.type !== 'input_file') return undefined;
  const source = [entry.file_data, entry.file_url].find((one) => typeof one === 'string') ?? '';
  const url = source as string;
  const mediaType = typeInAddress(url) ?? 'application/octet-stream';
  return { type: 'file', mediaType, bytes: url.length, ...named(entry.filename ?? entry.file_id) };
}

function named(name: unknown): { name?: string } {
  return typeof name === 'string' ? { name } : {};
}

/** A part of the log as an entry of a content list: a file that cannot be carried is named. */
export function noteOf(part: FilePart | OpaquePart): string {
  return part.type === 'file'
    ? fileNote(part.mediaType, part.bytes, part.name)
    : `[${part.kind}, ${part.bytes} bytes]`;
}
