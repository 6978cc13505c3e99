import { isDigest } from '../digest/index.js';
import type { TranscriptView, ViewExchange } from '../spi/index.js';
import { spanHandle, textOf, type Edit, type Message } from '../transcript/index.js';
import type { GuardRights } from './guard.js';

/** The run has made room: digests may take what was squeezed out of them before. */
export const REGROW_RIGHTS: GuardRights = { mayCut: () => false, mayGrow: true, joins: true };

/** Less than this is no reason to write a digest anew. In tokens. */
const LEAST_GAIN = 120;

/**
 * Writes the digests that stand in a view anew where `room` tokens are free: one that gave way to a page of fresh output,
 * or to a drop, says again what was said. The more a digest stands for, the more of the room it may take. Texts that a
 * model wrote stay.
 */
export function regrowDigests(view: TranscriptView, room: number, count: (text: string) => number): Edit[] {
  if (room < LEAST_GAIN) return [];
  const standing = view.exchanges.filter(
    (exchange) => !exchange.protection && digestIn(exchange) !== undefined,
  );
  const total = standing.reduce((sum, { from, to }) => sum + (to - from + 1), 0);
  return standing.flatMap((exchange): Edit[] => {
    const { from, to, fromId, toId, messages } = exchange;
    const at = messages.findIndex(({ message }) => message === digestIn(exchange));
    const tokens = messages[at]!.size.tokens;
    const share = Math.floor((room * (to - from + 1)) / total);
    const handle = spanHandle(fromId, toId);
    const shown = shownWithin(view, from, to);
    const digest = view.digest({ from, to, handle, maxTokens: tokens + share, count, shown });
    if (digest.tokens < tokens + LEAST_GAIN) return [];
    const replacement = messages.map(({ message }, i): Message =>
      i === at
        ? {
            ...message,
            id: `summary:${handle}`,
            label: 'summary',
            parts: [{ type: 'text', text: digest.text }],
          }
        : message,
    );
    return [
      { kind: 'supersede', fromId, toId, replacement, reason: 'room for what was squeezed out before' },
    ];
  });
}

function digestIn({ kind, messages }: ViewExchange): Message | undefined {
  if (kind !== 'replacement') return undefined;
  return messages.find(
    ({ message }) =>
      (message.label === 'summary' || message.label === 'notice') &&
      isDigest(message.parts.map(textOf).join('\n')),
  )?.message;
}

/** Log positions inside a span that the view still shows: pins. */
function shownWithin({ exchanges }: TranscriptView, from: number, to: number): ReadonlySet<number> {
  const shown = new Set<number>();
  for (const { kind, messages } of exchanges) {
    if (kind === 'replacement') continue;
    for (const message of messages) if (message.from >= from && message.to <= to) shown.add(message.from);
  }
  return shown;
}
