import type { SeenMessage } from '../../spi/index.js';
import { copied, type Message, type Part } from '../../transcript/index.js';

/** A message without what its wire format keeps, in a copy that nobody can write to and that leads nowhere. */
export function seen<T extends Message>({ wire: _, parts, ...rest }: T): Omit<T, 'wire'> {
  return copied({ ...rest, parts: parts.map(plain) }, { freeze: true }) as unknown as Omit<T, 'wire'>;
}

export const seenList = (messages: readonly Message[]): readonly SeenMessage[] =>
  Object.freeze(messages.map((message) => seen(message) as SeenMessage));

function plain({ wire: _, ...part }: Part): Part {
  if (part.type !== 'tool-result') return part;
  return { ...part, content: part.content.map((inner) => plain(inner) as (typeof part.content)[number]) };
}
