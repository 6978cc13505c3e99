import type { Supersede } from '../../transcript/index.js';
import type { StageGoal } from '../stage.js';
import type { TranscriptView, ViewExchange } from '../view.js';
import { outlineOf, supersedeBy } from './edits.js';
import { overheadOf, type Span } from './spans.js';

/**
 * A summary that takes more than this of what it stands for is no summary. A span that holds an earlier one stands for
 * more than it shows, so there only what is free counts: what was kept once is not thinned out again by each run.
 */
export const MOST_OF_SPAN = 0.6;

/** Saving less of a span than this is not worth the cache it costs. */
const LEAST_SAVING = 0.05;

/** Below this many tokens even one line does not fit. */
const LEAST_TOKENS = 30;

/**
 * Of its share, what a digest gets even where fresh output alone is above the target: a page of listings must not drive
 * out all that was said.
 */
const LEAST_OF_SHARE = 0.8;
/** Of its share, what a digest gets in any case: fewer words than this stand for nothing, and no model can use them. */
const SMALLEST_SHARE = 0.25;
/** Of its share, what a digest gets where pins take more of a budget than `LITTLE_STANDING`. */
const SHARE_BESIDE_PINS = 0.6;
/**
 * Of the budget: digests never fill a request further than this where its target is out of reach; the next answer must
 * not start a run again.
 */
export const FULL_ENOUGH = 0.7;

/** Which stage summarises, and the most its option lets one summary take; null: all that is free up to the target. */
export interface Summariser {
  readonly stage: string;
  readonly maxSummaryTokens: number | null;
}

interface Allotted {
  readonly span: Span;
  readonly maxTokens: number;
}

/** One supersede per span that is worth it, each with its digest and a slot for a model's text. */
export function summarise(
  view: TranscriptView,
  goal: StageGoal,
  spans: readonly Span[],
  by: Summariser,
): Supersede[] {
  return allot(goal, view, spans, by).flatMap(({ span, maxTokens }) => {
    const { message, tokens } = outlineOf(view, span, 'summary', { maxTokens, count: goal.count });
    if (span.tokens - tokens < LEAST_SAVING * span.tokens) return [];
    const { fromId, toId } = span;
    const slot = { fromId, toId, prompt: by.stage, maxTokens };
    return supersedeBy(span, [message], reasonFor(span), slot);
  });
}

/** Counts messages of the log, as an operator's figures do: earlier stages may have taken some out of the view. */
function reasonFor({ from, to, exchanges }: Span): string {
  const pins = exchanges.filter(({ protection }) => protection === 'pinned');
  const count = pins.reduce((left, { messages }) => left - messages.length, to - from + 1);
  return `${count === 1 ? '1 message gives' : `${count} messages give`} way to a summary`;
}

/** What digests of these spans would save if each took the room that it should have. */
export function promisedBy(goal: StageGoal, spans: readonly Span[], by: Summariser): number {
  const fresh = freshOf(spans);
  const total = fresh.reduce((sum, span) => sum + span.tokens, 0);
  const most = fresh.reduce((sum, span) => sum + mostOf(span), 0);
  const wanted = Math.min(by.maxSummaryTokens ?? Infinity, goal.summaryTokens, most);
  const overhead = fresh.reduce((sum, span) => sum + overheadOf(span.exchanges[0]!), 0);
  return total - wanted - overhead;
}

/** Shares what is free up to the target by the size of the spans. */
function allot(goal: StageGoal, view: TranscriptView, spans: readonly Span[], by: Summariser): Allotted[] {
  const fresh = freshOf(spans);
  const total = fresh.reduce((sum, span) => sum + span.tokens, 0);
  const overhead = fresh.reduce((sum, span) => sum + overheadOf(span.exchanges[0]!), 0);
  const upToFull = total - overhead - (view.tokens - FULL_ENOUGH * goal.budget.tokens);
  const pinned = pinnedTokens(view) - LITTLE_STANDING * goal.budget.tokens;
  const least = Math.max(
    LEAST_TOKENS,
    Math.min(SMALLEST_SHARE * goal.summaryTokens, upToFull),
    Math.min(SHARE_BESIDE_PINS * goal.summaryTokens, upToFull, pinned),
    Math.min(LEAST_OF_SHARE * goal.summaryTokens, upToFull, freshTokens(view)),
  );
  const all = Math.min(by.maxSummaryTokens ?? Infinity, Math.max(total - overhead - goal.reclaim, least));
  const free = Math.max(LEAST_TOKENS, all * (1 - squeezedShare(spans, fresh)));
  return fresh
    .map((span): Allotted => ({
      span,
      maxTokens: Math.floor(Math.min(Math.max((free * span.tokens) / total, LEAST_TOKENS), mostOf(span))),
    }))
    .filter(({ maxTokens }) => maxTokens >= LEAST_TOKENS);
}

function mostOf({ exchanges, tokens }: Span): number {
  return exchanges.some(({ kind }) => kind === 'replacement') ? tokens : MOST_OF_SPAN * tokens;
}

/** Below this many tokens a text that stands for many messages was squeezed: it says next to nothing. */
export const SQUEEZED_TOKENS = 250;

/** Of the room, what is left to texts that were squeezed before: the pipeline lets them grow again. */
function squeezedShare(spans: readonly Span[], fresh: readonly Span[]): number {
  const lengthOf = (some: readonly Span[]): number =>
    some.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const squeezed = spans.filter((span) => !fresh.includes(span) && span.tokens < SQUEEZED_TOKENS);
  return squeezed.length === 0
    ? 0
    : Math.min(0.5, lengthOf(squeezed) / (lengthOf(squeezed) + lengthOf(fresh)));
}

/** Summarising one replacement again would only make it shorter or longer by chance. */
function freshOf(spans: readonly Span[]): readonly Span[] {
  const isLoose = ({ protection }: ViewExchange): boolean => protection !== 'pinned';
  return spans.filter(({ exchanges }) => {
    const first = exchanges.find(isLoose);
    return first?.kind !== 'replacement' || first !== exchanges.findLast(isLoose);
  });
}

/** Of the budget: pins and fresh output that take less are no reason to let digests pass the target. */
export const LITTLE_STANDING = 0.1;

/** Tokens of fresh output: no stage may touch it now, and it will be gone soon. */
export function freshTokens(view: TranscriptView): number {
  return tokensWhere(
    view,
    ({ unseen, protection, kind }) =>
      kind !== 'plain' && (protection === undefined ? unseen : protection === 'open'),
  );
}

/** Tokens of pins: they stay whatever a stage does. */
export function pinnedTokens(view: TranscriptView): number {
  return tokensWhere(view, ({ protection }) => protection === 'pinned');
}

function tokensWhere({ exchanges }: TranscriptView, holds: (exchange: ViewExchange) => boolean): number {
  return exchanges.reduce((sum, exchange) => sum + (holds(exchange) ? exchange.tokens : 0), 0);
}
