import { formatNamed, isFields, type Fields } from '../../../formats/index.js';
import type { ViewMessage } from '../../../transcript/index.js';

/** Most that Anthropic takes in one request. */
const MOST_MARKS = 4;

/**
 * Marks the end of what compaction made, which stays the same bytes until the next one: only in requests of clients that
 * mark something themselves, and where a mark is to spare.
 */
export function markStablePrefix(body: Fields, view: readonly ViewMessage[]): Fields {
  const end = view.findLastIndex(({ source }) => source === undefined) + 1;
  const own = marksIn([body.system, body.tools, body.messages]);
  if (end === 0 || own.length === 0 || own.length >= MOST_MARKS || !Array.isArray(body.messages)) return body;
  const prefix = formatNamed('anthropic').serialise(view.slice(0, end)).messages;
  // What stands for others speaks as the assistant; behind it the format may close a request that is cut here.
  const at = prefix.findLastIndex((message) => isFields(message) && message.role === 'assistant');
  const last: unknown = prefix[at];
  const shown: unknown = body.messages[at];
  if (!isFields(last) || !isFields(shown)) return body;
  const blocks = blocksOf(shown.content);
  const place = blocksOf(last.content).length - 1;
  const block = blocks[place];
  if (!block || block.cache_control !== undefined || isThought(block)) return body;
  const content = blocks.with(place, { ...block, cache_control: own[0] });
  const messages = (body.messages as readonly unknown[]).with(at, { ...shown, content });
  return { ...body, messages };
}

function blocksOf(content: unknown): readonly Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isFields) : [];
}

const isThought = ({ type }: Fields): boolean => type === 'thinking' || type === 'redacted_thinking';

/** The marks themselves, those that come first in the request first. */
function marksIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(marksIn);
  if (!isFields(value)) return [];
  const { cache_control: mark, content } = value;
  return [...(mark ? [mark] : []), ...marksIn(content)];
}
