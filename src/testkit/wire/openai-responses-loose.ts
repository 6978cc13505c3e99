import { isText, type Loose } from './loose.js';

/**
 * The rules that OpenAI holds a Responses request to. Written from the wire alone: it shares no code with what it judges.
 *
 * P0 there are items, unless a prompt or earlier responses speak; every one is an object of a known type or a message
 *    with a known role; content is a text or a list of entries that fit the role; text can be encoded as UTF-8
 * P1 a call that the client runs is followed, before the model goes on, by exactly one result of its kind; no result
 *    without such a call, unless an earlier response or a referenced item holds it; a call has a name, and its
 *    arguments are text (not necessarily JSON: models fail at that)
 * P2 a reasoning item stands directly before what the model made next, and can be read back: it has an id or sealed
 *    content, with `store: false` sealed content
 * P3 one chain: `previous_response_id` and `conversation` do not stand together, nor before a compaction item
 * P4 a compaction item holds its sealed content
 * P5 ids of calls have 1 to 450 characters, and no id stands twice (OpenAI's own endpoint takes 64, other servers of
 *    this API hand out longer ones)
 */
export type ResponsesRule = 'P0' | 'P1' | 'P2' | 'P3' | 'P4' | 'P5';

export type Complain = (rule: ResponsesRule, at: number, what: string) => void;

export function typeOf(item: Loose): string {
  if (typeof item.type === 'string') return item.type;
  if (item.role !== undefined) return 'message';
  return isText(item.id) ? 'item_reference' : '';
}

/** A search for tools that the server ran itself: its pair has no id. */
export function isServerSearch(item: Loose): boolean {
  return String(item.type).startsWith('tool_search_') && isNothing(item.call_id);
}

export function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
