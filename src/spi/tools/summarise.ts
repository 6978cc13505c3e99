import type { Supersede } from '../../transcript/index.js';
import type { StageGoal } from '../stage.js';
import type { TranscriptView, ViewExchange } from '../view.js';
import { outlineOf, supersedeBy } from './edits.js';
import { overheadOf, type Span } from './spans.js';

/**
 * A summary that takes a larger share of its span is no summary. A span with an earlier summary represents more than it
 * shows, so its summary may be as large as the span: kept text is not thinned out again by each run.
 */
export const MOST_OF_SPAN = 0.6;

/** A smaller saving, as a share of the span, is not worth the cache that it costs. */
const MIN_SAVING = 0.05;

/** With fewer tokens not even one line fits. */
const MIN_TOKENS = 30;

/**
 * Least share of its allowance for a digest if fresh output alone is above the target: a page of listings must not
 * displace all earlier talk.
 */
const MIN_SHARE_OVER_TARGET = 0.8;
/** Least share of its allowance for a digest in any case: a shorter text says nothing, and no model can fill it. */
const MIN_SHARE = 0.25;
/** Least share of its allowance for a digest if pins take more of a budget than `LITTLE_STANDING`. */
const SHARE_NEXT_TO_PINS = 0.6;
/**
 * Share of the budget up to which digests may fill a request whose target is out of reach; above it, the next answer
 * would start another run.
 */
export const FULL_ENOUGH = 0.7;

/** The summarising stage, and the largest summary that its option allows; null: all free room up to the target. */
export interface Summariser {
  readonly stage: string;
  readonly maxSummaryTokens: number | null;
}

interface Allotment {
  readonly span: Span;
  readonly maxTokens: number;
}

/** One supersede for each span that is worth it, with its digest and a slot for a model's text. */
export function summarise(
  view: TranscriptView,
  goal: StageGoal,
  spans: readonly Span[],
  by: Summariser,
): Supersede[] {
  return allot(goal, view, spans, by).flatMap(({ span, maxTokens }) => {
    const { message, tokens } = outlineOf(view, span, 'summary', { maxTokens, count: goal.count });
    if (span.tokens - tokens < MIN_SAVING * span.tokens) return [];
    const { fromId, toId } = span;
    const slot = { fromId, toId, prompt: by.stage, maxTokens };
    return supersedeBy(span, [message], reasonFor(span), slot);
  });
}

/** Counts messages of the log, as an operator's figures do: earlier stages may have removed some from the view. */
function reasonFor({ from, to, exchanges }: Span): string {
  const pins = exchanges.filter(({ protection }) => protection === 'pinned');
  const count = pins.reduce((left, { messages }) => left - messages.length, to - from + 1);
  return `${count === 1 ? '1 message gives' : `${count} messages give`} way to a summary`;
}

/** Tokens that digests of these spans would save if each used its full allowance. */
export function promisedBy(goal: StageGoal, spans: readonly Span[], by: Summariser): number {
  const fresh = notYetSummarised(spans);
  const total = fresh.reduce((sum, span) => sum + span.tokens, 0);
  const most = fresh.reduce((sum, span) => sum + maxTokensOf(span), 0);
  const wanted = Math.min(by.maxSummaryTokens ?? Infinity, goal.summaryTokens, most);
  const overhead = fresh.reduce((sum, span) => sum + overheadOf(span.exchanges[0]!), 0);
  return total - wanted - overhead;
}

/** Shares the free room up to the target among the spans, by their size. */
function allot(goal: StageGoal, view: TranscriptView, spans: readonly Span[], by: Summariser): Allotment[] {
  const fresh = notYetSummarised(spans);
  const total = fresh.reduce((sum, span) => sum + span.tokens, 0);
  const overhead = fresh.reduce((sum, span) => sum + overheadOf(span.exchanges[0]!), 0);
  const upToFull = total - overhead - (view.tokens - FULL_ENOUGH * goal.budget.tokens);
  const pinned = pinnedTokens(view) - LITTLE_STANDING * goal.budget.tokens;
  const least = Math.max(
    MIN_TOKENS,
    Math.min(MIN_SHARE * goal.summaryTokens, upToFull),
    Math.min(SHARE_NEXT_TO_PINS * goal.summaryTokens, upToFull, pinned),
    Math.min(MIN_SHARE_OVER_TARGET * goal.summaryTokens, upToFull, freshTokens(view)),
  );
  const all = Math.min(by.maxSummaryTokens ?? Infinity, Math.max(total - overhead - goal.reclaim, least));
  const free = Math.max(MIN_TOKENS, all * (1 - squeezedShare(spans, fresh)));
  return fresh
    .map((span): Allotment => ({
      span,
      maxTokens: Math.floor(Math.min(Math.max((free * span.tokens) / total, MIN_TOKENS), maxTokensOf(span))),
    }))
    .filter(({ maxTokens }) => maxTokens >= MIN_TOKENS);
}

function maxTokensOf({ exchanges, tokens }: Span): number {
  return exchanges.some(({ kind }) => kind === 'replacement') ? tokens : MOST_OF_SPAN * tokens;
}

/** A text of fewer tokens for many messages was squeezed: it has next to no content. */
export const SQUEEZED_TOKENS = 250;

/** Share of the room that is left to squeezed earlier texts: the pipeline lets them grow again. */
function squeezedShare(spans: readonly Span[], fresh: readonly Span[]): number {
  const lengthOf = (some: readonly Span[]): number =>
    some.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const squeezed = spans.filter((span) => !fresh.includes(span) && span.tokens < SQUEEZED_TOKENS);
  return squeezed.length === 0
    ? 0
    : Math.min(0.5, lengthOf(squeezed) / (lengthOf(squeezed) + lengthOf(fresh)));
}

/** A span that is only one replacement is skipped: a new summary would only differ by chance. */
function notYetSummarised(spans: readonly Span[]): readonly Span[] {
  const isLoose = ({ protection }: ViewExchange): boolean => protection !== 'pinned';
  return spans.filter(({ exchanges }) => {
    const first = exchanges.find(isLoose);
    return first?.kind !== 'replacement' || first !== exchanges.findLast(isLoose);
  });
}

/** Share of the budget: smaller pins and fresh output are no reason for digests to exceed the target. */
export const LITTLE_STANDING = 0.1;

/** Tokens of fresh output: no stage may edit it now, and it will be compacted soon. */
export function freshTokens(view: TranscriptView): number {
  return tokensWhere(
    view,
    ({ unseen, protection, kind }) =>
      kind !== 'plain' && (protection === undefined ? unseen : protection === 'open'),
  );
}

/** Tokens of pins, which no stage removes. */
export function pinnedTokens(view: TranscriptView): number {
  return tokensWhere(view, ({ protection }) => protection === 'pinned');
}

function tokensWhere({ exchanges }: TranscriptView, holds: (exchange: ViewExchange) => boolean): number {
  return exchanges.reduce((sum, exchange) => sum + (holds(exchange) ? exchange.tokens : 0), 0);
}
