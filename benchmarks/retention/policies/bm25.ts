import { createRequire } from 'node:module';
import { textOfMessage } from '../text.js';
import { fill, newest, split, together, type Exchange } from './exchanges.js';
import type { Policy } from './policy.js';

interface Index {
  add(document: { readonly id: number; readonly text: string }): void;
  search(query: string): readonly { readonly id: number }[];
}
type MiniSearch = new (options: { readonly fields: readonly string[] }) => Index;

/** Loaded only if it is installed (`npm i -D minisearch`); its scoring is BM25+. */
const LIBRARY = 'minisearch';

export function bm25(): Policy | undefined {
  let library: MiniSearch;
  try {
    const found = createRequire(import.meta.url)(LIBRARY) as { default?: MiniSearch };
    library = found.default ?? (found as unknown as MiniSearch);
  } catch {
    return undefined;
  }
  return { name: 'bm25', allowance: 'sent', replay: (replay) => select(library, replay) };
}

/** The newest exchange, then those that best match the current task: the last user message and the newest step. */
async function* select(
  library: MiniSearch,
  { session, judged, budgetAt }: Parameters<Policy['replay']>[0],
): ReturnType<Policy['replay']> {
  const index = new library({ fields: ['text'] });
  let indexed = 0;
  for (const at of [...judged].sort((a, b) => a - b)) {
    const history = session.chat.slice(0, at);
    const { head, rest, left } = split(history, budgetAt(at));
    for (; indexed < rest.length; indexed++) index.add({ id: indexed, text: textOf(rest[indexed]!) });
    const user = history.findLast(({ role }) => role === 'user');
    const step = rest.at(-1)?.messages.filter(({ role }) => role === 'assistant') ?? [];
    const query = [...(user ? [user] : []), ...step].map(textOfMessage).join('\n');
    const ranked = index.search(query).flatMap(({ id }) => rest[id] ?? []);
    const last = newest(rest.slice(-1), left);
    yield { index: at, messages: together(head, fill([...new Set([...last, ...ranked])], left)) };
  }
}

const textOf = ({ messages }: Exchange): string => messages.map(textOfMessage).join('\n');
