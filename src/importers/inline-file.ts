import type { FilePart } from '../transcript/index.js';

/**
 * A file of a recording that has no wire format of its own: pictures carry the content part of a chat request, so
 * that every format gets at their bytes. An address may be a `data:` one; '' where only the name is known.
 */
export function inlineFile(mediaType: string, url: string, name?: string): FilePart {
  const file: FilePart = { type: 'file', mediaType, bytes: url.length, ...(name !== undefined && { name }) };
  if (url === '') return file;
  if (mediaType.startsWith('image/')) return { ...file, wire: { type: 'image_url', image_url: { url } } };
  const named = name === undefined ? {} : { filename: name };
  return url.startsWith('data:')
    ? { ...file, wire: { type: 'file', file: { ...named, file_data: url } } }
    : file;
}
