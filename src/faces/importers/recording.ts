import { SpillwayError } from '../../errors/index.js';
import type { Notice, Parsed } from '../../spi/index.js';
import {
  NumberLiteral,
  type FilePart,
  type Message,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../transcript/index.js';
import { isFields, isProgramWritten, jsonText, type Fields } from '../../formats/index.js';

/* What readers of recordings have in common. */

/** A session taken from a file, and what the file says about itself. */
export interface ImportedSession {
  readonly parsed: Parsed;
  readonly meta?: Fields;
  /** Which format the reader took it for, where only the values themselves could tell. */
  readonly taken?: Taken;
}

export interface Taken {
  readonly name: string;
  /** Why, for the sentence that tells the user. */
  readonly mark: string;
}

/** Takes a file's values one by one, so that what is not needed is never held. */
export interface SessionReader {
  /** @param line where it stands in the file, counted from 1 */
  take(value: unknown, line: number): void;
  /** Throws `INPUT_FORMAT` where the values are not this format after all. */
  finish(): ImportedSession;
}

/** What an agent records: one JSON object a line, or (`isWhole`) one object over the whole file. */
export interface Importer extends Taken {
  /** Looks at the beginning of the file and says whether this is its format. */
  recognises(head: string): boolean;
  readonly isWhole?: boolean;
  /** Its lines are chat messages, and so are no surprise in its files. */
  readonly ofChat?: boolean;
  open(): SessionReader;
}

/** A recorded session, as far as it could be read. */
export interface ReadSession {
  readonly format: string;
  /** One sentence: which format was taken, and why. */
  readonly how: string;
  readonly parsed: Parsed;
  /** What the file says about itself: id, model, where compactions stood. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Says what a reader met, at the message or entry that it is in. */
export type Note = (kind: string, what: string) => void;

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const textOr = (value: unknown): string | undefined => (isText(value) ? value : undefined);
/** The fields of a value; none of what has none. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
export const fieldsIn = (list: unknown): readonly Fields[] =>
  Array.isArray(list) ? list.filter(isFields) : [];

/** When something was said, however it is written. */
export function when(stamp: unknown): { readonly createdAt?: number } {
  const isNumber = typeof stamp === 'number' || stamp instanceof NumberLiteral;
  const time = isNumber ? Number(stamp) : typeof stamp === 'string' ? Date.parse(stamp) : Number.NaN;
  return Number.isNaN(time) ? {} : { createdAt: time };
}

export const textParts = (text: unknown): TextPart[] => (isText(text) ? [{ type: 'text', text }] : []);

export const isContent = (part: Part): part is TextPart | FilePart =>
  part.type === 'text' || part.type === 'file';

export const callPart = (callId: unknown, name: unknown, args: unknown): ToolCallPart => ({
  type: 'tool-call',
  callId: String(callId ?? ''),
  name: typeof name === 'string' ? name : 'unknown',
  arguments: typeof args === 'string' ? args : jsonText(args ?? {}),
});

export const resultPart = (
  callId: string,
  content: ToolResultPart['content'],
  isError: boolean,
  name?: string,
): ToolResultPart => ({
  type: 'tool-result',
  callId,
  ...(name !== undefined && { name }),
  content,
  ...(isError && { isError: true }),
});

export const reasoning = (text: unknown, signature?: unknown): Part => ({
  type: 'reasoning',
  text: typeof text === 'string' ? text : '',
  ...(typeof signature === 'string' && { signature }),
});

/** What nobody here knows, as its JSON text: nothing is lost. */
export function unknownPart(part: unknown, what: string, note: Note): TextPart {
  const type = isFields(part) ? jsonText(part.type) || 'none' : typeof part;
  note('unknown-part', `${what} of type ${type} is kept as its JSON text`);
  return { type: 'text', text: typeof part === 'string' ? part : jsonText(part) };
}

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
export function inlineFile(mediaType: string, url: string, name?: string): FilePart {
  const file = { ...picture(mediaType, url), ...(name !== undefined && { name }) };
  if (file.wire || !url.startsWith('data:')) return file;
  const named = name === undefined ? {} : { filename: name };
  return { ...file, wire: { type: 'file', file: { ...named, file_data: url } } };
}

/** What stands in the user's place: their words, or what a program wrote there. */
export function inPlaceOfUser(parts: readonly Part[], isByProgram = false): Omit<Message, 'id'> {
  const isProgram = isByProgram || parts.every((part) => part.type === 'text' && isProgramWritten(part.text));
  return { role: 'user', origin: isProgram ? 'synthetic' : 'user', parts };
}

/** A notice about so many things in the file; none where there are none. */
export const counted = (count: number, kind: string, what: string): Notice[] =>
  count > 0 ? [{ at: 'file', kind, what: `${count} ${what}` }] : [];

interface Recorded {
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
  /** What the file says of itself; `model` is the session's. */
  readonly meta: Fields;
  /** Indexes of the messages before which the agent compacted. */
  readonly compactions?: readonly number[];
}

/** What a reader has collected. Throws `INPUT_FORMAT` where nobody says anything: the file is not what it was taken for. */
export function sessionOf(
  importer: string,
  { messages, notices, meta, compactions = [] }: Recorded,
): ImportedSession {
  if (messages.length === 0)
    throw new SpillwayError('INPUT_FORMAT', {
      subject: `${importer}: the file`,
      found: 'no message that says anything',
      allowed: 'a session in which users and the model speak',
      remedy: 'Pass the session file itself, not one of a sub-agent, or name the format the file is in.',
    });
  const { model } = meta;
  return {
    parsed: { messages, notices, ...(typeof model === 'string' && { model }) },
    meta: { ...meta, ...(compactions.length > 0 && { compaction_at: compactions }) },
  };
}
