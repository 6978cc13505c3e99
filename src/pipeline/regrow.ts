import { isDigest } from '../digest/index.js';
import { hostSummaryIn } from '../reading/index.js';
import type { TranscriptView, ViewExchange } from '../spi/index.js';
import {
  spanHandle,
  textOf,
  type Edit,
  type Message,
  type Slot,
  type Supersede,
} from '../transcript/index.js';
import type { GuardRights } from './guard.js';

/** The run has made room: digests may take what was squeezed out of them before. */
export const REGROW_RIGHTS: GuardRights = { mayCut: () => false, mayGrow: true, joins: true };

/** Less than this is no reason to write a digest anew. In tokens. */
const LEAST_GAIN = 120;

/** What a summary that a host made covers is told twice: a digest of it does not grow beyond so many tokens. */
const ENOUGH_OF_COVERED = 600;

/** What there is to grow into. In tokens. */
export interface Room {
  /** Up to the target, for all digests. */
  readonly free: number;
  /** Beyond it, where all together say too little: what was said must not be gone for good because a page came in. */
  readonly forSqueezed: number;
}

/**
 * Writes the digests that stand in a view anew where there is room: one that gave way to a page of fresh output, or to a
 * drop, says again what was said. The more a digest stands for, the more of the room it may take; `most`: what a stage
 * allows its summaries, by its name. Texts that a model wrote stay.
 */
export function regrowDigests(
  view: TranscriptView,
  room: Room,
  madeNow: (exchange: ViewExchange) => Supersede | undefined,
  count: (text: string) => number,
  most: Readonly<Record<string, number>> = {},
): Edit[] {
  const tokens = Math.max(room.free, room.forSqueezed);
  if (tokens < LEAST_GAIN) return [];
  const covered = coveredUpTo(view);
  const digests = digestsOf(view).filter(({ to, tokens }) => to > covered || tokens < ENOUGH_OF_COVERED);
  const total = digests.reduce((sum, { from, to }) => sum + (to - from + 1), 0);
  return digests.flatMap((exchange) =>
    regrown(
      view,
      exchange,
      Math.floor((tokens * (exchange.to - exchange.from + 1)) / total),
      madeNow(exchange)?.slot,
      count,
      most,
    ),
  );
}

/** What all digests of a view take together. */
export function digestTokens(view: TranscriptView): number {
  return digestsOf(view).reduce((sum, { tokens }) => sum + tokens, 0);
}

function digestsOf({ exchanges }: TranscriptView): ViewExchange[] {
  return exchanges.filter((exchange) => !exchange.protection && digestIn(exchange) !== undefined);
}

function regrown(
  view: TranscriptView,
  exchange: ViewExchange,
  more: number,
  slot: Slot | undefined,
  count: (text: string) => number,
  most: Readonly<Record<string, number>>,
): Edit[] {
  const { from, to, fromId, toId, messages } = exchange;
  const at = messages.findIndex(({ message }) => message === digestIn(exchange));
  const before = messages[at]!.size.tokens;
  const stage = slot?.prompt ?? messages[at]!.made?.stage ?? '';
  const maxTokens = Math.min(before + more, most[stage] ?? Infinity);
  const handle = spanHandle(fromId, toId);
  const digest = view.digest({
    from,
    to,
    handle,
    maxTokens,
    count,
    shown: shownWithin(view, from, to),
  });
  if (digest.tokens < before + LEAST_GAIN) return [];
  const text = { type: 'text', text: digest.text } as const;
  const replacement = messages.map(({ message }, i): Message =>
    i === at ? { ...message, id: `summary:${handle}`, label: 'summary', parts: [text] } : message,
  );
  const reason = 'room for what was squeezed out before';
  // A model may fill what the digest fills.
  return [
    {
      kind: 'supersede',
      fromId,
      toId,
      replacement,
      reason,
      ...(slot && { slot: { ...slot, maxTokens } }),
    },
  ];
}

function digestIn({ kind, messages }: ViewExchange): Message | undefined {
  if (kind !== 'replacement') return undefined;
  return messages.find(
    ({ message }) =>
      (message.label === 'summary' || message.label === 'notice') &&
      isDigest(message.parts.map(textOf).join('\n')),
  )?.message;
}

/** Log position of the newest summary of a host's own that stands in a view; -1 where there is none. */
function coveredUpTo({ exchanges }: TranscriptView): number {
  const summary = exchanges.findLast(
    ({ kind, messages }) =>
      kind === 'plain' &&
      messages.some(({ message }) => message.role === 'user' && hostSummaryIn(message) !== undefined),
  );
  return summary?.from ?? -1;
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
