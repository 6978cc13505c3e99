import type { ResponseInputItem } from 'openai/resources/responses/responses';
import type { Message } from '../../transcript/index.js';
import { isFields, type Fields } from '../record.js';

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
 * one item a message. The system prompt of the body, and an input that is a bare text, are no items.
 */
export interface Carried {
  readonly items?: readonly Item[];
  readonly instructions?: string;
  readonly text?: string;
  /** A result whose call is not in this body: an earlier response or a referenced item holds it. */
  readonly elsewhere?: true;
}

/** What a part's `wire` holds: its item, and within a message's content list its place there. */
export type Pointer = readonly [item: number, at?: number];

export function carriedBy(message: Message): Carried | undefined {
  return message.wireFormat === FORMAT && isFields(message.wire) ? (message.wire as Carried) : undefined;
}

export function pointerOf(wire: unknown): Pointer | undefined {
  return Array.isArray(wire) && typeof wire[0] === 'number' ? (wire as unknown as Pointer) : undefined;
}

/** Messages need not name their type. */
export function isMessageItem({ type, role }: Item): boolean {
  return type === 'message' || ((type === undefined || type === null) && typeof role === 'string');
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
