import type { FilePart, Message } from '../../transcript/index.js';
import { isFields, type Fields } from '../record.js';
import { typeInAddress } from '../conversation/reading.js';
import { itemAt, sourceOfUrl, type FileReader, type FileSource } from './source.js';

/** Files of the AI SDK: `image` and `file` parts, and what results hold of either. */
export const aiSdkFiles: FileReader = {
  find: ({ wire }: Message, part: FilePart) => {
    const [item, inner] = Array.isArray(part.wire) ? (part.wire as readonly unknown[]) : [part.wire];
    const found = itemAt(isFields(wire) ? wire.content : undefined, item);
    if (inner === undefined) return found;
    const output = isFields(found) && isFields(found.output) ? found.output : {};
    return itemAt(output.value, inner);
  },
  read: (item, { mediaType }) => {
    const held = holds(item);
    if (held === undefined) return undefined;
    return 'id' in held ? { kind: 'id', id: held.id, mediaType } : sourceOf(held.bytes, mediaType);
  },
};

type FileContent = { readonly bytes: unknown } | { readonly id: string };

/** What an item holds: its bytes in any of the SDK's shapes, or the id of an upload. */
function holds(item: Fields): FileContent | undefined {
  switch (item.type) {
    case 'image':
      return { bytes: item.image };
    case 'file':
    case 'media':
    case 'file-data':
    case 'image-data':
      return { bytes: item.data };
    case 'file-url':
    case 'image-url':
      return { bytes: item.url };
    case 'file-id':
    case 'image-file-id':
      return typeof item.fileId === 'string' ? { id: item.fileId } : undefined;
    default:
      return undefined;
  }
}

/** A string is base64, or an address; bytes are bytes. */
function sourceOf(bytes: unknown, mediaType: string): FileSource | undefined {
  if (bytes instanceof URL) return sourceOfUrl(bytes.href, mediaType);
  if (bytes instanceof Uint8Array) {
    return { kind: 'base64', data: Buffer.from(bytes).toString('base64'), mediaType };
  }
  if (bytes instanceof ArrayBuffer) {
    return { kind: 'base64', data: Buffer.from(bytes).toString('base64'), mediaType };
  }
  if (typeof bytes !== 'string' || bytes === '') return undefined;
  return ADDRESS.test(bytes) ? sourceOfUrl(bytes, mediaType) : { kind: 'base64', data: bytes, mediaType };
}

const ADDRESS = /^(?:https?|data):/i;

/** An item that holds a file as a part; undefined for any other. */
export function fileOfItem(item: Fields, wire: unknown): FilePart | undefined {
  const held = holds(item);
  if (!held && item.type !== 'file-id' && item.type !== 'image-file-id') return undefined;
  const isImage = String(item.type).startsWith('image');
  const said = typeof item.mediaType === 'string' ? item.mediaType : undefined;
  const inline =
    held && 'bytes' in held && typeof held.bytes === 'string' ? typeInAddress(held.bytes) : undefined;
  const mediaType = said ?? inline ?? (isImage ? 'image/*' : 'application/octet-stream');
  const name = typeof item.filename === 'string' ? { name: item.filename } : {};
  return { type: 'file', mediaType, bytes: held && 'bytes' in held ? bytesIn(held.bytes) : 0, ...name, wire };
}

function bytesIn(bytes: unknown): number {
  if (typeof bytes === 'string') return bytes.length;
  if (bytes instanceof URL) return bytes.href.length;
  const length = bytes instanceof Uint8Array || bytes instanceof ArrayBuffer ? bytes.byteLength : 0;
  return Math.ceil(length / 3) * 4;
}

/** A file of another format as a part of a message; undefined where only its uploader has it. */
export function aiSdkFilePart(source: FileSource, { name }: FilePart): Fields | undefined {
  if (source.kind === 'id') return undefined;
  const { mediaType } = source;
  const data = source.kind === 'url' ? addressOf(source.url) : source.data;
  if (data === undefined) return undefined;
  return { type: 'file', data, mediaType, ...(name !== undefined && { filename: name }) };
}

/** The same within the content of a result. */
export function aiSdkResultFile(source: FileSource, { name }: FilePart): Fields | undefined {
  if (source.kind === 'id') return undefined;
  const { mediaType } = source;
  const isImage = mediaType.startsWith('image/');
  if (source.kind === 'url') {
    if (!addressOf(source.url)) return undefined;
    return isImage
      ? { type: 'image-url', url: source.url }
      : { type: 'file-url', url: source.url, mediaType };
  }
  const filename = name === undefined ? {} : { filename: name };
  return isImage
    ? { type: 'image-data', data: source.data, mediaType }
    : { type: 'file-data', data: source.data, mediaType, ...filename };
}

function addressOf(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
