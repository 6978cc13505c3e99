import type { ResponseInputItem } from 'openai/resources/responses/responses';
import type { FilePart, FilePlace, Part, TextPart, ViewMessage } from '../../transcript/index.js';
import { ownWire } from '../conversation/drafts.js';
import { fileNote } from '../conversation/placeholders.js';
import { fileAt } from '../files.js';
import { opaquePart } from '../conversation/reading.js';
import type { Report } from '../conversation/repairs.js';
import { type Fields, isFields, isSet, isText, jsonText, kindOf } from '../record.js';

/** The name of this format, and of whose `wire` its messages hold. */
export const FORMAT = 'openai-responses';

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);

export function isKnownRole(role: unknown): boolean {
  return ROLES.has(role);
}

/** One input item; every field that is not looked at is kept. */
export type Item = Fields & { readonly type?: unknown };

/** Kinds of items as the vendor's own types name them. */
export type ItemType = NonNullable<Extract<ResponseInputItem, { type?: unknown }>['type']>;

/**
 * What a message's `wire` holds: the items it came from. An assistant step is one message of several items, all else is
 * one item a message. The system prompt of the body is no item.
 */
export interface Carried {
  readonly items?: readonly Item[];
  readonly instructions?: string;
  /** In sessions of before: an input that was a bare text. */
  readonly text?: string;
  /** A result whose call is not in this body: an earlier response or a referenced item holds it. */
  readonly elsewhere?: true;
}

/** What a part's `wire` holds: its item, and within a message's content list its place there. */
type Pointer = readonly [item: number, at?: number];

export const carriedBy = (shown: ViewMessage): Carried | undefined => ownWire(shown, FORMAT);

export function pointerOf(wire: unknown): Pointer | undefined {
  return Array.isArray(wire) && typeof wire[0] === 'number' ? (wire as unknown as Pointer) : undefined;
}

/** Messages need not name their type. */
export function isMessageItem({ type, role }: Item): boolean {
  return type === 'message' || (!isSet(type) && typeof role === 'string');
}

/** Stands for an item that the server holds; these need not name their type either. */
export function isReference({ type, role, id }: Item): boolean {
  return type === 'item_reference' || (!isSet(type) && typeof role !== 'string' && isText(id));
}

/** Ids are optional on these: without one the server takes the item as it stands and looks nothing up. */
const ID_IS_OPTIONAL: ReadonlySet<unknown> = new Set<ItemType>([
  'message',
  'function_call',
  'custom_tool_call',
  'shell_call',
  'apply_patch_call',
  'tool_search_call',
]);

/** The item without the id that ties it to a reasoning item which is no longer before it. */
export function withoutId(item: Item): Item {
  if (!('id' in item) || !(ID_IS_OPTIONAL.has(item.type) || isMessageItem(item))) return item;
  const { id: _, ...rest } = item;
  return rest;
}

/** The words of an entry of a content list; undefined where it holds none. */
function wordsIn(entry: Fields): string | undefined {
  if (typeof entry.text === 'string') return entry.text;
  return entry.type === 'refusal' && typeof entry.refusal === 'string' ? entry.refusal : undefined;
}

/** Content of a message item as parts; what is not known stays whole, as an opaque part. */
export function parseContent(content: unknown, item: number, report: Report): Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, wire: [item] }];
  if (!Array.isArray(content)) {
    report('unknown-content', `content is ${kindOf(content)}; kept as it is`);
    return [opaquePart('content', content, [item], ['items', item, 'content'])];
  }
  return content.map((entry: unknown, at) => {
    const known = textOrFile(entry, [item, at], ['items', item, 'content', at]);
    if (known) return known;
    const kind = isFields(entry) && typeof entry.type === 'string' ? entry.type : 'content';
    report('unknown-part', `entry ${at} of type ${kind} is not known; kept as it is`);
    return opaquePart(kind, entry, [item, at], ['items', item, 'content', at]);
  });
}

/** The output of a call: a text, or a list in which what is not known counts as a file without a picture. */
export function parseOutput(output: unknown, item: number): (TextPart | FilePart)[] {
  if (output === undefined || output === null || output === '') return [];
  if (typeof output === 'string') return [{ type: 'text', text: output, wire: [item] }];
  if (!Array.isArray(output)) return [{ type: 'text', text: jsonText(output), wire: [item] }];
  return output.map((entry: unknown, at) => parseEntry(entry, [item, at], ['items', item, 'output', at]));
}

/** One entry of the output of a call. */
export function parseEntry(entry: unknown, wire: Pointer, place: FilePlace['way']): TextPart | FilePart {
  const bytes = Buffer.byteLength(jsonText(entry));
  return (
    textOrFile(entry, wire, place) ?? { type: 'file', mediaType: 'application/octet-stream', bytes, wire }
  );
}

/** Words, or a picture or file: inline, at an address, or uploaded before. */
function textOrFile(entry: unknown, wire: Pointer, place: FilePlace['way']): TextPart | FilePart | undefined {
  if (!isFields(entry)) return undefined;
  const text = wordsIn(entry);
  if (text !== undefined) return { type: 'text', text, wire };
  const { type, filename, file_id: id } = entry;
  if (type === 'input_image' || type === 'computer_screenshot')
    return fileAt(entry, place, ['address image_url', 'id file_id'], {
      wire,
      name: id,
      otherwise: 'image/*',
    });
  if (type !== 'input_file') return undefined;
  const ways = ['address file_data', 'address file_url', 'id file_id'] as const;
  return fileAt(entry, place, ways, { wire, name: filename ?? id });
}

/** What a part says in words: a file that cannot be carried is named. */
export function wordsOf(part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text;
  if (part.type === 'file') return fileNote(part);
  return part.type === 'opaque' ? `[${part.kind}, ${part.bytes} bytes]` : '';
}
