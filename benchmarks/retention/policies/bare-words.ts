import type { ChatMessage } from '../../support/chat.js';
import { referenceCount } from '../../support/reference-count.js';
import { textOfMessage } from '../text.js';
import { newest, split, together, tokensOf } from './exchanges.js';
import { stateless } from './policy.js';

/** Paths, URLs, identifiers, hashes and numbers: texts of six characters or more that are in no dictionary. */
const FACT_SHAPED =
  /https?:\/\/[^\s"'<>)\]}`\\|,;]+|[\w.@~-]*\/[\w./@-]+\w|#?\w*(?:_\w|[a-z][A-Z]|\d)\w*(?:-\w+)*/g;

/** Half of the budget is for the newest exchanges; the other half for the bare words of all earlier ones. */
const SHARE_OF_WORDS = 0.5;

/** Shows the value of mere presence: the words are in the request, but nothing says what they are. */
export const bareWords = stateless('bare-words', (history, budget) => {
  const { head, rest, left } = split(history, budget);
  const kept = newest(rest, left * (1 - SHARE_OF_WORDS));
  const gone = rest.slice(0, rest.length - kept.length);
  const room = left - tokensOf(kept);
  const dump = dumpOf(
    gone.flatMap(({ messages }) => messages),
    room,
  );
  return [...head, ...dump, ...together([], kept)];
});

function dumpOf(messages: readonly ChatMessage[], room: number): ChatMessage[] {
  const words = new Set<string>();
  for (const message of [...messages].reverse()) {
    for (const word of textOfMessage(message).match(FACT_SHAPED) ?? []) if (word.length >= 6) words.add(word);
  }
  const all = [...words];
  const message = (count: number): ChatMessage => ({ role: 'user', content: all.slice(0, count).join('\n') });
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (referenceCount([message(middle)]) <= room) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? [message(low)] : [];
}
