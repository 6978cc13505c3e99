import type { ResponseInputItem } from 'openai/resources/responses/responses';
import type { FilePart, FilePlace, Part, TextPart, ViewMessage } from '../../transcript/index.js';
import { ownWire } from '../conversation/drafts.js';
import { fileNote } from '../conversation/placeholders.js';
import { fileAt } from '../files.js';
import { opaquePart } from '../conversation/reading.js';
import type { Report } from '../conversation/repairs.js';
import { type Fields, isFields, isSet, isText, jsonText, kindOf } from '../record.js';

/** The name of this format, which its messages also have as `wireFormat`. */
export const FORMAT = 'openai-responses';

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);

export function isKnownRole(role: unknown): boolean {
  return ROLES.has(role);
}

/** One input item; fields that are not read are kept. */
export type Item = Fields & { readonly type?: unknown };

/** Types of items as the vendor's own types name them. */
export type ItemType = NonNullable<Extract<ResponseInputItem, { type?: unknown }>['type']>;

/**
 * The `wire` of a message: the items it came from. An assistant step is one message of several items; every other item
 * is a separate message. The body's system prompt is no item.
 */
export interface Carried {
  readonly items?: readonly Item[];
  readonly instructions?: string;
  /** An input that was a bare text; only in sessions of older versions. */
  readonly text?: string;
  /** The call of this result is not in this body: an earlier response or a referenced item has it. */
  readonly elsewhere?: true;
}

/** The `wire` of a part: the index of its item, and its index in the item's content list. */
type Pointer = readonly [item: number, at?: number];

export const carriedBy = (shown: ViewMessage): Carried | undefined => ownWire(shown, FORMAT);

export function pointerOf(wire: unknown): Pointer | undefined {
  return Array.isArray(wire) && typeof wire[0] === 'number' ? (wire as unknown as Pointer) : undefined;
}

/** Whether an item is a message; messages may omit their type. */
export function isMessageItem({ type, role }: Item): boolean {
  return type === 'message' || (!isSet(type) && typeof role === 'string');
}

/** Whether an item refers to an item on the server; references may also omit their type. */
export function isReference({ type, role, id }: Item): boolean {
  return type === 'item_reference' || (!isSet(type) && typeof role !== 'string' && isText(id));
}

/** Items that may omit their id: without it the server uses the item as it is, without a look-up. */
const ID_IS_OPTIONAL: ReadonlySet<unknown> = new Set<ItemType>([
  'message',
  'function_call',
  'custom_tool_call',
  'shell_call',
  'apply_patch_call',
  'tool_search_call',
]);

/** The item without the id that binds it to a reasoning item that no longer precedes it. */
export function withoutId(item: Item): Item {
  if (!('id' in item) || !(ID_IS_OPTIONAL.has(item.type) || isMessageItem(item))) return item;
  const { id: _, ...rest } = item;
  return rest;
}

/** The words of an entry of a content list; undefined if it has none. */
function wordsIn(entry: Fields): string | undefined {
  if (typeof entry.text === 'string') return entry.text;
  return entry.type === 'refusal' && typeof entry.refusal === 'string' ? entry.refusal : undefined;
}

/** Content of a message item as parts; unknown content is kept whole, as an opaque part. */
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

/** The output of a call: a text, or a list in which an unknown entry counts as a file of unknown type. */
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

/** An entry as text, image or file (inline, at an address, or uploaded before); undefined for any other entry. */
function textOrFile(entry: unknown, wire: Pointer, place: FilePlace['way']): TextPart | FilePart | undefined {
  if (!isFields(entry)) return undefined;
  const text = wordsIn(entry);
  if (text !== undefined) return { type: 'text', text, wire };
  const { type, filename, file_id: id } = entry;
  if (type === 'input_image' || type === 'computer_screenshot')
    return fileAt(entry, place, ['address image_url', 'id file_id'], {
      wire,
      name: id,
      fallbackType: 'image/*',
    });
  if (type !== 'input_file') return undefined;
  const ways = ['address file_data', 'address file_url', 'id file_id'] as const;
  return fileAt(entry, place, ways, { wire, name: filename ?? id });
}

/** The words of a part; a file that cannot be carried is named. */
export function wordsOf(part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text;
  if (part.type === 'file') return fileNote(part);
  return part.type === 'opaque' ? `[${part.kind}, ${part.bytes} bytes]` : '';
}
