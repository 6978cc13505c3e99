import type { FilePart, Message } from '../../transcript/index.js';
import { isFields, type Fields } from '../record.js';

/** Where a file's bytes are: inline, at an address, or uploaded before. What every format can write in its own way. */
export type FileSource =
  | { readonly kind: 'base64'; readonly data: string; readonly mediaType: string }
  | { readonly kind: 'url'; readonly url: string; readonly mediaType: string }
  | { readonly kind: 'id'; readonly id: string; readonly mediaType: string };

/** Reads the object that a format's file part came from; undefined where it holds no bytes. */
type ReadFileSource = (item: Fields, part: FilePart) => FileSource | undefined;

/**
 * The bytes of a part that another format parsed. Formats add themselves to `readers`, with what finds the object that
 * a part's `wire` stands for and what reads it.
 */
export function fileSource(message: Message, part: FilePart, readers: FileReaders): FileSource | undefined {
  const reader = readers[message.wireFormat ?? 'openai-chat'];
  const item = reader?.find(message, part);
  return isFields(item) ? reader?.read(item, part) : undefined;
}

export interface FileReader {
  /** The object on the wire that the part was parsed from. */
  readonly find: (message: Message, part: FilePart) => unknown;
  readonly read: ReadFileSource;
}

type FileReaders = Readonly<Record<string, FileReader>>;

/** A `data:` address taken apart, or the address itself. */
export function sourceOfUrl(url: string, mediaType: string): FileSource | undefined {
  if (url === '') return undefined;
  const inline = /^data:([^;,]*)(?:;[^,;]*)*;base64,/.exec(url.slice(0, 200));
  if (!inline) return { kind: 'url', url, mediaType };
  return { kind: 'base64', data: url.slice(inline[0].length), mediaType: inline[1] || mediaType };
}

/** The same as one address: what formats that know only addresses write. */
export function urlOf(source: FileSource): string | undefined {
  if (source.kind === 'url') return source.url;
  return source.kind === 'base64' ? `data:${source.mediaType};base64,${source.data}` : undefined;
}

/** What stands at a place of a list; undefined where either is not what it should be. */
export function itemAt(list: unknown, at: unknown): unknown {
  return Array.isArray(list) && typeof at === 'number' ? (list as readonly unknown[])[at] : undefined;
}
