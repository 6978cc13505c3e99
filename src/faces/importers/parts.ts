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

/* What recordings hold, as parts and messages. */

export const textOr = (value: unknown): string | undefined => (isText(value) ? value : undefined);
/** The objects of a list. */
export const fieldsIn = (list: unknown): readonly Fields[] => listOf(list).filter(isFields);

/** When something was said, however it is written. */
export function when(stamp: unknown): { readonly createdAt?: number } {
  const isNumber = typeof stamp === 'number' || stamp instanceof NumberLiteral;
  const time = isNumber ? Number(stamp) : isText(stamp) ? Date.parse(stamp) : Number.NaN;
  return Number.isNaN(time) ? {} : { createdAt: time };
}

/** A text; none of what says nothing. */
export const text = (value: unknown): TextPart[] => (isText(value) ? [{ type: 'text', text: value }] : []);

/** A text; anything else that stands in the place of one is kept as its JSON text. */
export const words = (value: unknown): TextPart[] =>
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

export const reasoning = (said: unknown, signature?: unknown): Part => ({
  type: 'reasoning',
  text: typeof said === 'string' ? said : '',
  ...(typeof signature === 'string' && { signature }),
});

/** The address of a file whose bytes the recording holds in base64; '' where it does not. */
export const dataUrl = (mediaType: string, data: unknown): string =>
  typeof data === 'string' ? `data:${mediaType};base64,${data}` : '';

export const mediaTypeOr = (value: unknown, otherwise = 'application/octet-stream'): string =>
  typeof value === 'string' ? value : otherwise;

/** A file; a picture carries the content part of a chat request, so that every format gets at its bytes. */
export function picture(
  mediaType: string,
  url: string,
  isPicture = mediaType.startsWith('image/'),
): FilePart {
  const wire = isPicture && url !== '' ? { wire: { type: 'image_url', image_url: { url } } } : {};
  return { type: 'file', mediaType, bytes: url.length, ...wire };
}

/** The same of a recording that has no wire format of its own: other files carry theirs too. '' where only the name is known. */
export function file(mediaType: string, url: string, name?: string): FilePart {
  const own = { ...picture(mediaType, url), ...(name !== undefined && { name }) };
  if (own.wire || !url.startsWith('data:')) return own;
  const named = name === undefined ? {} : { filename: name };
  return { ...own, wire: { type: 'file', file: { ...named, file_data: url } } };
}

/** A message before it has a name and a time. */
export type Said = Omit<Message, 'id'>;

export const byModel = (parts: readonly Part[]): Said => ({ role: 'assistant', origin: 'model', parts });

/** What stands in the user's place: their words, or what a program wrote there. */
export function inPlaceOfUser(parts: readonly Part[], isByProgram = false): Said {
  const isProgram = isByProgram || parts.every((part) => part.type === 'text' && isProgramWritten(part.text));
  return { role: 'user', origin: isProgram ? 'synthetic' : 'user', parts };
}

export const byTool = (part: ToolResultPart): Said => ({ role: 'tool', origin: 'tool', parts: [part] });
