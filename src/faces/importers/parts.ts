import { NumberLiteral } from '../../transcript/index.js';
import type {
  FilePart,
  Message,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../transcript/index.js';
import { isFields, isProgramWritten, isText, jsonText, listOf, type Fields } from '../../formats/index.js';

/* Conversions from the contents of recordings to parts and messages. */

export const asText = (value: unknown): string | undefined => (isText(value) ? value : undefined);
/** The objects of a list. */
export const fieldsIn = (list: unknown): readonly Fields[] => listOf(list).filter(isFields);

/** The time of a message, from a number or a date text. */
export function timeOf(stamp: unknown): { readonly createdAt?: number } {
  const isNumber = typeof stamp === 'number' || stamp instanceof NumberLiteral;
  const time = isNumber ? Number(stamp) : isText(stamp) ? Date.parse(stamp) : Number.NaN;
  return Number.isNaN(time) ? {} : { createdAt: time };
}

/** A text part; an empty list for an empty text or another type. */
export const text = (value: unknown): TextPart[] => (isText(value) ? [{ type: 'text', text: value }] : []);

/** A text part; a value that is no text is kept as its JSON text. */
export const anyText = (value: unknown): TextPart[] =>
  text(typeof value === 'string' ? value : jsonText(value ?? undefined));

export const isContent = (part: Part): part is TextPart | FilePart =>
  part.type === 'text' || part.type === 'file';

export const call = (callId: unknown, name: unknown, args: unknown): ToolCallPart => ({
  type: 'tool-call',
  callId: String(callId ?? ''),
  name: typeof name === 'string' ? name : 'unknown',
  arguments: typeof args === 'string' ? args : jsonText(args ?? {}),
});

export const result = (
  callId: unknown,
  content: ToolResultPart['content'],
  isError: boolean,
  name?: string,
): ToolResultPart => ({
  type: 'tool-result',
  callId: String(callId ?? ''),
  ...(name !== undefined && { name }),
  content,
  ...(isError && { isError: true }),
});

export const reasoning = (value: unknown, signature?: unknown): Part => ({
  type: 'reasoning',
  text: typeof value === 'string' ? value : '',
  ...(typeof signature === 'string' && { signature }),
});

/** The data URL of a file whose bytes the recording holds in base64; '' if it holds no bytes. */
export const dataUrl = (mediaType: string, data: unknown): string =>
  typeof data === 'string' ? `data:${mediaType};base64,${data}` : '';

export const mediaTypeOr = (value: unknown, otherwise = 'application/octet-stream'): string =>
  typeof value === 'string' ? value : otherwise;

/** A file part. An image also carries the content part of a chat request, so that every format can use its bytes. */
export function picture(
  mediaType: string,
  url: string,
  isPicture = mediaType.startsWith('image/'),
): FilePart {
  const wire = isPicture && url !== '' ? { wire: { type: 'image_url', image_url: { url } } } : {};
  return { type: 'file', mediaType, bytes: url.length, ...wire };
}

/** Like `picture`, for recordings without a wire: other files have a part too. `url` is '' if only a name is known. */
export function file(mediaType: string, url: string, name?: string): FilePart {
  const own = { ...picture(mediaType, url), ...(name !== undefined && { name }) };
  if (own.wire || !url.startsWith('data:')) return own;
  const named = name === undefined ? {} : { filename: name };
  return { ...own, wire: { type: 'file', file: { ...named, file_data: url } } };
}

/** A message without its id and its time. */
export type Body = Omit<Message, 'id'>;

export const modelMessage = (parts: readonly Part[]): Body => ({ role: 'assistant', origin: 'model', parts });

/** A message with role user: the user's own words, or text that a program wrote in the role of the user. */
export function userMessage(parts: readonly Part[], isByProgram = false): Body {
  const isProgram = isByProgram || parts.every((part) => part.type === 'text' && isProgramWritten(part.text));
  return { role: 'user', origin: isProgram ? 'synthetic' : 'user', parts };
}

export const toolMessage = (part: ToolResultPart): Body => ({ role: 'tool', origin: 'tool', parts: [part] });
