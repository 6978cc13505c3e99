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
  const digests = digestsOf(view);
  const tokens = Math.max(room.free, room.forSqueezed);
  const drawn = (exchange: ViewExchange, maxTokens: number): Edit[] =>
    drawnAnew(view, exchange, maxTokens, madeNow(exchange)?.slot, count, most);
  if (tokens < LEAST_GAIN) return evened(digests, drawn);
  const covered = coveredUpTo(view);
  const growing = digests.filter(({ to, tokens }) => to > covered || tokens < ENOUGH_OF_COVERED);
  const total = lengthOf(growing);
  return growing.flatMap((exchange) => {
    const more = Math.floor((tokens * lengthOf([exchange])) / total);
    return drawn(exchange, sizeOf(exchange) + more);
  });
}

/** Below this many tokens a digest of many messages says next to nothing. */
const SQUEEZED_TOKENS = 250;

/** Where nothing is free, digests that hold more than their part of the talk give to those that were squeezed. */
function evened(
  digests: readonly ViewExchange[],
  drawn: (exchange: ViewExchange, maxTokens: number) => Edit[],
): Edit[] {
  const sum = digests.reduce((tokens, exchange) => tokens + sizeOf(exchange), 0);
  const messages = lengthOf(digests);
  const partOf = (exchange: ViewExchange): number => (sum * lengthOf([exchange])) / messages;
  const squeezed = digests.filter(
    (exchange) => sizeOf(exchange) < SQUEEZED_TOKENS && partOf(exchange) > sizeOf(exchange) + SQUEEZED_TOKENS,
  );
  if (squeezed.length === 0) return [];
  const wanted = squeezed.reduce((tokens, exchange) => tokens + partOf(exchange) - sizeOf(exchange), 0);
  const givers = digests.filter((exchange) => sizeOf(exchange) > partOf(exchange));
  const spare = givers.reduce((tokens, exchange) => tokens + sizeOf(exchange) - partOf(exchange), 0);
  const given = givers.flatMap((exchange) => {
    const part = (wanted * (sizeOf(exchange) - partOf(exchange))) / spare;
    return drawn(exchange, Math.floor(sizeOf(exchange) - part));
  });
  return [...given, ...squeezed.flatMap((exchange) => drawn(exchange, Math.floor(partOf(exchange))))];
}

/** What all digests of a view take together. */
export function digestTokens(view: TranscriptView): number {
  return digestsOf(view).reduce((sum, { tokens }) => sum + tokens, 0);
}

function digestsOf({ exchanges }: TranscriptView): ViewExchange[] {
  return exchanges.filter((exchange) => !exchange.protection && digestIn(exchange) !== undefined);
}

/** Messages of the log that they stand for. */
function lengthOf(exchanges: readonly ViewExchange[]): number {
  return exchanges.reduce((sum, { from, to }) => sum + (to - from + 1), 0);
}

/** Tokens of the digest itself, without pins inside its span. */
function sizeOf({ messages, ...exchange }: ViewExchange): number {
  const digest = digestIn({ messages, ...exchange });
  return messages.find(({ message }) => message === digest)!.size.tokens;
}

/** Nothing where it would come out nearly as it is. */
function drawnAnew(
  view: TranscriptView,
  exchange: ViewExchange,
  room: number,
  slot: Slot | undefined,
  count: (text: string) => number,
  most: Readonly<Record<string, number>>,
): Edit[] {
  const { from, to, fromId, toId, messages } = exchange;
  const at = messages.findIndex(({ message }) => message === digestIn(exchange));
  const before = messages[at]!.size.tokens;
  const stage = slot?.prompt ?? messages[at]!.made?.stage ?? '';
  const maxTokens = Math.min(room, most[stage] ?? Infinity);
  const handle = spanHandle(fromId, toId);
  const digest = view.digest({
    from,
    to,
    handle,
    maxTokens,
    count,
    shown: shownWithin(view, from, to),
  });
  const gives = room < before;
  if (gives ? digest.tokens > before - LEAST_GAIN : digest.tokens < before + LEAST_GAIN) return [];
  const text = { type: 'text', text: digest.text } as const;
  const replacement = messages.map(({ message }, i): Message =>
    i === at ? { ...message, id: `summary:${handle}`, label: 'summary', parts: [text] } : message,
  );
  const reason = gives ? 'room for another digest' : 'room for what was squeezed out before';
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
