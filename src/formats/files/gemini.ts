import type { FilePart, Message } from '../../transcript/index.js';
import { isFields, type Fields } from '../record.js';
import { itemAt, type FileReader, type FileSource } from './source.js';

/** Files of Gemini parts: `inlineData`, `fileData`. A part's `wire` is its place, or [part, file of its response]. */
export const geminiFiles: FileReader = {
  find: (message: Message, { wire }: FilePart) => {
    const content = isFields(message.wire) ? message.wire.content : undefined;
    const [at, file] = Array.isArray(wire) ? (wire as readonly number[]) : [wire as number];
    const part = itemAt(isFields(content) ? content.parts : undefined, at);
    if (file === undefined || !isFields(part)) return part;
    const response = part.functionResponse ?? part.function_response;
    return itemAt(isFields(response) ? response.parts : undefined, file);
  },
  read: (item, { mediaType }) => {
    const inline = item.inlineData ?? item.inline_data;
    if (isFields(inline)) {
      return typeof inline.data === 'string' ? { kind: 'base64', data: inline.data, mediaType } : undefined;
    }
    const linked = item.fileData ?? item.file_data;
    const url = isFields(linked) ? (linked.fileUri ?? linked.file_uri) : undefined;
    return typeof url === 'string' ? { kind: 'url', url, mediaType } : undefined;
  },
};

/** A file of another format as a Gemini part; undefined where this one has no place for it. */
export function geminiFilePart(source: FileSource): Fields | undefined {
  const isKnownType = !source.mediaType.includes('*');
  if (source.kind === 'base64' && isKnownType) {
    return { inlineData: { mimeType: source.mediaType, data: source.data } };
  }
  if (source.kind !== 'url') return undefined;
  return { fileData: { fileUri: source.url, ...(isKnownType ? { mimeType: source.mediaType } : {}) } };
}
