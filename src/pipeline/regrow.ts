import { isDigest } from '../digest/index.js';
import { hostSummaryIn } from '../reading/index.js';
import type { TranscriptView, ViewExchange } from '../spi/index.js';
import { spanHandle, textOf, type Edit, type Message, type Slot } from '../transcript/index.js';
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
  slotOf: (exchange: ViewExchange) => Slot | undefined,
  count: (text: string) => number,
  most: Readonly<Record<string, number>> = {},
): Edit[] {
  const digests = digestsOf(view);
  const tokens = Math.max(room.free, room.forSqueezed);
  const drawn = (digest: Standing, maxTokens: number): Edit[] =>
    drawnAnew(view, digest, maxTokens, slotOf(digest.exchange), count, most);
  if (tokens < LEAST_GAIN) return evened(digests, drawn);
  const covered = coveredUpTo(view);
  const growing = digests.filter(
    ({ exchange }) => exchange.to > covered || exchange.tokens < ENOUGH_OF_COVERED,
  );
  const total = growing.reduce((sum, { length }) => sum + length, 0);
  return growing.flatMap((digest) =>
    drawn(digest, digest.tokens + Math.floor((tokens * digest.length) / total)),
  );
}

/** Below this many tokens a digest of many messages says next to nothing. */
const SQUEEZED_TOKENS = 250;

/** Where nothing is free, digests that hold more than their part of the talk give to those that were squeezed. */
function evened(
  digests: readonly Standing[],
  drawn: (digest: Standing, maxTokens: number) => Edit[],
): Edit[] {
  const sum = digests.reduce((tokens, digest) => tokens + digest.tokens, 0);
  const messages = digests.reduce((all, { length }) => all + length, 0);
  const shares = digests.map((digest) => ({ digest, part: (sum * digest.length) / messages }));
  const squeezed = shares.filter(
    ({ digest: { tokens }, part }) => tokens < SQUEEZED_TOKENS && part > tokens + SQUEEZED_TOKENS,
  );
  if (squeezed.length === 0) return [];
  const givers = shares.filter(({ digest, part }) => digest.tokens > part);
  const wanted = squeezed.reduce((all, { digest, part }) => all + part - digest.tokens, 0);
  const spare = givers.reduce((all, { digest, part }) => all + digest.tokens - part, 0);
  return [
    ...givers.flatMap(({ digest, part }) =>
      drawn(digest, Math.floor(digest.tokens - (wanted * (digest.tokens - part)) / spare)),
    ),
    ...squeezed.flatMap(({ digest, part }) => drawn(digest, Math.floor(part))),
  ];
}

/** What all digests of a view take together. */
export function digestTokens(view: TranscriptView): number {
  return digestsOf(view).reduce((sum, { exchange }) => sum + exchange.tokens, 0);
}

/** A digest that stands in a view. */
interface Standing {
  readonly exchange: ViewExchange;
  /** Which of the messages of its exchange it is: pins inside its span stand beside it. */
  readonly at: number;
  /** Its own, without those pins. */
  readonly tokens: number;
  /** Messages of the log that it stands for. */
  readonly length: number;
}

function digestsOf({ exchanges }: TranscriptView): Standing[] {
  return exchanges.flatMap((exchange) => {
    const { kind, protection, messages, from, to } = exchange;
    if (kind !== 'replacement' || protection) return [];
    const at = messages.findIndex(
      ({ message }) =>
        (message.label === 'summary' || message.label === 'notice') &&
        isDigest(message.parts.map(textOf).join('\n')),
    );
    return at < 0 ? [] : [{ exchange, at, tokens: messages[at]!.size.tokens, length: to - from + 1 }];
  });
}

/** Nothing where it would come out nearly as it is. */
function drawnAnew(
  view: TranscriptView,
  { exchange, at, tokens: before }: Standing,
  room: number,
  slot: Slot | undefined,
  count: (text: string) => number,
  most: Readonly<Record<string, number>>,
): Edit[] {
  const { from, to, fromId, toId, messages } = exchange;
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
