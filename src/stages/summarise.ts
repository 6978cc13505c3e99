import { outlineSpan } from '../outline/index.js';
import type { StageGoal, TranscriptView } from '../spi/index.js';
import { spanHandle, type LogMessage, type Message, type Supersede } from '../transcript/index.js';
import { overheadOf, type Span } from './spans.js';

/** A summary that takes more of its span than this is no summary; small spans get a small allowance. */
const MOST_OF_SPAN = 0.5;

/** Saving less of a span than this is not worth the cache it costs. */
const LEAST_SAVING = 0.05;

/** Below this many tokens even the outline's one line does not fit. */
const LEAST_TOKENS = 30;

/** Which stage summarises, and the most its option lets one summary take. */
export interface Summariser {
  readonly stage: string;
  readonly maxSummaryTokens: number;
}

interface Allotted {
  readonly span: Span;
  readonly maxTokens: number;
}

/** One supersede per span that is worth it, each with its outline and a slot for a model's text. */
export function summarise(
  view: TranscriptView,
  goal: StageGoal,
  spans: readonly Span[],
  by: Summariser,
): Supersede[] {
  return allot(view, goal, spans, by).flatMap(({ span, maxTokens }) => {
    const handle = spanHandle(span.fromId, span.toId);
    const outline = outlineSpan(originalsOf(view, span), {
      maxTokens,
      count: goal.count,
      handle,
      ended: view.endedIn,
    });
    const saved = span.tokens - outline.tokens - overheadOf(span.exchanges[0]!);
    if (saved < LEAST_SAVING * span.tokens) return [];
    return {
      kind: 'supersede',
      fromId: span.fromId,
      toId: span.toId,
      replacement: [summaryMessage(handle, outline.text)],
      reason: `${span.messages} messages give way to a summary`,
      slot: { fromId: span.fromId, toId: span.toId, prompt: by.stage, maxTokens },
    };
  });
}

/** What summaries of these spans would save at least: each taken at its full allowance. */
export function promisedBy(
  view: TranscriptView,
  goal: StageGoal,
  spans: readonly Span[],
  by: Summariser,
): number {
  return allot(view, goal, spans, by).reduce(
    (sum, { span, maxTokens }) => sum + span.tokens - maxTokens - overheadOf(span.exchanges[0]!),
    0,
  );
}

/** Shares the one allowance by size, less what standing summaries already take of it. */
function allot(view: TranscriptView, goal: StageGoal, spans: readonly Span[], by: Summariser): Allotted[] {
  const fresh = spans.filter((span) => !isOneReplacement(span));
  const total = fresh.reduce((sum, span) => sum + span.tokens, 0);
  const allowance = Math.min(by.maxSummaryTokens, goal.summaryTokens) - standing(view, fresh);
  return fresh
    .map((span): Allotted => {
      const share = Math.floor((Math.max(allowance, LEAST_TOKENS) * span.tokens) / total);
      return {
        span,
        maxTokens: Math.min(Math.max(share, LEAST_TOKENS), Math.floor(MOST_OF_SPAN * span.tokens)),
      };
    })
    .filter(({ maxTokens }) => maxTokens >= LEAST_TOKENS);
}

/** Summarising one replacement again would only make it shorter or longer by chance. */
function isOneReplacement(span: Span): boolean {
  const loose = span.exchanges.filter((exchange) => exchange.protection !== 'pinned');
  return loose.length === 1 && loose[0]!.kind === 'replacement';
}

function standing(view: TranscriptView, spans: readonly Span[]): number {
  return view.exchanges
    .filter(({ kind, messages }) => kind === 'replacement' && messages[0]!.message.label === 'summary')
    .filter(({ from, to }) => !spans.some((span) => from >= span.from && to <= span.to))
    .reduce((sum, exchange) => sum + exchange.tokens, 0);
}

/**
 * An outline is a page: of a longer span only so many of its newest messages are read, or a run would take the longer
 * the longer a session lasts. What users said before is carried by claims where it binds, and the handle reads it back.
 */
const MOST_READ = 1_000;

/** What the log itself says of the span; pins still stand in the view, so the summary leaves them out. */
export function originalsOf(view: TranscriptView, span: Span): LogMessage[] {
  const standing = new Set(
    span.exchanges
      .filter((exchange) => exchange.protection === 'pinned')
      .flatMap((exchange) => exchange.messages.map((shown) => shown.from)),
  );
  const from = Math.max(span.from, span.to - MOST_READ + 1);
  return view.originals(from, span.to).filter((message) => !standing.has(message.seq));
}

/** Its id is that of its sources, so that the same span gives the same bytes in every run. */
export function summaryMessage(handle: string, text: string): Message {
  return {
    id: `summary:${handle}`,
    role: 'assistant',
    origin: 'synthetic',
    label: 'summary',
    parts: [{ type: 'text', text }],
  };
}
