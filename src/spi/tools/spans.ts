import type { TranscriptView, ViewExchange } from '../view.js';
import { remembered } from './remembered.js';

/**
 * Exchanges that can only be superseded together: an exchange with everything between its messages, or an earlier
 * replacement with the pins inside its span. Nearly always a single exchange.
 */
export interface Block {
  readonly exchanges: readonly ViewExchange[];
  readonly from: number;
  readonly to: number;
  readonly fromId: string;
  readonly toId: string;
  /** Messages in view, including pins. */
  readonly messages: number;
  /** Tokens that a supersede of the block would remove: pins stay, so they are not counted. */
  readonly tokens: number;
  /** Whether the block has only pins. */
  readonly pinned: boolean;
  /** Whether it has an exchange that no supersede may cover: held, open, unanswered, unseen. */
  readonly barred: boolean;
}

/** A run of adjacent blocks, as one supersede names it. */
export type Span = Omit<Block, 'barred' | 'pinned'>;

/** The whole view in blocks, in order. Linear. Remembered, because several stages may use the same view. */
export const blocksOf = remembered((view: TranscriptView): readonly Block[] => groupsOf(view).map(blockOf));

/** Exchanges with everything between their messages: a span may not begin or end inside a group. */
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
 * The longest runs without a barred block. Pins may be inside a run, but not at its ends. No run extends over the
 * session's first request: pins follow the replacement of their span, and a model that reads the request after the
 * summary of the work on it does the work again.
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

/** Runs of adjacent items that all belong. */
export function runsOf<T>(items: readonly T[], belongs: (item: T, before: T | undefined) => boolean): T[][] {
  const runs: T[][] = [];
  let run: T[] = [];
  for (const item of items) {
    if (!belongs(item, run.at(-1))) {
      if (run.length > 0) runs.push(run);
      // An item that does not continue this run may begin the next one.
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

/** The span of a run of adjacent blocks; there must be at least one block. */
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

/** Tokens of a message beyond its parts, taken from a message of the view. */
export function overheadOf(exchange: ViewExchange): number {
  const { size } = exchange.messages[0]!;
  return Math.max(0, size.tokens - size.parts.reduce((sum, part) => sum + part.tokens, 0));
}

/** Log positions of the pins inside a span: they stay in view, so no text repeats them. */
export function pinnedIn(span: Span): ReadonlySet<number> {
  return new Set(
    span.exchanges
      .filter((exchange) => exchange.protection === 'pinned')
      .flatMap((exchange) => exchange.messages.map((shown) => shown.from)),
  );
}
