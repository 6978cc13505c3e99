import { MOST_OF_SPAN, supersedeBy, type TranscriptView, type ViewExchange } from '../spi/index.js';
import { spanHandle, type Edit, type Message, type Slot } from '../transcript/index.js';
import { summariesInView, type SummaryInView } from './summaries-in-view.js';

/** A gain of fewer tokens does not justify rewriting a digest. */
const MIN_GAIN = 120;

/** The room that digests can grow into, in tokens. */
export interface Room {
  /** Room up to the target, for all texts together. */
  readonly free: number;
  /** Room beyond the target if all digests together are too short: fresh output must not displace the talk for good. */
  readonly beyondTarget: number;
}

interface RegrowOptions {
  /** The slot that this run offers for a span, if any. */
  readonly slotOf: (exchange: ViewExchange) => Slot | undefined;
  readonly count: (text: string) => number;
  /** Most tokens of a summary, by the name of its stage. */
  readonly maxSummaryTokens?: Readonly<Record<string, number>> | undefined;
  /** Tokens of the messages that a replacement replaces; absent if no model can be asked for a new text. */
  readonly sourceTokens?: ((exchange: ViewExchange) => number) | undefined;
}

/**
 * Rewrites the digests in a view if there is room, so that a digest which shrank for fresh output or for a drop gets
 * its text back. The more messages a digest replaces, the larger its share. A model's text stays; a model's text that
 * had too little room is requested again, and shares the room.
 */
export function regrowDigests(view: TranscriptView, room: Room, options: RegrowOptions): Edit[] {
  const tokens = Math.max(room.free, room.beyondTarget);
  if (tokens < MIN_GAIN) return [];
  const sharing = summariesInView(view).filter(({ room }) => room === undefined || options.sourceTokens);
  const shared = sharing.every(({ room }) => room === undefined) ? addedShares : levelledShares;
  const offered = shared(sharing, tokens);
  // A model's text that is long enough takes no part, and leaves its share to the others.
  const growing = sharing.filter(
    (one) => one.room === undefined || requestLonger(one, offered.get(one) ?? 0, options).length > 0,
  );
  return [...shared(growing, tokens)].flatMap(([one, most]) =>
    one.room === undefined ? redrawDigest(view, one, most, options) : requestLonger(one, most, options),
  );
}

/** Most tokens of each summary. */
type DigestShares = ReadonlyMap<SummaryInView, number>;

/** Each summary gets a share of the room, by the number of messages that it replaces, in addition to its own size. */
function addedShares(some: readonly SummaryInView[], tokens: number): DigestShares {
  const total = lengthOf(some);
  return new Map(some.map((one) => [one, one.tokens + Math.floor((tokens * one.length) / total)]));
}

/**
 * Each summary gets a share of the room and all present sizes together, by the number of messages that it replaces. One
 * above its share keeps its size. Model texts never shrink, so only this way can a short text catch up with a long one.
 */
function levelledShares(some: readonly SummaryInView[], tokens: number): DigestShares {
  const all = some.reduce((sum, one) => sum + one.tokens, tokens);
  const shares = new Map(some.map((one) => [one, Math.floor((all * one.length) / lengthOf(some))]));
  const under = some.filter((one) => shares.get(one)! > one.tokens);
  return under.length === some.length ? shares : levelledShares(under, tokens);
}

const lengthOf = (some: readonly SummaryInView[]): number =>
  some.reduce((sum, { length }) => sum + length, 0);

/** A model is asked again only for this much more: each call reads the whole span and breaks the cache after it. */
const MIN_GROWTH_FACTOR = 1.5;
const MIN_GROWTH_TOKENS = 600;

const isWorthAsking = (before: number, tokens: number): boolean =>
  tokens >= MIN_GROWTH_FACTOR * before && tokens >= before + MIN_GROWTH_TOKENS;

/** An unchanged text with a slot for a longer one. */
function requestLonger(
  { exchange, at, room = 0 }: SummaryInView,
  tokens: number,
  { maxSummaryTokens = {}, sourceTokens = () => 0 }: RegrowOptions,
): Edit[] {
  const { fromId, toId, messages } = exchange;
  const prompt = messages[at]!.made?.stage ?? '';
  // The same limit as for a stage's first request.
  const mostOfSource = Math.floor(MOST_OF_SPAN * sourceTokens(exchange));
  const maxTokens = Math.min(tokens, maxSummaryTokens[prompt] ?? Infinity, mostOfSource);
  if (!isWorthAsking(room, maxTokens)) return [];
  const slot = { fromId, toId, prompt, maxTokens, grows: true };
  const unchanged = messages.map(({ message }) => message);
  return [supersedeBy(exchange, unchanged, REGROW_REASON, slot)];
}

const REGROW_REASON = 'room for what was squeezed out before';

/** Redraws a digest; returns nothing if its size would hardly change. */
function redrawDigest(
  view: TranscriptView,
  { exchange, at, tokens: before }: SummaryInView,
  room: number,
  { slotOf, count, maxSummaryTokens = {}, sourceTokens }: RegrowOptions,
): Edit[] {
  const { from, to, fromId, toId, messages } = exchange;
  const own = slotOf(exchange);
  const stage = own?.prompt ?? messages[at]!.made?.stage ?? '';
  const maxTokens = Math.min(room, maxSummaryTokens[stage] ?? Infinity);
  if (maxTokens < before + MIN_GAIN) return [];
  const handle = spanHandle(fromId, toId);
  const digest = view.digest({
    from,
    to,
    handle,
    maxTokens,
    count,
    shown: shownWithin(view, from, to),
  });
  if (digest.tokens < before + MIN_GAIN) return [];
  const text = { type: 'text', text: digest.text } as const;
  const replacement = messages.map(({ message }, i): Message =>
    i === at ? { ...message, id: `summary:${handle}`, label: 'summary', parts: [text] } : message,
  );
  // The digest keeps the slot that this run offers. Without one, a model may be asked if there is more room now.
  const newSlot: Slot | undefined =
    sourceTokens && isWorthAsking(before, digest.tokens)
      ? { fromId, toId, prompt: stage, maxTokens, grows: true }
      : undefined;
  const slot = own ? { ...own, maxTokens } : newSlot;
  return [supersedeBy(exchange, replacement, REGROW_REASON, slot)];
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
