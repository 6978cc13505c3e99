import type { FilePart, Message } from '../../transcript/index.js';
import { isFields, jsonText, type Fields } from '../record.js';
import { typeInAddress } from '../conversation/reading.js';
import { sourceOfUrl, urlOf, type FileReader, type FileSource } from './source.js';

/** Files of LangChain messages: standard blocks of both generations, and the providers' own. */
export const langchainFiles: FileReader = {
  find: ({ wire }: Message, { wire: at }: FilePart) => {
    const message = isFields(wire) ? wire : {};
    const inner = isFields(message.kwargs) ? message.kwargs : message.data;
    const { content } = isFields(inner) ? inner : message;
    return Array.isArray(content) && typeof at === 'number' ? (content[at] as unknown) : undefined;
  },
  read: (block, { mediaType }) => sourceIn(block, mediaType),
};

function sourceIn(block: Fields, mediaType: string): FileSource | undefined {
  const url = addressIn(block);
  if (url !== undefined) return sourceOfUrl(url, mediaType);
  const source = isFields(block.source) ? block.source : block;
  const bytes = source.data;
  if (bytes instanceof Uint8Array) {
    return { kind: 'base64', data: Buffer.from(bytes).toString('base64'), mediaType };
  }
  if (typeof bytes === 'string' && bytes !== '') return { kind: 'base64', data: bytes, mediaType };
  const id = block.fileId ?? block.id;
  return typeof id === 'string' ? { kind: 'id', id, mediaType } : undefined;
}

function addressIn(block: Fields): string | undefined {
  if (block.type === 'image_url') {
    const url = isFields(block.image_url) ? block.image_url.url : block.image_url;
    return typeof url === 'string' ? url : undefined;
  }
  const { url } = isFields(block.source) ? block.source : block;
  return typeof url === 'string' ? url : undefined;
}

const KINDS: Readonly<Record<string, string>> = {
  image_url: 'image/*',
  image: 'image/*',
  audio: 'audio/*',
  input_audio: 'audio/*',
  video: 'video/*',
  file: 'application/octet-stream',
  document: 'application/octet-stream',
  'text-plain': 'text/plain',
};

/** A block that holds a file as a part; undefined for any other. */
export function fileOfBlocks(block: Fields, wire: unknown): FilePart | undefined {
  const kind = typeof block.type === 'string' ? KINDS[block.type] : undefined;
  if (kind === undefined) return undefined;
  const source = isFields(block.source) ? block.source : {};
  const url = addressIn(block);
  const said = block.mimeType ?? block.mime_type ?? source.media_type;
  const inline = url === undefined ? undefined : typeInAddress(url);
  const mediaType = typeof said === 'string' ? said : (inline ?? kind);
  const held = url ?? block.data ?? source.data;
  const metadata = isFields(block.metadata) ? block.metadata : {};
  const name = metadata.filename ?? metadata.name;
  return {
    type: 'file',
    mediaType,
    bytes: typeof held === 'string' ? held.length : bytesOfHeld(held, block),
    ...(typeof name === 'string' && { name }),
    wire,
  };
}

function bytesOfHeld(held: unknown, block: Fields): number {
  if (held instanceof Uint8Array) return Math.ceil(held.byteLength / 3) * 4;
  return Buffer.byteLength(jsonText(block));
}

/** A file of another format as a block that every LangChain provider converts; undefined where there is none. */
export function langchainFileBlock(source: FileSource, { name }: FilePart): Fields | undefined {
  const url = urlOf(source);
  if (url === undefined) return undefined;
  const { mediaType } = source;
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  const metadata = name === undefined ? {} : { metadata: { filename: name } };
  const held = source.kind === 'base64' ? { data: source.data } : { url };
  return { type: 'file', mimeType: mediaType, ...held, ...metadata };
}
