import type { FilePart, FilePlace, Message, OpaquePart } from '../transcript/index.js';
import { base64Length, isBytes, isFields, jsonText, type Fields } from './record.js';

/** The content of a file: inline, at an address, or uploaded before. Every format can write these in its own way. */
export type FileSource =
  | { readonly kind: 'base64'; readonly data: string; readonly mediaType: string }
  | { readonly kind: 'url'; readonly url: string; readonly mediaType: string }
  | { readonly kind: 'id'; readonly id: string; readonly mediaType: string };

/** A kind of file content and the fields that lead to this content: `address image_url.url`. */
export type Way = `${FilePlace['as']} ${string}`;

/** What is known of a file in addition to its content. */
interface AboutFile {
  readonly wire?: unknown;
  readonly mediaType?: unknown;
  readonly name?: unknown;
  /** The media type if neither `mediaType` nor a `data:` address names one. */
  readonly fallbackType?: string;
  /** Whether the size of the item counts if no content is found in the item, or only an id. */
  readonly countsItem?: boolean;
}

/** The file of an item at `place` in its message's wire. The first of `ways` that leads to content is used. */
export function fileAt(
  item: Fields,
  place: FilePlace['way'],
  ways: readonly Way[],
  { wire, mediaType, name, fallbackType = 'application/octet-stream', countsItem = false }: AboutFile,
): FilePart {
  const found = ways
    .map((one) => {
      const [as, names] = one.split(' ') as [FilePlace['as'], string];
      const value = valueAt(item, names.split('.'));
      return { as, names, value, size: as === 'id' && typeof value === 'string' ? 0 : sizeOf(value) };
    })
    .find(({ size }) => size !== undefined);
  const inline =
    found?.as === 'address' && (typeof found.value === 'string' || found.value instanceof URL)
      ? typeInAddress(String(found.value))
      : undefined;
  return {
    type: 'file',
    mediaType: typeof mediaType === 'string' ? mediaType : (inline ?? fallbackType),
    bytes:
      countsItem && (!found || found.as === 'id') ? Buffer.byteLength(jsonText(item)) : (found?.size ?? 0),
    ...(typeof name === 'string' && { name }),
    ...(found && { at: { as: found.as, way: [...place, ...found.names.split('.')] } }),
    ...(wire !== undefined && { wire }),
  };
}

/** The file in a content part of chat completions. Importers, whose messages have no wire, pass such parts. */
export function chatFileAt(item: Fields, place: FilePlace['way'], wire: unknown): FilePart | undefined {
  if (item.type === 'image_url') {
    const file = fileAt(item, place, ['address image_url.url', 'address image_url'], {
      wire,
      fallbackType: 'image/*',
    });
    return file.at && file;
  }
  if (item.type === 'input_audio' && isFields(item.input_audio)) {
    const { format } = item.input_audio;
    return fileAt(item, place, ['bytes input_audio.data'], {
      wire,
      mediaType: typeof format === 'string' ? `audio/${format}` : 'audio/*',
    });
  }
  if (item.type !== 'file' || !isFields(item.file)) return undefined;
  const { filename, file_id: id } = item.file;
  const name = typeof filename === 'string' ? filename : id;
  return fileAt(item, place, ['address file.file_data', 'id file.file_id'], { wire, name });
}

/** Whether the content of a file (bytes, base64 or an address) is an address, written as text. */
export const isAddress = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:https?|data):/i.test(value);

/** The content of a file part of any format; undefined if the content cannot be found. */
export function sourceOf({ wire }: Pick<Message, 'wire'>, part: FilePart): FileSource | undefined {
  const own = isFields(part.wire) ? part.wire : undefined;
  const at = own ? chatFileAt(own, [], undefined)?.at : part.at;
  const value = at && valueAt(own ?? wire, at.way);
  const { mediaType } = part;
  if (at?.as === 'id') return typeof value === 'string' ? { kind: 'id', id: value, mediaType } : undefined;
  if (value instanceof URL || (at?.as === 'address' && typeof value === 'string'))
    return sourceOfUrl(String(value), mediaType);
  const data = at?.as === 'text' ? Buffer.from(wordsOf(value)).toString('base64') : base64Of(value);
  return data ? { kind: 'base64', data, mediaType } : undefined;
}

/** The value at the end of a way. An instance of a class that was stored keeps its fields under `kwargs` or `data`. */
function valueAt(from: unknown, way: FilePlace['way']): unknown {
  let value = from;
  for (const [index, name] of way.entries()) {
    if (typeof value !== 'object' || value === null) return undefined;
    const fields = value as Fields;
    value = fields[name];
    if (value === undefined && index === 0) value = [fields.kwargs, fields.data].find(isFields)?.[name];
  }
  return value;
}

/** The size on the wire, where bytes are written as base64. */
function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string' || value instanceof URL) return Buffer.byteLength(String(value));
  if (Array.isArray(value)) return Buffer.byteLength(jsonText(value));
  return isBytes(value) ? base64Length(value) : undefined;
}

function base64Of(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isBytes(value) ? Buffer.from(value as Uint8Array).toString('base64') : undefined;
}

/** The type that a `data:` address names; undefined for any other text. */
const typeInAddress = (url: string): string | undefined => /^data:([^;,]+)[;,]/.exec(url.slice(0, 200))?.[1];

/** A `data:` address taken apart, or the address itself. */
function sourceOfUrl(url: string, mediaType: string): FileSource | undefined {
  if (url === '') return undefined;
  const inline = /^data:([^;,]*)((?:;[^,;]*)*),/i.exec(url.slice(0, 200));
  if (!inline) return { kind: 'url', url, mediaType };
  const [head, type, options] = inline;
  const value = url.slice(head.length);
  const data = /;base64$/i.test(options!) ? value : Buffer.from(unescaped(value)).toString('base64');
  return { kind: 'base64', data, mediaType: type || mediaType };
}

/** The text of a `data:` address with escapes (`%20`) decoded; the text itself if it is not escaped this way. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A source as a single address, for formats that know only addresses; undefined for an uploaded file. */
export function urlOf(source: FileSource): string | undefined {
  if (source.kind === 'url') return source.url;
  return source.kind === 'base64' ? `data:${source.mediaType};base64,${source.data}` : undefined;
}

/** All readable text of a text file or an opaque part; '' for any other file. */
export function wordsIn(message: Pick<Message, 'wire'>, part: FilePart | OpaquePart): string {
  if (part.type === 'opaque') return part.at ? wordsOf(valueAt(message.wire, part.at.way)) : '';
  if (part.at?.as === 'text') return wordsOf(valueAt(message.wire, part.at.way));
  const source = TEXT_FILE.test(part.mediaType) ? sourceOf(message, part) : undefined;
  return source?.kind === 'base64' ? Buffer.from(source.data, 'base64').toString('utf8') : '';
}

const TEXT_FILE = /^text\/|\b(?:json|xml|yaml|javascript)\b/;
/** Keys, signatures and bytes are not readable text. */
const SEALED = /^(?:data:|[\w+/=.-]{80})/;
const NAMES =
  /^(?:type|role|status|encrypted_\w+|signature|thoughtSignature|(?:\w+_)?ids?|\w+Ids?|providerOptions)$/;

/** The readable texts in a value of any shape, one line each. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return SEALED.test(value) ? '' : value;
  if (typeof value !== 'object' || value === null) return '';
  const inner = Object.entries(value).map(([name, one]) => (NAMES.test(name) ? '' : wordsOf(one)));
  return inner.filter((one) => one !== '').join('\n');
}
