import { MOST_OF_SPAN, supersedeBy, type TranscriptView, type ViewExchange } from '../spi/index.js';
import { spanHandle, type Edit, type Message, type Slot } from '../transcript/index.js';
import { summariesInView, type SummaryInView } from './summaries-in-view.js';

/** Less than this is no reason to write a digest anew. In tokens. */
const MIN_GAIN = 120;

/** What there is to grow into. In tokens. */
export interface Room {
  /** Up to the target, for all texts. */
  readonly free: number;
  /** Beyond it, where all together say too little: what was said must not be gone for good because a page came in. */
  readonly forSqueezed: number;
}

interface RegrowParts {
  /** What this run leaves to a model to write for a span, where it does. */
  readonly slotOf: (exchange: ViewExchange) => Slot | undefined;
  readonly count: (text: string) => number;
  /** What a stage allows its summaries, by its name. */
  readonly most?: Readonly<Record<string, number>> | undefined;
  /** Tokens of what a replacement stands for; absent where no model can be asked for a text anew. */
  readonly sourceOf?: ((exchange: ViewExchange) => number) | undefined;
}

/**
 * Writes the digests that stand in a view anew where there is room: one that gave way to a page of fresh output, or to a
 * drop, says again what was said. The more a digest stands for, the more of the room it may take. A text that a model
 * wrote stays; one that was squeezed is asked for anew, and room is shared with it.
 */
export function regrowDigests(view: TranscriptView, room: Room, parts: RegrowParts): Edit[] {
  const tokens = Math.max(room.free, room.forSqueezed);
  if (tokens < MIN_GAIN) return [];
  const sharing = summariesInView(view).filter(({ room }) => room === undefined || parts.sourceOf);
  const shared = sharing.every(({ room }) => room === undefined) ? added : filledUp;
  const offered = shared(sharing, tokens);
  // Who wrote enough takes no part, and leaves its own to the others.
  const growing = sharing.filter(
    (one) => one.room === undefined || askedAnew(one, offered.get(one) ?? 0, parts).length > 0,
  );
  return [...shared(growing, tokens)].flatMap(([one, most]) =>
    one.room === undefined ? drawnAnew(view, one, most, parts) : askedAnew(one, most, parts),
  );
}

/** What each may take, in tokens. */
type Shares = ReadonlyMap<SummaryInView, number>;

/** Each gets its part of the room by how much it stands for, on top of what it holds. */
function added(some: readonly SummaryInView[], tokens: number): Shares {
  const total = lengthOf(some);
  return new Map(some.map((one) => [one, one.tokens + Math.floor((tokens * one.length) / total)]));
}

/**
 * Each gets its part of the room and of what all hold, by how much it stands for; who holds more than that keeps it and
 * gets nothing. What a model wrote gives nothing away, so a short text beside a long one has no other way to catch up.
 */
function filledUp(some: readonly SummaryInView[], tokens: number): Shares {
  const all = some.reduce((sum, one) => sum + one.tokens, tokens);
  const shares = new Map(some.map((one) => [one, Math.floor((all * one.length) / lengthOf(some))]));
  const under = some.filter((one) => shares.get(one)! > one.tokens);
  return under.length === some.length ? shares : filledUp(under, tokens);
}

const lengthOf = (some: readonly SummaryInView[]): number =>
  some.reduce((sum, { length }) => sum + length, 0);

/** A model is asked anew only for so much more: each call reads the whole span, and breaks the cache from there on. */
const GROWTH = 1.5;
const MIN_GROWTH = 600;

const isWorthAsking = (before: number, tokens: number): boolean =>
  tokens >= GROWTH * before && tokens >= before + MIN_GROWTH;

/** A text as it stands, with a slot for a longer one. */
function askedAnew(
  { exchange, at, room = 0 }: SummaryInView,
  tokens: number,
  { most = {}, sourceOf = () => 0 }: RegrowParts,
): Edit[] {
  const { fromId, toId, messages } = exchange;
  const prompt = messages[at]!.made?.stage ?? '';
  // As when a stage asks for it first.
  const mostOfSource = Math.floor(MOST_OF_SPAN * sourceOf(exchange));
  const maxTokens = Math.min(tokens, most[prompt] ?? Infinity, mostOfSource);
  if (!isWorthAsking(room, maxTokens)) return [];
  const slot = { fromId, toId, prompt, maxTokens, grows: true };
  const standing = messages.map(({ message }) => message);
  return [supersedeBy(exchange, standing, ROOM_AGAIN, slot)];
}

const ROOM_AGAIN = 'room for what was squeezed out before';

/** Nothing where it would come out nearly as it is. */
function drawnAnew(
  view: TranscriptView,
  { exchange, at, tokens: before }: SummaryInView,
  room: number,
  { slotOf, count, most = {}, sourceOf }: RegrowParts,
): Edit[] {
  const { from, to, fromId, toId, messages } = exchange;
  const own = slotOf(exchange);
  const stage = own?.prompt ?? messages[at]!.made?.stage ?? '';
  const maxTokens = Math.min(room, most[stage] ?? Infinity);
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
  // A model may fill what the digest fills; one that was not asked, or had no room, may now.
  const anew: Slot | undefined =
    sourceOf && isWorthAsking(before, digest.tokens)
      ? { fromId, toId, prompt: stage, maxTokens, grows: true }
      : undefined;
  const slot = own ? { ...own, maxTokens } : anew;
  return [supersedeBy(exchange, replacement, ROOM_AGAIN, slot)];
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
