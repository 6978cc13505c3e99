import { drawDigest, type DigestIndex } from '../text/digest/index.js';
import type { References, SecretBook, TrustIndex } from '../text/facts/index.js';
import type { DigestRequest, Protection, TranscriptView, ViewExchange } from '../spi/index.js';
import {
  firstAtLeast,
  atOnce,
  markFor,
  type Hold,
  type LogMessage,
  type Projection,
  type ReadonlyLog,
  type Steps,
  type ViewMessage,
} from '../transcript/index.js';

/** The inputs that all views of one run share. */
export interface ViewSource {
  readonly log: ReadonlyLog;
  readonly references: References;
  readonly holds: readonly Hold[];
  readonly isPinned: (message: LogMessage) => boolean;
  /** Pinned for another reason than being a system message. */
  readonly isPinnedByName: (message: LogMessage) => boolean;
  readonly digests: DigestIndex;
  /** The secrets that replacement texts must not contain, and the trust of their sources. */
  readonly secrets?: SecretBook;
  readonly trust?: TrustIndex;
  /** The agent has the recall tool: texts tell it to use the tool. */
  readonly recall?: boolean;
  /** No request fits with all messages since the last answer: only the newest message of the user stays protected. */
  readonly compactsUnread?: boolean;
}

interface ExchangeGroup {
  readonly kind: ViewExchange['kind'];
  readonly messages: ViewMessage[];
  from: number;
  to: number;
}

/** Exchanges that are read between two pauses: about a millisecond. */
const EXCHANGES_PER_PAUSE = 512;

/** Groups the messages to be sent into exchanges, with what a stage may know of each. Costs the view, not the log. */
export const buildView = (source: ViewSource, projection: Projection): TranscriptView =>
  atOnce(buildingView(source, projection));

export function* buildingView(source: ViewSource, projection: Projection): Steps<TranscriptView> {
  const { log } = source;
  const groups: ExchangeGroup[] = [];
  const byExchange = new Map<number, ExchangeGroup>();
  for (const [at, shown] of projection.view.entries()) {
    if (at % EXCHANGES_PER_PAUSE === EXCHANGES_PER_PAUSE - 1) yield;
    if (shown.source) {
      const exchange = log.exchangeOf(shown.from);
      let group = byExchange.get(exchange.index);
      if (!group) {
        group = { kind: exchange.kind, messages: [], from: shown.from, to: shown.to };
        byExchange.set(exchange.index, group);
        groups.push(group);
      }
      group.messages.push(shown);
      group.to = shown.to;
    } else {
      const last = groups.at(-1);
      if (last?.kind === 'replacement' && last.from === shown.from && last.to === shown.to)
        last.messages.push(shown);
      else groups.push({ kind: 'replacement', messages: [shown], from: shown.from, to: shown.to });
    }
  }
  const mark = markFor(source.recall);
  const newestTurn = log.turns.length - 1;
  const logState: LogState = {
    open: log.openExchange?.index,
    unansweredSeq: log.unansweredUser?.seq,
    unseenFrom: log.unseenFrom,
  };
  const exchanges: ViewExchange[] = [];
  for (const [index, group] of groups.entries()) {
    if (index % EXCHANGES_PER_PAUSE === EXCHANGES_PER_PAUSE - 1) yield;
    const protection = protectionOf(source, group, logState);
    const exchange: ViewExchange = {
      index,
      kind: group.kind,
      messages: Object.freeze(group.messages),
      from: group.from,
      to: group.to,
      fromId: log.at(group.from).id,
      toId: log.at(group.to).id,
      tokens: group.messages.reduce((sum, shown) => sum + shown.size.tokens, 0),
      turnsAgo: newestTurn - log.turnOf(group.to),
      ...(protection && { protection }),
      unseen: group.to >= unreadFrom(source, group, logState),
    };
    exchanges.push(Object.freeze(exchange));
  }
  // Frozen, because the guard judges a stage's edits by the view that the stage received.
  return Object.freeze({
    exchanges: Object.freeze(exchanges),
    tokens: projection.size.tokens,
    turns: log.turns.length,
    references: source.references,
    originals: (from: number, to: number) => log.between(from, to),
    mark,
    digest: (request: DigestRequest) => drawDigest(source.digests, request, mark),
    exchangeOf: (seq: number) => log.exchangeOf(seq).index,
  });
}

/** The log's marks, read once per view instead of once per exchange. */
interface LogState {
  readonly open: number | undefined;
  readonly unansweredSeq: number | undefined;
  readonly unseenFrom: number;
}

/** The log position from which an exchange counts as not read by the model. A replacement may be replaced again. */
function unreadFrom(
  { compactsUnread }: ViewSource,
  { kind }: ExchangeGroup,
  { unansweredSeq = 0, unseenFrom }: LogState,
): number {
  if (kind === 'replacement') return Infinity;
  return compactsUnread && kind === 'plain' ? Math.max(unansweredSeq, unseenFrom) : unseenFrom;
}

/** The strongest protection comes first: only a pin may be cut, or remain as a hole in a span. */
function protectionOf(source: ViewSource, group: ExchangeGroup, state: LogState): Protection | undefined {
  const { log, holds, isPinned } = source;
  const { kind, messages, from, to } = group;
  const { open, unansweredSeq } = state;
  const isHeld = holds.some((hold) => from <= hold.to && to >= hold.from);
  if (kind === 'replacement') return isHeld ? 'held' : undefined;
  if (open !== undefined && open === log.exchangeOf(from).index) return 'open';
  // The message may be part of an exchange: some formats send a user's text together with tool results.
  if (unansweredSeq !== undefined && messages.some((shown) => shown.from === unansweredSeq))
    return 'unanswered';
  if (isHeld) return 'held';
  if (messages.some((shown) => isPinned(shown.source!))) return 'pinned';
  // Any other new message that is no tool result: a second user message, a reminder.
  return kind === 'plain' && from >= unreadFrom(source, group, state) ? 'unanswered' : undefined;
}

/** Finds the exchanges of a view that have messages inside a span of log positions. */
export type SpanFinder = (from: number, to: number) => readonly ViewExchange[];

/**
 * Exchanges are sorted by their first message, but one may extend over others (a result that came after a user's
 * message). The search therefore walks back as long as an earlier exchange could extend into the span.
 */
export function createSpanFinder(view: TranscriptView): SpanFinder {
  const { exchanges } = view;
  const reach: number[] = [];
  for (const exchange of exchanges) reach.push(Math.max(exchange.to, reach.at(-1) ?? -1));
  return (from, to) => {
    let start = firstAtLeast(exchanges, from, (exchange) => exchange.from);
    while (start > 0 && reach[start - 1]! >= from) start--;
    const found: ViewExchange[] = [];
    for (let i = start; i < exchanges.length && exchanges[i]!.from <= to; i++) {
      const exchange = exchanges[i]!;
      if (exchange.kind === 'replacement') {
        if (exchange.to >= from) found.push(exchange);
      } else if (exchange.messages.some((shown) => shown.from >= from && shown.from <= to))
        found.push(exchange);
    }
    return found;
  };
}
