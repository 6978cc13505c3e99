import type { ResponsesRule } from './openai-responses.js';

/** What the judge of Responses requests asks of values that may be anything. */
export type Loose = Record<string, unknown>;
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

export function isEncodable(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isEncodable(key) && isEncodable(inner));
}

export function isLoose(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
