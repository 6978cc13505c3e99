import {
  blocksOf,
  outlineOf,
  runsOf,
  spanOf,
  supersedeBy,
  type Block,
  type StageGoal,
  type Supersede,
  type TranscriptView,
  type ViewExchange,
} from '../../spi/index.js';
import { type Need, NO_EDITS, type SnipEdits } from './need.js';
import type { SnipOptions } from './options.js';

/** Largest outline of dialogue, as a share of the dialogue. */
const OUTLINE_SHARE = 0.3;
const MIN_TOKENS = 30;

/** Replaces each run of plain messages outside the window by an outline. A policy: applies at any need. */
export function dialogueEdits(view: TranscriptView, goal: StageGoal<SnipOptions>, need: Need): SnipEdits {
  const { turns, tokens } = goal.options.dialogue;
  if (turns === undefined && tokens === undefined) return NO_EDITS;
  const outside = outsideWindow(view, turns ?? Infinity, tokens ?? Infinity);
  const runs = runsOf(blocksOf(view), (block) => isDialogue(block, outside));
  const edits: Supersede[] = [];
  const removed = new Set<ViewExchange>();
  for (const run of runs) {
    const edit = outlineRun(view, goal, run, need);
    if (!edit) continue;
    edits.push(edit);
    for (const block of run) for (const exchange of block.exchanges) removed.add(exchange);
  }
  return { edits, removed };
}

function outsideWindow(view: TranscriptView, turns: number, tokens: number): ReadonlySet<ViewExchange> {
  const outside = new Set<ViewExchange>();
  let newer = 0;
  for (const exchange of [...view.exchanges].reverse()) {
    if (exchange.kind !== 'plain') continue;
    newer += exchange.tokens;
    if (exchange.turnsAgo >= turns || newer > tokens) outside.add(exchange);
  }
  return outside;
}

/** An earlier outline joins the run, so that a moving window leaves one outline instead of many. */
function isDialogue(block: Block, outside: ReadonlySet<ViewExchange>): boolean {
  const [exchange] = block.exchanges;
  if (!exchange || block.barred || block.pinned || block.exchanges.length > 1) return false;
  const isOutline = exchange.kind === 'replacement' && exchange.messages[0]!.message.label === 'summary';
  const { role } = exchange.messages[0]!.message;
  return isOutline || (outside.has(exchange) && role !== 'system');
}

function outlineRun(
  view: TranscriptView,
  goal: StageGoal,
  run: readonly Block[],
  need: Need,
): Supersede | undefined {
  const span = spanOf(run);
  if (span.exchanges.every((exchange) => exchange.kind === 'replacement')) return undefined;
  const maxTokens = Math.min(
    goal.summaryTokens,
    Math.max(MIN_TOKENS, Math.floor(OUTLINE_SHARE * span.tokens)),
  );
  const { message, tokens } = outlineOf(view, span, 'summary', { maxTokens, count: goal.count });
  const saved = span.tokens - tokens;
  if (saved <= 0) return undefined;
  need.take(saved, 0);
  return supersedeBy(span, [message], `${span.messages} messages left the dialogue window`);
}
