import type { FilePart, Message } from '../../transcript/index.js';
import { isFields, jsonText, type Fields } from '../record.js';
import { itemAt, type FileReader, type FileSource } from './source.js';

/** Files of Anthropic messages: `image` and `document` blocks, also inside results. */
export const anthropicFiles: FileReader = {
  find: ({ wire }: Message, part: FilePart) => {
    const [block, inner] = Array.isArray(part.wire) ? (part.wire as readonly unknown[]) : [part.wire];
    const message = isFields(wire) && isFields(wire.message) ? wire.message : {};
    const found = itemAt(message.content, block);
    return inner === undefined ? found : itemAt(isFields(found) ? found.content : undefined, inner);
  },
  read: ({ source }, part) => (isFields(source) ? sourceOf(source, part) : undefined),
};

function sourceOf(source: Fields, { mediaType }: FilePart): FileSource | undefined {
  const { type, data, url, file_id: id } = source;
  if (type === 'base64' && typeof data === 'string') return { kind: 'base64', data, mediaType };
  if (type === 'text' && typeof data === 'string') {
    return { kind: 'base64', data: Buffer.from(data).toString('base64'), mediaType };
  }
  if (type === 'url' && typeof url === 'string') return { kind: 'url', url, mediaType };
  return type === 'file' && typeof id === 'string' ? { kind: 'id', id, mediaType } : undefined;
}

const KNOWN: ReadonlySet<unknown> = new Set(['image', 'document', 'search_result']);

/** A block that holds a file, or what is as large as one, as a part; undefined for any other block. */
export function fileOfBlock(block: Fields, wire: unknown): FilePart | undefined {
  if (!KNOWN.has(block.type)) return undefined;
  const source = isFields(block.source) ? block.source : {};
  const bytes = Buffer.byteLength(
    typeof source.data === 'string'
      ? source.data
      : typeof source.url === 'string'
        ? source.url
        : jsonText(block),
  );
  const name = typeof block.title === 'string' ? { name: block.title } : {};
  return { type: 'file', mediaType: mediaTypeOf(block, source), bytes, ...name, wire };
}

function mediaTypeOf({ type }: Fields, source: Fields): string {
  if (typeof source.media_type === 'string') return source.media_type;
  if (type === 'image') return 'image/*';
  return source.type === 'url' ? 'application/pdf' : 'text/plain';
}

const IMAGES = /^image\/(jpeg|png|gif|webp)$/;

/** A file of another format as a block; undefined where the Messages API has no place for it. */
export function anthropicFileBlock(source: FileSource, { name }: FilePart): Fields | undefined {
  const mediaType = source.mediaType === 'image/jpg' ? 'image/jpeg' : source.mediaType;
  const title = name === undefined ? {} : { title: name };
  if (source.kind === 'id') return undefined; // uploaded to somebody else
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
