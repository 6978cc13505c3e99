import {
  digestMessage,
  isToolResult,
  overheadOf,
  runsOf,
  shownParts,
  spanHandle,
  spanOf,
  type Block,
  type Count,
  type TranscriptView,
} from '../../spi/index.js';
import type { Collapsible } from './collapsible.js';

/** Runs of steps whose results have all been replaced before become one message with a line per call. */
export function digestRuns(
  view: TranscriptView,
  blocks: readonly Block[],
  minRun: number,
  count: Count,
): Collapsible[] {
  return runsOf(blocks, isSpent)
    .filter((run) => run.length >= minRun)
    .flatMap((run) => digested(view, run, count));
}

function digested(view: TranscriptView, run: readonly Block[], count: Count): Collapsible[] {
  const span = spanOf(run);
  const { fromId, toId, from, to } = span;
  const handle = spanHandle(fromId, toId);
  const { text, tokens } = view.digest({ from, to, handle, maxTokens: Infinity, count });
  const saved = span.tokens - tokens - overheadOf(span.exchanges[0]!);
  if (saved <= 0) return [];
  const reason = `${run.length} exchanges with replaced results became one digest`;
  const replacement = [digestMessage(handle, [text])];
  return [{ edit: { kind: 'supersede', fromId, toId, replacement, reason }, saved, from }];
}

function isSpent(block: Block): boolean {
  const [exchange] = block.exchanges;
  if (block.barred || block.pinned || block.exchanges.length > 1 || exchange?.kind !== 'step') return false;
  const results = exchange.messages.flatMap(shownParts).filter((part) => isToolResult(part.original));
  return results.length > 0 && results.every((part) => part.mark !== undefined);
}
