import type { TranscriptView, ViewExchange } from '../view.js';
import { remembered } from './remembered.js';

/**
 * Exchanges that can only be superseded together: one with everything that stands between its messages, or an earlier
 * replacement with the pins inside its span. Nearly always a single exchange.
 */
export interface Block {
  readonly exchanges: readonly ViewExchange[];
  readonly from: number;
  readonly to: number;
  readonly fromId: string;
  readonly toId: string;
  /** Messages it shows, pins included. */
  readonly messages: number;
  /** What a supersede of it would take out: pins stay, so they are not counted. */
  readonly tokens: number;
  /** Only pins. */
  readonly pinned: boolean;
  /** Holds something no supersede may cover: held, open, unanswered, unseen. */
  readonly barred: boolean;
}

/** A stretch of neighbouring blocks, as one supersede would name it. */
export type Span = Omit<Block, 'barred' | 'pinned'>;

/** The whole view in blocks, in order. Linear. Several stages ask for the same view, where the ones between have changed nothing. */
export const blocksOf = remembered((view: TranscriptView): readonly Block[] => groupsOf(view).map(blockOf));

/** Exchanges with everything that stands between their messages: a span may not begin or end inside. */
export function groupsOf(view: TranscriptView): ViewExchange[][] {
  const groups: ViewExchange[][] = [];
  let reach = -1;
  for (const exchange of view.exchanges) {
    if (exchange.from > reach) groups.push([exchange]);
    else groups.at(-1)!.push(exchange);
    reach = Math.max(reach, exchange.to);
  }
  return groups;
}

function blockOf(exchanges: readonly ViewExchange[]): Block {
  const first = exchanges[0]!;
  let last = first;
  let messages = 0;
  let tokens = 0;
  let pinned = true;
  let barred = false;
  for (const exchange of exchanges) {
    if (exchange.to > last.to) last = exchange;
    messages += exchange.messages.length;
    if (exchange.protection === 'pinned') continue;
    pinned = false;
    tokens += exchange.tokens;
    barred ||= exchange.protection !== undefined || exchange.unseen;
  }
  const { from, fromId } = first;
  return { exchanges, from, to: last.to, fromId, toId: last.toId, messages, tokens, pinned, barred };
}

/**
 * The longest stretches without a barred block. Pins may stand inside one, not at its ends. None reaches over the request
 * that a session began with: pins stand behind what took the place of their span, and a request that is read after what
 * was done about it is done again.
 */
export function freeRuns(blocks: readonly Block[]): Block[][] {
  const request = blocks.find(isPinnedRequest);
  return runsOf(blocks, (block) => !block.barred && block !== request)
    .map(withoutOuterPins)
    .filter((run) => run.length > 0);
}

function isPinnedRequest({ pinned, exchanges }: Block): boolean {
  return pinned && exchanges[0]!.messages[0]?.message.role === 'user';
}

/** Stretches of neighbours that all belong. */
export function runsOf<T>(items: readonly T[], belongs: (item: T, before: T | undefined) => boolean): T[][] {
  const runs: T[][] = [];
  let run: T[] = [];
  for (const item of items) {
    if (!belongs(item, run.at(-1))) {
      if (run.length > 0) runs.push(run);
      // What does not go on with this run may begin the next one.
      run = run.length > 0 && belongs(item, undefined) ? [item] : [];
    } else run.push(item);
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

function withoutOuterPins(run: readonly Block[]): Block[] {
  const first = run.findIndex((block) => !block.pinned);
  const last = run.findLastIndex((block) => !block.pinned);
  return first < 0 ? [] : run.slice(first, last + 1);
}

/** The span that a stretch of neighbouring blocks makes; there must be one block at least. */
export function spanOf(blocks: readonly Block[]): Span {
  const first = blocks[0]!;
  const last = blocks.at(-1)!;
  return {
    exchanges: blocks.flatMap((block) => block.exchanges),
    from: first.from,
    to: last.to,
    fromId: first.fromId,
    toId: last.toId,
    messages: blocks.reduce((sum, block) => sum + block.messages, 0),
    tokens: blocks.reduce((sum, block) => sum + block.tokens, 0),
  };
}

/** What a message costs beyond its parts, read off a message of the view. */
export function overheadOf(exchange: ViewExchange): number {
  const { size } = exchange.messages[0]!;
  return Math.max(0, size.tokens - size.parts.reduce((sum, part) => sum + part.tokens, 0));
}

/** Log positions of the pins inside a span: they still stand in the view, so no text repeats them. */
export function pinnedIn(span: Span): ReadonlySet<number> {
  return new Set(
    span.exchanges
      .filter((exchange) => exchange.protection === 'pinned')
      .flatMap((exchange) => exchange.messages.map((shown) => shown.from)),
  );
}
