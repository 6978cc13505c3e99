import {
  cutArguments,
  remembered,
  replaceBy,
  shownParts,
  type CutRequest,
  type Replace,
  type ShownPart,
  type StageGoal,
  type Steps,
  type ToolCallPart,
  type TranscriptView,
  type ViewExchange,
} from '../../spi/index.js';
import type { Need, SnipEdits } from './need.js';
import type { SnipOptions } from './options.js';

/** Size of cut arguments, as a share of the size at which arguments count as large. */
const CUT_SHARE = 0.5;
const MIN_TOKENS = 40;

/** Cuts large arguments of older calls, oldest first: content that was written to a file is still in the file. */
export function* argumentEdits(
  view: TranscriptView,
  goal: StageGoal<SnipOptions>,
  need: Need,
  removed: SnipEdits['removed'],
): Steps<Replace[]> {
  const { minTokens, protectShare } = goal.options.arguments;
  const edits: Replace[] = [];
  for (const exchange of olderThan(view, protectShare * goal.budget.tokens)) {
    if (exchange.protection || exchange.unseen || exchange.kind !== 'step' || removed.has(exchange)) continue;
    for (const message of exchange.messages) {
      for (const part of shownParts(message)) {
        if (!need.isViewTooLarge) return edits;
        if (part.original.type !== 'tool-call' || part.mark || part.tokens <= minTokens) continue;
        yield;
        const trimmed = trim(part, part.original, view.mark(part.handle), goal);
        if (!trimmed) continue;
        edits.push(trimmed.edit);
        need.take(trimmed.saved, 0);
      }
    }
  }
  return edits;
}

/** Exchanges older than the newest `tokens` of the view. */
function olderThan(view: TranscriptView, tokens: number): readonly ViewExchange[] {
  let end = view.exchanges.length;
  for (let newer = 0; end > 0; end--) {
    newer += view.exchanges[end - 1]!.tokens;
    if (newer > tokens) break;
  }
  return view.exchanges.slice(0, end);
}

function trim(
  part: ShownPart,
  call: ToolCallPart,
  handle: string,
  { options, count }: StageGoal<SnipOptions>,
): { edit: Replace; saved: number } | undefined {
  const maxTokens = Math.max(MIN_TOKENS, Math.floor(CUT_SHARE * options.arguments.minTokens));
  const text = cut(call, { maxTokens, count, handle, knownTokens: part.tokens });
  if (text === undefined) return undefined;
  const saved = part.tokens - count(text) - count(call.name) - FRAME_TOKENS;
  if (saved <= 0) return undefined;
  const reason = `arguments of ${call.name} trimmed, ${part.tokens} tokens`;
  return { edit: replaceBy(part, text, reason), saved };
}

/** Malformed arguments stay: their intended structure is unknown, so no cut is safe. */
const cut = remembered((call: ToolCallPart, request: Required<CutRequest>) =>
  isObject(call.arguments) ? cutArguments(call.arguments, request) : undefined,
);

/** Id and punctuation around a call; prevents savings of a few tokens that exist only on paper. */
const FRAME_TOKENS = 8;

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
