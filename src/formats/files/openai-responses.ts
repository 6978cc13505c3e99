import type { FilePart, Message } from '../../transcript/index.js';
import { isFields, type Fields } from '../record.js';
import { sourceOfUrl, urlOf, type FileReader, type FileSource } from './source.js';

/** Files of Responses items: `input_image`, `input_file`, `computer_screenshot`. A part's `wire` is [item, entry]. */
export const responsesFiles: FileReader = {
  find: (message: Message, { wire }: FilePart) => {
    const items = isFields(message.wire) ? message.wire.items : undefined;
    const [at, entry] = Array.isArray(wire) ? (wire as readonly number[]) : [];
    const item: unknown = Array.isArray(items) && at !== undefined ? items[at] : undefined;
    if (!isFields(item)) return undefined;
    const list = Array.isArray(item.content) ? item.content : item.output;
    return Array.isArray(list) && entry !== undefined ? (list as readonly unknown[])[entry] : list;
  },
  read: (item, { mediaType }) => {
    const url = [item.image_url, item.file_data, item.file_url].find((one) => typeof one === 'string');
    if (typeof url === 'string') return sourceOfUrl(url, mediaType);
    return typeof item.file_id === 'string' ? { kind: 'id', id: item.file_id, mediaType } : undefined;
  },
};

/** A file of another format as an entry of a content list; undefined where this one has no place for it. */
export function responsesFilePart(
  source: FileSource,
  { name }: FilePart,
  wireFormat: string | undefined,
): Fields | undefined {
  const isImage = source.mediaType.startsWith('image/');
  if (source.kind === 'id') {
    // Uploads are known only to the provider that took them.
    if (wireFormat !== undefined && !wireFormat.startsWith('openai-')) return undefined;
    return isImage
      ? { type: 'input_image', detail: 'auto', file_id: source.id }
      : { type: 'input_file', file_id: source.id };
  }
  const url = urlOf(source);
  if (isImage) return { type: 'input_image', detail: 'auto', image_url: url };
  if (/^(audio|video)\//.test(source.mediaType)) return undefined;
  if (source.kind === 'url') return { type: 'input_file', file_url: url };
  return { type: 'input_file', filename: name ?? 'file', file_data: url };
}
