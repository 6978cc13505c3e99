import { isText, type Loose } from './loose.js';
import type { ResponsesRule } from './openai-responses.js';

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
