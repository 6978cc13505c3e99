import type { TranscriptView } from '../spi/index.js';
import type { PinnedMessage } from '../transcript/index.js';

/** What stayed because it is pinned, and how much of it: the record says so, message by message. */
export function pinsIn({ exchanges }: TranscriptView): PinnedMessage[] {
  return exchanges
    .filter(({ protection }) => protection === 'pinned')
    .flatMap(({ messages }) =>
      messages.map(({ source, size, replaced }) => ({
        id: source!.id,
        tokens: size.tokens,
        of: source!.size.tokens,
        cut: replaced !== undefined,
      })),
    );
}
