import type { Content as VendorContent, Part as VendorPart } from '@google/genai';
import type { FilePart, FilePlace, ViewMessage } from '../../transcript/index.js';
import { ownWire } from '../conversation/drafts.js';
import { fileAt, type Way } from '../files.js';
import { asText, isFields, isSet, isText, type Fields } from '../record.js';

/** The name of this format, which its messages also have as `wireFormat`. */
export const FORMAT = 'gemini';

/** One turn of the wire, and one part of a turn; fields that are not read are kept. */
export type Content = Fields & { readonly [Key in keyof VendorContent]?: unknown };
export type WirePart = Fields & { readonly [Key in keyof VendorPart]?: unknown };

/** Fields of a part as the vendor's own types name them; REST also takes them in snake_case. */
export type PartField = keyof VendorPart & string;

/**
 * The `wire` of a message: its turn, or the system prompt with the name of its field in the body. The `wire` of a part:
 * its index in the turn, and its index among the files of a function response.
 */
export interface Carried {
  readonly content?: Content | string;
  /** The user's words came in the turn of the previous message; these are the indices of the parts in that turn. */
  readonly places?: readonly number[];
  readonly system?: unknown;
  readonly field?: string;
}

export const carriedBy = (shown: ViewMessage): Carried | undefined => ownWire(shown, FORMAT);

/** A field in either spelling; also undefined if it is null, because Python's client sends null for unset fields. */
export function fieldOf(part: Fields, name: string): unknown {
  return part[keyOf(part, name)] ?? undefined;
}

/** The spelling in which an object has a field; camelCase if it has none. */
export function keyOf(part: Fields, name: string): string {
  return !isSet(part[name]) && isSet(part[snakeCase(name)]) ? snakeCase(name) : name;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Parts of a turn, or of a system prompt: a bare text counts as one. */
export function partsIn(value: unknown): readonly WirePart[] {
  if (typeof value === 'string') return [{ text: value }];
  if (Array.isArray(value)) return value.map((part) => (isFields(part) ? part : { text: asText(part) }));
  if (!isFields(value)) return [];
  return 'parts' in value || 'role' in value ? partsIn(value.parts) : [value];
}

/** An image or file: inline bytes, or an address. */
export function fileIn(part: Fields, place: FilePlace['way'], wire: unknown): FilePart | undefined {
  const [inline, linked] = [keyOf(part, 'inlineData'), keyOf(part, 'fileData')];
  const source = [part[inline], part[linked]].find(isFields);
  if (!source) return undefined;
  const type = fieldOf(source, 'mimeType');
  const name = fieldOf(source, 'displayName');
  const way: Way = isFields(part[inline])
    ? `bytes ${inline}.data`
    : `address ${linked}.${keyOf(source, 'fileUri')}`;
  return fileAt(part, place, [way], {
    wire,
    mediaType: isText(type) ? type : 'application/octet-stream',
    name: isText(name) ? name : undefined,
  });
}
