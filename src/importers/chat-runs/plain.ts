import type { Notice, Parsed } from '../../spi/index.js';
import { isKnownRole, openaiChat, isFields, type Fields } from '../../wire/index.js';

/** What of a recorded chat message is the message. Runs log much beside it (costs, raw answers, actions) that no server takes. */
const FIELDS = ['role', 'name', 'content', 'tool_calls', 'tool_call_id', 'reasoning_content'] as const;

/** Messages of a run that was recorded as chat: the messages alone, in the order of chat's own fields. */
export function plainChat(list: readonly unknown[]): Parsed {
  const notices: Notice[] = [];
  const messages = list.filter((item, index) => {
    const role = isFields(item) ? item.role : undefined;
    if (isKnownRole(role)) return true;
    const what = `message ${index} is the run's own note of its ${String(role)}; left out`;
    notices.push({ at: `message ${index}`, kind: 'not-a-message', what });
    return false;
  });
  const parsed = openaiChat.parse(messages.map((item) => plain(item as Fields)));
  return { ...parsed, notices: [...notices, ...parsed.notices] };
}

function plain(message: Fields): Fields {
  const kept = FIELDS.flatMap((field): [string, unknown][] => {
    const value = message[field];
    if (value === undefined || (value === null && field !== 'content')) return [];
    if (field === 'tool_calls' && Array.isArray(value))
      return value.length > 0 ? [[field, value.map(call)]] : [];
    return [[field, value]];
  });
  return Object.fromEntries(kept);
}

/** Without the place in a stream that some clients leave behind. */
function call(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { index: _, ...rest } = value;
  return rest;
}
