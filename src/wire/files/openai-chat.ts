import type { FilePart, Message } from '../../transcript/index.js';
import { itemAt, sourceOfUrl, urlOf, type FileReader, type FileSource } from './source.js';
import { isFields, type Fields } from '../record.js';

/** Files of chat messages: `image_url`, `input_audio`, `file`. */
export const chatFiles: FileReader = {
  find: (message: Message, { wire }: FilePart) =>
    typeof wire === 'number' ? itemAt(isFields(message.wire) ? message.wire.content : undefined, wire) : wire,
  read: (item, part) => {
    if (item.type === 'image_url') {
      const url = isFields(item.image_url) ? item.image_url.url : item.image_url;
      return typeof url === 'string' ? sourceOfUrl(url, part.mediaType) : undefined;
    }
    if (item.type === 'input_audio' && isFields(item.input_audio)) return audioIn(item.input_audio);
    return item.type === 'file' && isFields(item.file) ? fileIn(item.file, part) : undefined;
  },
};

function audioIn({ data, format }: Fields): FileSource | undefined {
  return typeof data === 'string'
    ? { kind: 'base64', data, mediaType: `audio/${String(format)}` }
    : undefined;
}

function fileIn({ file_data: data, file_id: id }: Fields, { mediaType }: FilePart): FileSource | undefined {
  if (typeof data === 'string') return sourceOfUrl(data, mediaType);
  return typeof id === 'string' ? { kind: 'id', id, mediaType } : undefined;
}

/** A file of another format as chat's content part; undefined where chat has no place for it. */
export function chatFilePart(source: FileSource, { name }: FilePart): Fields | undefined {
  const url = urlOf(source);
  if (url === undefined) return undefined;
  if (source.mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  if (source.kind !== 'base64') return undefined;
  if (/^audio\/(wav|mp3)$/.test(source.mediaType)) {
    const format = source.mediaType.slice('audio/'.length);
    return { type: 'input_audio', input_audio: { data: source.data, format } };
  }
  return { type: 'file', file: { ...(name !== undefined && { filename: name }), file_data: url } };
}
